"""Simple ways to act: scripted, random and idle."""
