"""Benchmarks of how well agents solve the valley's tasks and TextWorld games."""
