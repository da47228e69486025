"""What menus, buttons and keys do."""
