"""Generative agents (Park et al. 2023): a memory stream, reflections upon it, and plans made finer step by step."""
