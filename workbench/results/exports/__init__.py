"""Exports: CSV, XLSX, JSON, HTML and packs."""
