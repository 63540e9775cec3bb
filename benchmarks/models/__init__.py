"""What language models cost a run, and what a run survives."""
