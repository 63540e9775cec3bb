"""Embedders of names and sentences, and a cache of their vectors."""
