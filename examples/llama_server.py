"""A llama.cpp server with the OpenAI API on loopback, from what comes with the install.

`python examples/llama_server.py` begins it, and Ctrl-C ends it. It stands for any server:
`irollan run --model openai:http://127.0.0.1:8081/v1`.
"""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

import xllamacpp

from language_models.packages import smollm2_path


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", type=Path, default=None, metavar="FILE", help="a GGUF file; SmolLM2 by default")
    parser.add_argument("--port", type=int, default=8081, help="0 for any that is free")
    parser.add_argument("--slots", type=int, default=6, help="requests at once")
    parser.add_argument("--context", type=int, default=2048, help="tokens that each request may take")
    parser.add_argument("--embeddings", action="store_true", help="serve embeddings, for --embedder, and no texts")
    parser.add_argument("--threads", type=int, default=None, help="as many as there are cores by default")
    arguments = parser.parse_args()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(arguments.model or smollm2_path())
    parameters.hostnames, parameters.port = ["127.0.0.1"], arguments.port
    parameters.n_parallel, parameters.n_ctx = arguments.slots, arguments.slots * arguments.context
    if arguments.threads is not None:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = arguments.threads
    if arguments.embeddings:
        parameters.embedding = True
        # A text is read in one batch there.
        parameters.n_batch = parameters.n_ubatch = arguments.context
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_LAST
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    print(f"openai:{server.listening_address}/v1", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
