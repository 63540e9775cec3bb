"""ITCMA-S: the mind of one resident (section 3 of the paper)."""
