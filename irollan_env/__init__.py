"""IrollanValley: a text sandbox of eight areas and six residents (section 5.1 of the ITCMA-S paper)."""
