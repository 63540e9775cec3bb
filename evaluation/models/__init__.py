"""Models of a run: find them, load them, try them, and assign them to modules."""
