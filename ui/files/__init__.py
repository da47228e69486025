"""What the window reads and keeps: settings, drafts, recent results."""
