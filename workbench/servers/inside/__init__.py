"""What runs inside vLLM's own environment: one self-contained file each, never imported here."""
