"""requirements.txt of a Space: what metric and app need, in the versions that the tests ran with."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_OTHER_FILE = "-r "


def wanted(file: Path) -> Iterator[str]:
    """Yield the lines of a requirements.txt, and those of the files that it names with `-r`, as pip reads them."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(_OTHER_FILE):
            yield from wanted(file.parent / line.removeprefix(_OTHER_FILE))
        else:
            yield line


def pinned(lines: Iterable[str], constraints: str) -> str:
    """Return the text of a requirements.txt: each package that is wanted, pinned as in the constraints.

    A package has several lines where its version depends on Python's; their markers are kept.

    Args:
        lines: What is wanted, as in a requirements.txt.
        constraints: Text of a constraints file.

    Raises:
        ValueError: a package is not pinned, or not to a version that is wanted.
    """
    pins = _by_name(constraints.splitlines())
    text = ""
    for name, requirements in sorted(_by_name(lines).items()):
        if not pins[name]:
            raise ValueError(f"constraints.txt has no version of {name}, which a Space needs; add a line for it")
        extras = ",".join(sorted({extra for requirement in requirements for extra in requirement.extras}))
        package = f"{name}[{extras}]" if extras else name
        for pin in pins[name]:
            for requirement in requirements:
                _check(pin, requirement)
            marker = f" ; {pin.marker}" if pin.marker else ""
            text += f"{package}{pin.specifier}{marker}\n"
    return text


def version(package: str, constraints: str) -> str:
    """Return the one version that the constraints have of a package."""
    (pin,) = _by_name(constraints.splitlines())[package]
    return str(pin.specifier).removeprefix("==")


def _by_name(lines: Iterable[str]) -> defaultdict[str, list[Requirement]]:
    found: defaultdict[str, list[Requirement]] = defaultdict(list)
    for requirement in _requirements(lines):
        found[canonicalize_name(requirement.name)].append(requirement)
    return found


def _requirements(lines: Iterable[str]) -> Iterator[Requirement]:
    for line in lines:
        if text := line.split("#")[0].strip():
            yield Requirement(text)


def _check(pin: Requirement, requirement: Requirement) -> None:
    version = str(pin.specifier).removeprefix("==")
    if not requirement.specifier.contains(version, prereleases=True):
        raise ValueError(f"constraints.txt has {pin}, but a Space needs {requirement}; renew the constraints")
