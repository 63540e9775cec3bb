"""Residents of any time step of a run, asked what they know; the run stays as it is."""
