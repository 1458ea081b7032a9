"""A process that holds weights for :mod:`fairviz.experiments.components.llama` and answers line by line.

The first line says which weights; every further one is a chat completion, answered by one line. It is run by its path
and imports nothing of fairviz. It ends with its input, so that it never outlives who began it.
"""

import json
import os
import secrets
import signal
import sys
from importlib import import_module
from typing import Any, TextIO


def main() -> None:
    """Answer lines until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: who began us decides
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)  # llama.cpp writes its log there
    try:
        server = _server(json.loads(sys.stdin.readline()))
    except Exception as error:
        _say({"error": str(error) or type(error).__name__}, out)
        return
    _say({}, out)
    for line in sys.stdin:
        try:
            said = server.handle_chat_completions({**json.loads(line), "cache_prompt": False})
        except Exception as error:
            said = {"error": {"message": str(error) or type(error).__name__}}
        _say(said, out)


def _server(settings: dict[str, Any]) -> Any:
    xllamacpp: Any = import_module("xllamacpp")  # it has no types
    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["file"]
    parameters.model_alias = {settings["model"]}  # else answers carry the path
    parameters.n_ctx = settings["context"]
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.n_gpu_layers = 0
    parameters.cache_ram_mib = 0
    parameters.verbosity = -1
    # It listens on a port of this machine, which we have no use for: nobody knows the key.
    parameters.api_keys = [secrets.token_hex()]
    return xllamacpp.Server(parameters)


def _say(said: object, out: TextIO) -> None:
    out.write(json.dumps(said) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
