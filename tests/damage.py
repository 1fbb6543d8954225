"""What disks do to files: damage, no room, no permission. It is no test itself."""

import os
import resource
from contextlib import contextmanager

NOBODY = 65534


def flip(content, position):
    """The bytes with one bit changed, another one at each position."""
    return content[:position] + bytes([content[position] ^ 1 << position % 8]) + content[position + 1 :]


@contextmanager
def no_room(size):
    """No file of this process may grow beyond so many bytes, as if the disk were full then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def without_privileges():
    """Permissions hold, for root too."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
