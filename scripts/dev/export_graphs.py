"""Write the networks of the embedded models as ONNX graphs into metrics/_shared/graphs.xz.b85.

    python -m evaluate_qa.dev.export_graphs

Needs the package onnx. The graphs have no weights: each weight is an external initializer that is named like the tensor
of the torch module, with ".T" after the name of a matrix that is transposed. `tests/metrics/test_graphs.py` compares
the graphs with the torch modules.

The graphs for int8 multiply 8-bit integers in the encoder's linear layers. Each token's values are in proportion to its
largest one, so that they do not depend on the batch; each column of a matrix has a scale, too.
"""

import base64
import itertools
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

from evaluate_qa.metrics._shared import onnx_engine

# The shape of all-MiniLM-L6-v2.
LAYERS, WIDTH, HEADS, WORDS, POSITIONS, TYPES = 6, 384, 12, 30522, 512, 2
SEPARATOR = 102
NORM_EPSILON = 1e-12
# The matcher's head, see metrics/_shared/pair_network.py.
CLASSES, FEATURES, MEAN_EPSILON = 2, 3 * WIDTH + 1, 1e-6

# The first with Gelu; its intermediate representation is read by ONNX Runtime 1.17 and later.
_OPSET, _IR = 20, 9
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_IDS, _MASK, _TYPES = _INPUTS

LEVELS, TINY = 127, 1e-9  # Largest 8-bit integer, and smallest value of a token's largest one.


class _Graph:
    """Builds a graph; values are identified by their names."""

    opsets: Sequence[tuple[str, int]] = [("", _OPSET)]

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: dict[str, onnx.TensorProto] = {}

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operation and return the name of its result."""
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """Return the name of a constant."""
        array = np.array(value, dtype=dtype)
        name = f"{array.dtype}_{'_'.join(map(str, array.reshape(-1)))}_{array.ndim}"
        self._initializers.setdefault(name, onnx.numpy_helper.from_array(array, name))
        return name

    def weight(self, name: str, *shape: int, kind: int = onnx.TensorProto.FLOAT) -> str:
        """Return the name of a weight that the program supplies when it loads the graph."""
        tensor = onnx.TensorProto(name=name, dims=shape, data_type=kind)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="given")
        self._initializers[name] = tensor
        return name

    def linear(self, values: str, name: str, inner: int, outer: int) -> str:
        """Add a linear layer."""
        product = self.add("MatMul", values, self.weight(f"{name}.weight.T", inner, outer))
        return self.add("Add", product, self.weight(f"{name}.bias", outer))

    def norm(self, values: str, name: str) -> str:
        """Add a layer normalization."""
        scale, shift = (self.weight(f"{name}.{part}", WIDTH) for part in ("weight", "bias"))
        return self.add("LayerNormalization", values, scale, shift, axis=-1, epsilon=NORM_EPSILON)

    def model(self, output: str, width: int) -> bytes:
        """Return the serialized graph."""
        opsets = [helper.make_opsetid(*opset) for opset in self.opsets]
        self._nodes.append(helper.make_node("Identity", [output], ["output"]))
        graph = helper.make_graph(
            self._nodes,
            "graph",
            [helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["batch", "tokens"]) for name in _INPUTS],
            [helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, ["batch", width])],
            initializer=list(self._initializers.values()),
        )
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR)
        model.producer_name = "evaluate-qa"
        written: bytes = model.SerializeToString(deterministic=True)
        return written


class _Int8Graph(_Graph):
    """Multiplies 8-bit integers in the encoder's linear layers."""

    opsets = (*_Graph.opsets, ("com.microsoft", 1))

    def __init__(self) -> None:
        super().__init__()
        self._scaled: dict[str, tuple[str, str]] = {}

    def linear(self, values: str, name: str, inner: int, outer: int) -> str:
        if ".layer." not in f".{name}":
            return super().linear(values, name, inner, outer)
        step, zero = self.constant(1 / LEVELS, np.float32), self.constant(LEVELS + 1, np.uint8)
        integers, largest = self._integers(values, step, zero)
        weights = self.weight(f"{name}.weight.T", inner, outer, kind=onnx.TensorProto.INT8)
        scale = self.weight(f"{name}.weight.scale", outer)
        product = self.add("MatMulIntegerToFloat", integers, weights, step, scale, zero, domain="com.microsoft")
        return self.add("Add", self.add("Mul", product, largest), self.weight(f"{name}.bias", outer))

    def _integers(self, values: str, step: str, zero: str) -> tuple[str, str]:
        """Return the values as integers in proportion to each token's largest one, and that one."""
        if values not in self._scaled:
            largest = self.add("ReduceMax", self.add("Abs", values), self.constant([-1]), keepdims=1)
            largest = self.add("Max", largest, self.constant(TINY, np.float32))
            integers = self.add("QuantizeLinear", self.add("Div", values, largest), step, zero)
            self._scaled[values] = integers, largest
        return self._scaled[values]


