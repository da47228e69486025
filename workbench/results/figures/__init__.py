"""From stored stamps to figures."""
