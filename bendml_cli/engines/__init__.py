"""Engines judge Bend files. Every check asks one, or both, through the `Engine` protocol."""
