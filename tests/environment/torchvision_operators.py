"""Make a torchvision for CUDA importable with a CPU build of torch.

Otherwise, importing torchvision fails (`operator torchvision::nms does not exist`), and so does importing transformers.
Declaring the operators is enough as long as they are not called. scripts/environment.sh installs this file and a `.pth`
that imports it only if torchvision cannot be imported.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_libraries: list[object] = []  # operators exist as long as their library


class DeclareOperators:
    """Finds torchvision, and declares its operators before it runs.

    Programs that only look for torchvision, such as `import datasets`, do not import torch.
    """

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of torchvision; leave other modules to other finders."""
        spec = PathFinder.find_spec(name, path, target) if name == "torchvision" else None
        if spec and spec.loader:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                _declare()
                run(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _declare() -> None:
    if not _libraries:
        from torch.library import Library

        library = Library("torchvision", "FRAGMENT")
        _libraries.append(library)
        for operator in _OPERATORS:
            library.define(operator)


sys.meta_path.insert(0, DeclareOperators)
