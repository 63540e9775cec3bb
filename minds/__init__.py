"""Other minds for the valley, by name, and minds of one's own."""
