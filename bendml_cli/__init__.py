"""bendml: believe, or refute, machine learning written in Bend 2."""

__version__ = "0.1.0"
