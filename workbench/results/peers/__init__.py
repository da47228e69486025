"""Results of other load generators under our names: what they measured, and where definitions differ."""
