"""The experiment file: its tables, reading and writing it, and its checks."""
