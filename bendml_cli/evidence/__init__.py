"""Evidence of a run: recorded while it runs, sealed at its end, verified by anyone later."""
