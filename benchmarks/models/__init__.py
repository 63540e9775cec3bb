"""Benchmarks of model calls: waiting, recording, replay, resume, exact repetition, and runs that are killed."""
