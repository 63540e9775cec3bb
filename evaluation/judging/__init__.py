"""A language model in the place of raters: it reads what they read and answers what they are asked."""
