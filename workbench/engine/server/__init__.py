"""The served engine: vLLM's two processes, HTTP front and scheduler loop, with simulated step times."""
