"""Files that the window reads and keeps: settings, drafts, recent results."""
