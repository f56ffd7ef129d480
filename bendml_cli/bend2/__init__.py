"""The embedded engine: an independent checker for Bend 2, written without sight of Bend's own source."""
