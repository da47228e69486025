"""Many experiments on many machines: the driver, the process on a node, and what the session leaves."""
