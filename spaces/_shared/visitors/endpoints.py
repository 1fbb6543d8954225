"""Visitors' own endpoints, and the check that an address is public.

The key goes with each request from the page to the endpoint; it is in no state, message, file or Python code. A server
that sends requests to any address is a security risk, so a Space offers this only if its environment allows it.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from evaluate_qa.metrics._shared.probes import is_url

from .limits import Refusal, check_length

# IPv6 addresses that a network translates to IPv4.
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class VisitorEndpoint:
    """An endpoint that a visitor entered: base URL, model name, and key if there is one."""

    url: str
    model: str
    key: str | None = field(repr=False)

    @property
    def loading(self) -> dict[str, str]:
        """The options of `load` for the Python code, without the key."""
        return {"endpoint": self.url, "model": self.model}


def given(entered: Sequence[str | None]) -> VisitorEndpoint | None:
    """Return the endpoint from the boxes URL, model and key; None if the URL is empty or there are no boxes.

    Raise Refusal if it cannot be used. The message never contains the key.
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
    if not is_url(url) or not url.isprintable() or " " in url:
        raise Refusal("URL: expected an address such as https://api.example.com/v1.")
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise Refusal("URL: expected an address without user, password and parameters. Enter a key in the box Key.")
    if not model:
        raise Refusal("There is no model. Enter the model's name at the endpoint.")
    if not re.fullmatch(r"[!-~]{0,1000}", key):
        raise Refusal("Key: expected ASCII letters, digits and symbols, without spaces.")
    return VisitorEndpoint(url, model, key or None)


async def public_address(host: str) -> str:
    """Return an address of a host if all its addresses are public.

    Raise ConnectionError otherwise, with a message that does not reveal whether the host has an address.
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
    """Return True if an address is on the internet and is not translated to one that is not."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:  # an address with a zone is local
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
        if inner or ip in _TRANSLATED:
            return is_public(str(inner or ipaddress.IPv4Address(ip.packed[-4:])))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
