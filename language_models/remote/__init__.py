"""Models on remote servers that speak the OpenAI API."""

from language_models.packages import check_installed

check_installed("a model behind an address", "aiohttp", "aiolimiter", "tenacity")
