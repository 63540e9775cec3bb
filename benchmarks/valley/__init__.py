"""Benchmarks of the valley's speed, and an audit of the difficulty of its tasks."""
