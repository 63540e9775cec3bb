"""Pleasure, arousal, dominance and the driver (section 3.3)."""
