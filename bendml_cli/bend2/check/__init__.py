"""Typing, usage, descent, datatypes, templates, and the verdict on a book."""
