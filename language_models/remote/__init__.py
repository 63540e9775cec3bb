"""Models behind an address: any server that speaks the OpenAI API."""

from language_models.packages import check_installed

check_installed("a model behind an address", "aiohttp", "aiolimiter", "tenacity")
