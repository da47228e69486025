"""What leaves the program: CSV, XLSX, JSON, HTML."""
