"""What is said and what comes of it: questions, promises, statements, thoughts and goals; no judge, no model."""
