"""What numbers are compared with: PyTorch, and plain Python. Nothing outside this package imports torch."""
