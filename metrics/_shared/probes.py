"""Look whether packages, files and folders exist, without importing or opening them."""

import os
import sys
from importlib.util import find_spec
from urllib.parse import urlsplit


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    if package in sys.modules:  # a test's stub without a specification, for which find_spec would raise ValueError
        return sys.modules[package] is not None
    return find_spec(package) is not None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file exists; unlike `Path.is_file`, False for a text that is too long for a path."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder exists; False for a text that is too long for a path."""
    return os.path.isdir(path)  # noqa: PTH112


def is_url(url: str) -> bool:
    """Return whether a URL has a scheme of HTTP, a host, and a valid port if any."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # such as port 99999
        return False
