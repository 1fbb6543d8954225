"""Make torchvision importable beside a CPU build of torch where the only torchvision is built for CUDA.

Such a torchvision fails at its import (`operator torchvision::nms does not exist`), and transformers and evaluate,
which import it where it is installed, fail with it. Declaring the operators beforehand is enough for everything but
calling them. scripts/environment.sh puts this file and a `.pth` that imports it into the virtual environment where
that is so; users whose torch and torchvision match need nothing.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_libraries: list[object] = []  # an operator lives as long as the library that declared it


class DeclareOperators:
    """A finder that finds nothing, but declares torchvision's operators when torchvision is looked for."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Declare the operators before the first import of torchvision; leave the finding to others."""
        if name == "torchvision" and not _libraries:
            from torch.library import Library

            library = Library("torchvision", "FRAGMENT")
            _libraries.append(library)
            for operator in _OPERATORS:
                library.define(operator)


sys.meta_path.insert(0, DeclareOperators)
