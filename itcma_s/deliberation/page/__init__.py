"""The page of a small model: the scene so far, as one of those who are in it finds it, and its turn."""
