"""How fast and how well the project itself works: ``python -m benchmarks NAME``."""
