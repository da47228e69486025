"""The processes that measure: started, followed, and read without blocking the window."""
