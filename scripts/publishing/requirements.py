"""Write the requirements.txt of a Space: the packages of metric and app, in the tested versions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_OTHER_FILE = "-r "


def read_requirements(file: Path) -> Iterator[str]:
    """Yield the lines of a requirements.txt and of the files that it includes with `-r`."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(_OTHER_FILE):
            yield from read_requirements(file.parent / line.removeprefix(_OTHER_FILE))
        else:
            yield line


def pin_requirements(lines: Iterable[str], constraints: str) -> str:
    """Return the text of a requirements.txt: each wanted package, pinned as in the constraints.

    A package has several lines if its version depends on Python's version.
    """
    pins = _by_name(constraints.splitlines())
    text = ""
    for name, requirements in sorted(_by_name(lines).items()):
        if not pins[name]:
            raise ValueError(f"constraints.txt has no version of {name}, which a Space needs. Add a line for it.")
        extras = ",".join(sorted({extra for requirement in requirements for extra in requirement.extras}))
        package = f"{name}[{extras}]" if extras else name
        for pin in pins[name]:
            marker = f" ; {pin.marker}" if pin.marker else ""
            text += f"{package}{pin.specifier}{marker}\n"
    return text


def version(package: str, constraints: str) -> str:
    """Return the version of a package in the constraints."""
    (pin,) = _by_name(constraints.splitlines())[package]
    return str(pin.specifier).removeprefix("==")


def _by_name(lines: Iterable[str]) -> defaultdict[str, list[Requirement]]:
    found: defaultdict[str, list[Requirement]] = defaultdict(list)
    for line in lines:
        if text := line.split("#")[0].strip():
            requirement = Requirement(text)
            found[canonicalize_name(requirement.name)].append(requirement)
    return found
