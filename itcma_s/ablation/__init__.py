"""Ablation: what a mind decides from, with mechanisms of sections 3 and 4 taken away or replaced."""
