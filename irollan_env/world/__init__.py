"""Simulation of a valley: its state, the six primitives, and residents' perception; independent of Gymnasium."""
