"""Code that runs in vLLM's own environment: self-contained, never imported here."""
