"""A machine without other processes, for tests: whatever else runs here, no run is refused for it."""
