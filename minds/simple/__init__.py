"""Minds of a page each: what the others are compared with."""
