"""Benchmarks of the analysis of finished runs: statistics, social structure, measures of talk, ranking."""
