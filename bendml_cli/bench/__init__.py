"""Measurements: one module per benchmark."""
