"""Mechanics that the project ships, one module each."""
