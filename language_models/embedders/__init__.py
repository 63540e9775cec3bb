"""Vectors for names and sentences, and the cache that keeps them."""
