"""Texts, numbers and translations in the user's language."""
