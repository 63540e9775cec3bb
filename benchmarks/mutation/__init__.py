"""Mutation testing of the files with the paper's equations."""
