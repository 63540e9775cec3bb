"""Simple minds, each of about a page, as baselines for the others."""
