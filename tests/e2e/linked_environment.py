"""Makes a virtual environment with only some requirements, by links to the installed packages.

pip would take a minute to download and unpack them again. Installed versions must match the requirements.
"""

import venv
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def make(folder, requirements):
    """Make a virtual environment with requirements and their dependencies; return its Python."""
    venv.EnvBuilder(symlinks=True).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    for installed in needed(requirements):
        for name in {file.parts[0] for file in installed.files} - {"..", "__pycache__"}:
            if not (site / name).is_symlink():
                (site / name).symlink_to(installed.locate_file(name))
    return folder / "bin" / "python"


def needed(requirements) -> list[Distribution]:
    """Return the distributions that pip would install; fail if the installed version does not match."""
    found, waiting, seen = {}, [one for one in map(Requirement, requirements) if _applies(one)], set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        installed = found.setdefault(name, distribution(name))
        assert requirement.specifier.contains(installed.version, prereleases=True), requirement
        for extra in {"", *requirement.extras} - {extra for other, extra in seen if other == name}:
            seen.add((name, extra))
            waiting += [needs for needs in map(Requirement, installed.requires or ()) if _applies(needs, extra)]
    return [*found.values()]


def _applies(requirement, extra=""):
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})
