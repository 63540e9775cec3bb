"""Arena: comparison of minds by the scores of their runs over scenarios and seeds."""
