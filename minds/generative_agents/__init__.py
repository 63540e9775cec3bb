"""Generative agents (Park et al. 2023): a memory stream, reflections on it, and plans that are refined."""
