"""Consciousness channel, long-term memory, compression, and what is known (sections 3.1 and 3.2)."""
