"""Detection of prompts that exceed the model's context, by the server's error or by its token counts.

Ollama gives no error: it reads as much of such a prompt as fills half of its context, and answers with status 200
(github.com/ollama/ollama, issues 3839 and 17427).
"""

from __future__ import annotations

import re

from language_models.token_counts import count_tokens

LONGER_CONTEXT = (
    "serve the model with a longer one (--max-model-len in vLLM, -c in llama.cpp, in Ollama OLLAMA_CONTEXT_LENGTH in "
    "its environment or num_ctx in the model's file)"
)
"""Remedy for prompts that exceed the context, for errors."""

LEAST_SHARE = 0.6
"""Least tokens per word and punctuation mark of a complete prompt; this project's prompts have 1.0 to 1.1."""

LEAST_READ = 512
"""Token count below which a prompt is not cut: the server has the rest in its cache, or does not count."""

CONTENT_TOO_LARGE = 413
_TOO_LONG = re.compile(
    r"""
    context.?(length|size|window|limit)                 # OpenAI, vLLM, SGLang, llama.cpp, Mistral, LM Studio
    | max\w*.(allowed.)?(model|prompt|input|seq\w*).len  # vLLM, xAI, TabbyAPI
    | (prompt|inputs?|messages).{0,20}too.long           # Anthropic, Amazon Bedrock
    | (prompt|inputs?).{0,40}\bexceeds?\b                # Gemini, GitHub, Zhipu
    | exceeded.model.token.limit                         # Moonshot
    | too.many.(input.)?tokens                           # Cohere
    | input.length.should.be                             # Alibaba
    | inputs?.{0,5}(must.have.less.than|tokens.\+)       # text-generation-inference
    | reduce.the.length.of                               # Groq
    """,
    re.IGNORECASE | re.VERBOSE,
)


def says_too_long(status: int, text: str) -> bool:
    """Return whether an answer says that the prompt was too long, in any wording known of servers.

    Args:
        status: HTTP status of the answer.
        text: Body of the answer.
    """
    return status == CONTENT_TOO_LARGE or (status in (400, 422) and _TOO_LONG.search(text) is not None)


def seems_truncated(prompt: str, read: int) -> bool:
    """Return whether a prompt has more tokens than the server reports to have read.

    Args:
        prompt: The prompt as sent.
        read: Tokens of the prompt, as reported; 0 where the server reports none.
    """
    return read >= LEAST_READ and read < LEAST_SHARE * count_tokens(prompt)