def minilm(kind: type[_Graph] = _Graph) -> bytes:
    """Return the graph of all-MiniLM-L6-v2: unit vectors, shape (batch, width)."""
    graph = kind()
    states = _encoder(graph, "", first_only=False)[-1]
    mask = graph.add("Unsqueeze", graph.add("Cast", _MASK, to=onnx.TensorProto.FLOAT), graph.constant([1]))
    # The mean of the tokens' states has the direction of their sum.
    total = graph.add("Squeeze", graph.add("MatMul", mask, states), graph.constant([1]))
    length = graph.add("ReduceL2", total, graph.constant([-1]), keepdims=1)
    length = graph.add("Max", length, graph.constant(1e-12, np.float32))
    return graph.model(graph.add("Div", total, length), WIDTH)


def matcher(kind: type[_Graph] = _Graph) -> bytes:
    """Return the graph of the matcher's network with one head: logits, shape (batch, classes)."""
    graph = kind()
    below, states = _encoder(graph, "bert.", first_only=True)[-2:]
    first_state = graph.add("Squeeze", states, graph.constant([1]))
    p = graph.add("Tanh", graph.linear(first_state, "bert.pooler.dense", WIDTH, WIDTH))
    u, v = (_scaled_mean(graph, below, side) for side in _sides(graph))
    product = graph.add("Mul", u, v)
    cosine = graph.add("ReduceMean", product, graph.constant([-1]), keepdims=1)
    cosine = graph.add("Mul", cosine, graph.constant(10, np.float32))
    difference = graph.add("Abs", graph.add("Sub", u, v))
    features = graph.add("Concat", p, difference, product, cosine, axis=-1)
    return graph.model(graph.linear(features, "classifier", FEATURES, CLASSES), CLASSES)


def _encoder(graph: _Graph, prefix: str, first_only: bool) -> list[str]:
    """Return the states before and after each layer; with `first_only` the last holds only the first token."""
    embeddings = f"{prefix}embeddings."
    words = graph.add("Gather", graph.weight(f"{embeddings}word_embeddings.weight", WORDS, WIDTH), _IDS)
    types = graph.add("Gather", graph.weight(f"{embeddings}token_type_embeddings.weight", TYPES, WIDTH), _TYPES)
    length, zero = graph.add("Shape", _IDS, start=1, end=2), graph.constant([0])
    positions = graph.weight(f"{embeddings}position_embeddings.weight", POSITIONS, WIDTH)
    places = graph.add("Slice", positions, zero, length, zero)
    states = graph.norm(graph.add("Add", graph.add("Add", words, types), places), f"{embeddings}LayerNorm")
    mask = graph.add("Cast", _MASK, to=onnx.TensorProto.FLOAT)
    mask = graph.add("Mul", graph.add("Sub", mask, graph.constant(1, np.float32)), graph.constant(1e30, np.float32))
    mask = graph.add("Unsqueeze", mask, graph.constant([1, 2]))
    found = [states]
    for number in range(LAYERS):
        last = first_only and number == LAYERS - 1
        one = graph.constant([1])
        queries = graph.add("Slice", states, zero, one, one) if last else states
        states = _layer(graph, f"{prefix}encoder.layer.{number}.", states, queries, mask)
        found.append(states)
    return found


