"""Rules about a run as a whole, one file each."""
