"""Deliberation without a large model: goals, decisions and words by likeness of meaning."""
