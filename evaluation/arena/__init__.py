"""The arena: minds x scenarios x seeds, scored by what happened."""
