"""Story prompts: a scene from one neighbour's view, which a small model that was trained on such scenes continues."""