def _layer(graph: _Graph, prefix: str, states: str, queries: str, mask: str) -> str:
    """Return the states of the queries after a layer that attends to all states."""
    attention = f"{prefix}attention."

    def heads(values: str, name: str, order: Sequence[int]) -> str:
        projected = graph.linear(values, f"{attention}self.{name}", WIDTH, WIDTH)
        split = graph.add("Reshape", projected, graph.constant([0, 0, HEADS, WIDTH // HEADS]))
        return graph.add("Transpose", split, perm=order)

    query = heads(queries, "query", [0, 2, 1, 3])
    query = graph.add("Mul", query, graph.constant((WIDTH // HEADS) ** -0.5, np.float32))
    scores = graph.add("MatMul", query, heads(states, "key", [0, 2, 3, 1]))
    weights = graph.add("Softmax", graph.add("Add", scores, mask), axis=-1)
    read = graph.add("MatMul", weights, heads(states, "value", [0, 2, 1, 3]))
    read = graph.add("Reshape", graph.add("Transpose", read, perm=[0, 2, 1, 3]), graph.constant([0, 0, WIDTH]))
    read = graph.linear(read, f"{attention}output.dense", WIDTH, WIDTH)
    states = graph.norm(graph.add("Add", read, queries), f"{attention}output.LayerNorm")
    inner = graph.add("Gelu", graph.linear(states, f"{prefix}intermediate.dense", WIDTH, 4 * WIDTH))
    outer = graph.linear(inner, f"{prefix}output.dense", 4 * WIDTH, WIDTH)
    return graph.norm(graph.add("Add", outer, states), f"{prefix}output.LayerNorm")


def _sides(graph: _Graph) -> tuple[str, str]:
    """Return masks of the tokens of the first and of the second text, each of shape (batch, tokens)."""
    ends = graph.add("Equal", _IDS, graph.constant(SEPARATOR))
    second = graph.add("Equal", _TYPES, graph.constant(1))
    # The first token is [CLS], which belongs to neither text.
    rank = graph.add("CumSum", _MASK, graph.constant(1))
    inside = graph.add("And", graph.add("Cast", _MASK, to=onnx.TensorProto.BOOL), graph.add("Not", ends))
    inside = graph.add("And", inside, graph.add("Greater", rank, graph.constant(1)))
    first = graph.add("And", inside, graph.add("Not", second))
    ended = graph.add("Cast", graph.add("And", ends, second), to=onnx.TensorProto.INT64)
    ended = graph.add("CumSum", ended, graph.constant(1))
    return first, graph.add("And", second, graph.add("Equal", ended, graph.constant(0)))


def _scaled_mean(graph: _Graph, states: str, chosen: str) -> str:
    """Return the mean of the chosen tokens' states, scaled to a mean square of 1, or 0 without chosen tokens."""
    weights = graph.add("Cast", chosen, to=onnx.TensorProto.FLOAT)
    total = graph.add("MatMul", graph.add("Unsqueeze", weights, graph.constant([1])), states)
    count = graph.add("ReduceSum", weights, graph.constant([-1]), keepdims=1)
    count = graph.add("Max", count, graph.constant(1, np.float32))
    mean = graph.add("Div", graph.add("Squeeze", total, graph.constant([1])), count)
    square = graph.add("ReduceMean", graph.add("Mul", mean, mean), graph.constant([-1]), keepdims=1)
    square = graph.add("Add", square, graph.constant(MEAN_EPSILON, np.float32))
    return graph.add("Div", mean, graph.add("Sqrt", square))


def graphs() -> dict[str, bytes]:
    """Return all graphs by name."""
    return {
        "matcher": matcher(),
        "minilm": minilm(),
        "matcher-int8": matcher(_Int8Graph),
        "minilm-int8": minilm(_Int8Graph),
    }


def file_text(models: dict[str, bytes]) -> str:
    """Return the text of the file: name, start and end of each graph; on the last line, all graphs (LZMA in base85)."""
    ends = itertools.accumulate(map(len, models.values()))
    lines = [f"{name}\t{end - len(model)}\t{end}" for (name, model), end in zip(models.items(), ends, strict=True)]
    text = base64.b85encode(lzma.compress(b"".join(models.values()), preset=9 | lzma.PRESET_EXTREME)).decode()
    return "\n".join([*lines, text, ""])


if __name__ == "__main__":
    file = Path(onnx_engine.__file__).with_name("graphs.xz.b85")
    file.write_text(file_text(graphs()), encoding="utf-8")
    print(f"wrote {file} ({file.stat().st_size / 1024:.0f} KB)")
