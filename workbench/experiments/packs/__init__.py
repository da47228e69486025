"""Packs between a buyer and a vendor: the order, its run, and the check of the result."""
