"""What runs teach about their servers: step models from the user's own runs, and predictions by them."""
