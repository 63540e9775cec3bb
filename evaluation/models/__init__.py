"""The models of a run: found, tried, and given to modules."""
