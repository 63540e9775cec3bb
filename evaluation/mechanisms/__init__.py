"""What each mechanism decides: recorded decisions made again, with one of them removed or replaced."""
