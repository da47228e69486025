"""Colors, sizes, icons and small widgets that all panels share."""
