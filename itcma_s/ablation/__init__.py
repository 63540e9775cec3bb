"""Ablation: decisions with single mechanisms of sections 3 and 4 removed, or replaced by other content."""
