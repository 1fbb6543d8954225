"""Posts JSON to a server: bounded in time and in size, and repeated, ever later, after what passes."""

import asyncio
import base64
import json
import math
import random
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

# What passes: a timeout, a conflict, too many requests; and all of 5xx.
_PASSING = frozenset({408, 409, 429, *range(500, 600)})

# In seconds. Whoever is told to wait longer than the last gives up.
_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_TOLD_WAIT = 0.5, 8.0, 120.0

# In bytes; a token with twenty candidates takes some two thousand.
_LARGEST_REPLY = 16 * 2**20

_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV

Resolve = Callable[[str], Awaitable[str]]
"""Gives the address of a host."""


class PostError(Exception):
    """Why a server did not take what was posted.

    Attributes:
        status: Its status, or the code of the error that came in place of an answer; None if there was no whole reply.
        passes: Whether it may take it later.
        wait: Seconds for which it asks to be left alone.
    """

    def __init__(self, told: str, status: int | None = None, passes: bool = False, wait: float | None = None) -> None:
        super().__init__(told)
        self.status, self.passes, self.wait = status, passes, wait


class Client:
    """Posts to one address, over connections that stay open; an asynchronous context.

    Args:
        url: The address.
        key: What is sent as bearer token; None sends none.
        timeout: Seconds from the start of a request to the last byte of its reply.
        max_retries: How often a request is repeated.
        resolve: Gives the address of a host, or raises OSError; then a request goes there, by no proxy, and is not
            redirected. None leaves that to the system and the server.
    """

    def __init__(
        self, url: str, key: str | None, timeout: float, max_retries: int, resolve: Resolve | None = None
    ) -> None:
        self.url, self.timeout, self.max_retries, self._resolve = url, timeout, max_retries, resolve
        self._headers = {"Content-Type": "application/json"}
        if key and urlsplit(url).username is None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._proxy = _proxy(url) if resolve is None else None
        self._key = key

    @property
    def secrets(self) -> list[str]:
        """What nobody is to be told: the key; user and password of the address and of the proxy."""
        return [*([self._key] if self._key else []), *_credentials(self.url), *_credentials(self._proxy or "")]

    async def __aenter__(self) -> "Client":
        import aiohttp

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=_certificates(), resolver=_resolver(self._resolve)),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self.timeout),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def post(self, body: Mapping[str, Any]) -> bytes:
        """Return the reply to a request.

        Raises:
            PostError: there is none, also after all repetitions.
        """
        sent = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        repeated = 0
        while True:
            try:
                return await self._post(sent)
            except PostError as error:
                wait = waited(repeated, error.wait)
                if repeated == self.max_retries or not error.passes or wait is None:
                    raise
            await asyncio.sleep(wait)
            repeated += 1

    async def _post(self, sent: bytes) -> bytes:
        import aiohttp

        try:
            if self._resolve is not None:  # aiohttp takes an address in place of a name without asking
                await asyncio.wait_for(self._resolve(urlsplit(self.url).hostname or ""), self.timeout)
            free = self._resolve is None
            async with self._session.post(self.url, data=sent, proxy=self._proxy, allow_redirects=free) as reply:
                content = await _whole(reply.content)
        except TimeoutError:
            raise PostError(f"no whole reply in {self.timeout:g} s", passes=True) from None
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            # Not with its text: that may be the proxy's address, with a password.
            told = "the address, or that of a proxy or a redirection, is no URL that can be used"
            raise PostError(f"not sent: {told} ({type(error).__name__})") from None
        except aiohttp.ClientResponseError as error:  # its text has the address, with a password where that is a proxy
            told = f"{type(error).__name__}: {error.status} {error.message}"
            raise PostError(f"no whole reply: {told}", passes=True) from None
        except (aiohttp.ClientError, OSError) as error:
            passes = not isinstance(error, aiohttp.ClientConnectorCertificateError)
            raise PostError(f"no whole reply: {type(error).__name__}: {error}", passes=passes) from error
        except ValueError as error:  # such as a key that no header can hold
            raise PostError(f"not sent: {error}") from error
        failure = _failure(reply.status, content, reply.reason)
        if failure is None:
            return content
        status, told = failure
        raise PostError(told, status, status in _PASSING, asked_for(reply.headers))


def _failure(status: int, content: bytes, reason: str | None) -> tuple[int | None, str] | None:
    """Return the status of what is no answer, or the code of an error that comes with status 200, and what to tell."""
    if status >= 300:  # noqa: PLR2004
        return status, f"status {status}: {content.decode(errors='replace') or reason}"
    if b'"error"' not in content:
        return None
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        return None
    error = reply.get("error") if isinstance(reply, dict) and not reply.get("choices") else None
    if not error:
        return None
    of = error if isinstance(error, dict) else {"message": error}
    code = int(of["code"]) if re.fullmatch("[1-9][0-9]{2}", str(of.get("code"))) else None
    told = of.get("message") or json.dumps(error, ensure_ascii=False)
    return code, f"error{'' if code is None else f' {code}'} in place of an answer: {told}"


def waited(repeated: int, told: float | None) -> float | None:
    """Return for how many seconds to wait before the next repetition; None if it is too long.

    That is what the server told, else min(0.5 · 2ʳ, 8) after r repetitions, less up to a quarter of it at random, so
    that not all come back at once.
    """
    if told is not None and told > 0:
        return told if told <= _LONGEST_TOLD_WAIT else None
    return min(_FIRST_WAIT * 2.0 ** min(repeated, 10), _LONGEST_WAIT) * random.uniform(0.75, 1)


def asked_for(headers: Mapping[str, str]) -> float | None:
    """Return the seconds for which a server asks to be left alone: by Retry-After-Ms, or Retry-After in either form."""
    for name, seconds in (("Retry-After-Ms", 1e-3), ("Retry-After", 1.0)):
        try:
            told = float(headers[name]) * seconds
        except (KeyError, ValueError):
            continue
        return None if math.isnan(told) else told
    try:
        return parsedate_to_datetime(headers["Retry-After"]).timestamp() - time.time()
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _resolver(resolve: Resolve | None) -> Any:
    """Return what aiohttp asks for the address of a name; None for its own."""
    if resolve is None:
        return None
    from aiohttp.abc import AbstractResolver, ResolveResult

    find: Resolve = resolve

    class Resolver(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
            address = await find(host)
            kind = socket.AF_INET6 if ":" in address else socket.AF_INET
            found = ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=_NUMERIC)
            return [found]

        async def close(self) -> None:
            pass

    return Resolver()


async def _whole(content: Any) -> bytes:
    """Return all that comes, unpacked: a small reply may turn out to be a large one."""
    read = bytearray()
    async for part in content.iter_any():
        read += part
        if len(read) > _LARGEST_REPLY:
            raise PostError(f"the reply is larger than {_LARGEST_REPLY // 2**20} MB")
    return bytes(read)


def _proxy(url: str) -> str | None:
    """Return by which proxy an address is reached, as the environment or the system has it."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = None if proxy_bypass(parts.hostname or "") else proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _credentials(url: str) -> list[str]:
    """Return user and password of an address, and what of them is sent."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    user, password = parts.username or "", parts.password or ""
    sent = base64.b64encode(unquote(f"{user}:{password}").encode("latin-1", "replace")).decode()
    return [secret for secret in (user, password, sent) if secret] if user or password else []


@cache
def _certificates() -> ssl.SSLContext:
    """Return the certificates that are trusted: the system's, or SSL_CERT_FILE; certifi's where there are none."""
    import certifi

    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(certifi.where())
    return context
