"""The kinds of check: one module each, with the fields of its entry in a suite file and the cases that come of it."""
