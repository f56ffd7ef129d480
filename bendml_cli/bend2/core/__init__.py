"""Core terms and what is done with them: evaluation, conversion, printing."""
