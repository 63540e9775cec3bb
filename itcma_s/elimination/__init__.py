"""Reduction of the action space (section 3.4, Eq. 16)."""
