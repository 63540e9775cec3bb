"""Models behind an address: any server that speaks the OpenAI API."""
