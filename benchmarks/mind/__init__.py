"""Benchmarks of minds: processor time, memory, model calls and tokens."""
