"""Interviews with residents as of any time step of a run, which is not changed."""
