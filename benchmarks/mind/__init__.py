"""What a mind costs, and how well its parts decide, eliminate, foretell and speak."""
