"""Phenomenal fields, their similarity, and blending (section 3.2.1)."""
