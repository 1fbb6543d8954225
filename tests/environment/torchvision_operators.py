"""Make a torchvision for CUDA importable with a CPU build of torch.

Otherwise, importing torchvision fails (`operator torchvision::nms does not exist`), and so does importing transformers.
Declaring the operators is enough as long as they are not called. scripts/environment.sh installs this file and a `.pth`
that imports it only if torchvision cannot be imported.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_libraries: list[object] = []  # operators exist as long as their library


class DeclareOperators:
    """A finder that finds no modules, but declares torchvision's operators when torchvision is imported."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Declare the operators before the first import of torchvision."""
        if name == "torchvision" and not _libraries:
            from torch.library import Library

            library = Library("torchvision", "FRAGMENT")
            _libraries.append(library)
            for operator in _OPERATORS:
                library.define(operator)


sys.meta_path.insert(0, DeclareOperators)
