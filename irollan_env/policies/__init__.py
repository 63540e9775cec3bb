"""Simple policies: scripted, random and idle."""
