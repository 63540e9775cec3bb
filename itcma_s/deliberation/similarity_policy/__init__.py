"""Deliberation without a large model: goals, decisions and words by embedding similarity."""
