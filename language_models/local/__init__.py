"""Models that run in this process: llama.cpp and Hugging Face transformers."""
