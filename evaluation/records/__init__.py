"""What a run leaves behind: its directory, records and metrics."""
