"""Commands behind menus, buttons and keys."""
