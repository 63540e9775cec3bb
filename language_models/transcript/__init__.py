"""Every model call of a run: written down, and answered from again."""
