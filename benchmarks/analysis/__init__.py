"""What is done with finished runs: statistics, ratings, judges, social structure, sweeps."""
