"""The bottlenecks: one file each, with its condition, its verdict and the change to try."""
