"""The window: it shows what the core does and runs no load and no measurement itself."""
