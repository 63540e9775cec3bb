"""Mutation of the files of the paper's equations: whether the tests would notice."""
