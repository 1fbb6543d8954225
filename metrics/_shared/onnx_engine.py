"""Run an embedded ONNX graph with given weights on ONNX Runtime, in float32 or in 8 bits."""

import base64
import ctypes
import lzma
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from .devices import default_threads
from .engines import PairIds, Template, Tokens, pad_batch

Tensors = Mapping[str, NDArray[np.float32]]

# Written by `python -m evaluate_qa.dev.export_graphs`: a line for each graph, then all graphs, compressed together with
# LZMA because they are much alike, in base85.
*_LINES, _TEXT = Path(__file__).with_name("graphs.xz.b85").read_text(encoding="utf-8").splitlines()
GRAPHS = {name: (int(start), int(end)) for name, start, end in map(str.split, _LINES)}
"""Name of a graph -> its start and end in the uncompressed text."""

# Layers whose matrices are transposed in the graphs.
_TRANSPOSED = ("dense.weight", "query.weight", "key.weight", "value.weight", "classifier.weight")


_LEVELS, _TINY = 127, 1e-12  # Largest 8-bit integer, and smallest scale.


class OnnxEngine:
    """Runs a BERT network on a CPU in float32 or int8.

    `graph` names an embedded graph, which has no weights; the weights have torch's names and shapes. The tokenizer's
    file is a `tokenizer.json` with BERT's special tokens.
    """

    def __init__(
        self, graph: str, tensors: Tensors, tokenizer_file: Path, num_threads: int | None = None, dtype: str = "float32"
    ) -> None:
        from tokenizers import Tokenizer

        threads = num_threads or default_threads()
        # Measured on an AMD EPYC with one thread: 512 tokens are 1.03 to 1.06 times as fast as 1,024.
        self.token_budget = 512 if threads == 1 else 1024
        weights: Mapping[str, NDArray[Any]] = graph_weights(tensors)
        if dtype == "int8":
            graph, weights = f"{graph}-int8", quantize(weights)
        self._session = _start_session(read_graph(graph), weights, threads)
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def token_ids(self, texts: list[str], special: bool = True) -> list[list[int]]:
        """Return the token ids of texts; the name of a special token in a text means the token."""
        encoded = self._tokenizer.encode_batch_fast(texts, add_special_tokens=special)
        return [encoding.ids for encoding in encoded]

    def run_ids(self, inputs: Sequence[PairIds]) -> NDArray[np.float32]:
        """Run the network on one batch of token ids and types."""
        try:
            outputs: NDArray[np.float32] = self._session.run(None, pad_batch(inputs))[0]
        except Exception as error:
            if "alloc" in str(error):  # ONNX Runtime has no exception class for it
                raise MemoryError(str(error)) from error
            raise
        return outputs


class OnnxPairEngine(OnnxEngine):
    """The matcher's network with one of its heads."""

    def __init__(
        self, tensors: Tensors, tokenizer_file: Path, num_threads: int | None = None, dtype: str = "float32"
    ) -> None:
        super().__init__("matcher", tensors, tokenizer_file, num_threads, dtype)
        self._tokenizer.encode_special_tokens = True
        whole = self._tokenizer.encode("a", "b").ids
        self.template = Template.of(self.token_ids(["a", "b"], special=False), whole, whole[-1])

    def tokenize(self, texts: list[str]) -> list[Tokens]:
        """Return the tokens of texts, without special tokens; the name of a special token in a text is text."""
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [Tokens(encoding.ids, encoding.offsets) for encoding in encoded]

    run = OnnxEngine.run_ids


def read_graph(name: str) -> bytes:
    """Return a graph: "matcher" or "minilm", perhaps with "-int8"."""
    start, end = GRAPHS[name]
    return lzma.decompress(base64.b85decode(_TEXT))[start:end]


def graph_weights(tensors: Tensors) -> dict[str, NDArray[np.float32]]:
    """Return the tensors with the graphs' names, and with transposed matrices."""
    return {
        f"{name}.T" if name.endswith(_TRANSPOSED) else name: np.ascontiguousarray(
            values.T if name.endswith(_TRANSPOSED) else values
        )
        for name, values in tensors.items()
    }


def quantize(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Return the graphs' weights with 8-bit integers and scales for the matrices of the encoder's layers.

    The integers of a column are in proportion to its largest weight: w = scale * integer, and |integer| <= 127.
    """
    found: dict[str, NDArray[Any]] = dict(weights)
    for name, matrix in weights.items():
        if ".layer." in name and name.endswith(".T"):
            scale = np.maximum(np.abs(matrix).max(axis=0), _TINY) / _LEVELS
            found[name] = np.round(matrix / scale).astype(np.int8)
            found[f"{name.removesuffix('.T')}.scale"] = scale.astype(np.float32)
    return found


def _start_session(graph: bytes, weights: Mapping[str, NDArray[Any]], threads: int) -> Any:
    # ONNX Runtime 1.29 and later report to Microsoft. A program that imported it earlier has decided for itself.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only
    options.enable_mem_pattern = False  # it would keep a memory plan for every batch shape
    # Spinning threads take CPU time from other processes and from a container's quota.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(values) for values in weights.values()]
    options.add_external_initializers(list(weights), values)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    if threads > 1:
        _SESSIONS.add(session)
    return session


_SESSIONS: WeakSet[Any] = WeakSet()  # those with threads


def _keep_sessions() -> None:
    """In a forked process, never delete a session: this would wait forever for its threads, which are the parent's."""
    for session in _SESSIONS:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_sessions)
