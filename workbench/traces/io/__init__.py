"""Read traces from files in any known format, and write them."""
