"""Rule-based measures of talk: questions, promises, statements, thoughts and goals, without a language model."""
