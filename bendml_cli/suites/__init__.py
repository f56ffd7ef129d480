"""Suites of checks: their files, the kinds of check, and the runner."""
