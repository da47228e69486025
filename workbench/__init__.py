"""vLLM Workbench's core: everything the program can do, without a window."""

__version__ = "0.1.0"
