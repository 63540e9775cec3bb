"""Interviews with residents at any time step of a run, without changing the run."""
