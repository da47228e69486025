"""Results of other load generators under our names, with the differences in definitions."""
