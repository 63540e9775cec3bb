"""What one run looks like: figures, page, comparison of two."""
