"""Simulates disks: damaged files, full disks, missing permissions."""

import os
import resource
from contextlib import contextmanager

NOBODY = 65534


def flip(content, position):
    """Return the bytes with one bit flipped at a position."""
    return content[:position] + bytes([content[position] ^ 1 << position % 8]) + content[position + 1 :]


def change_weights(file, changes):
    """Replace tensors of a file by name; None deletes one."""
    from safetensors.torch import load_file, save_file

    tensors = {name: values for name, values in (load_file(file) | changes).items() if values is not None}
    save_file(tensors, file, metadata={"format": "pt"})


@contextmanager
def no_room(size):
    """Limit files of this process to a size in bytes, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def without_privileges():
    """Apply permissions to root, too."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
