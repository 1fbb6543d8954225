"""A visitor's own endpoint: what is entered of it, what of that is refused, and where it may be.

The key goes with each request from the page, where it was typed, to the endpoint. It is in no state, message, file or
Python line. A server that sends requests wherever visitors want is a hole in the wall around it: hence a Space has this
only where its environment says so, and then, unless that says more, for addresses of the internet alone.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .limits import Refusal, check_length

# IPv6 that leads to an IPv4 address by a translator of the network.
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class VisitorEndpoint:
    """What a visitor has given.

    Args:
        url: The base URL.
        model: The model's name there.
        key: The key; None where it needs none.
    """

    url: str
    model: str
    key: str | None = field(repr=False)

    @property
    def told(self) -> dict[str, str]:
        """What may be told of it."""
        return {"endpoint": self.url, "model": self.model}


def given(entered: Sequence[str | None]) -> VisitorEndpoint | None:
    """Return what was entered as URL, model and key; None if the URL is empty, or no box is there.

    Raises:
        Refusal: it cannot be used; the message never has the key.
    """
    if not entered:
        return None
    if not all(isinstance(text, (str, type(None))) for text in entered):
        raise Refusal("URL, model and key: expected texts.")
    url, model, key = ((text or "").strip() for text in entered)
    if not url:
        return None
    check_length("URL", url)
    check_length("Model", model)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise Refusal("URL: expected an address such as https://api.example.com/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise Refusal("URL: expected an address without user, password and parameters. A key goes into the box Key.")
    if not model:
        raise Refusal("There is no model. Enter the model's name at the endpoint.")
    if not re.fullmatch(r"[!-~]{0,1000}", key):
        raise Refusal("Key: expected ASCII letters, digits and symbols, without spaces.")
    return VisitorEndpoint(url, model, key or None)


async def public_address(host: str) -> str:
    """Return an address of a host, all of whose addresses are of the internet.

    Raises:
        ConnectionError: it has none, or one that is not; which, is not said.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    addresses = [str(where[0]) for *_, where in found]
    if not addresses or not all(map(is_public, addresses)):
        raise ConnectionError(f"{host[:100]} is not a public internet address")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an address is one of the internet, and no way to one that is not."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:  # with a zone: it is of the local network
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
        if inner or ip in _TRANSLATED:
            return is_public(str(inner or ipaddress.IPv4Address(ip.packed[-4:])))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
