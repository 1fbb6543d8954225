"""Post JSON to a server, with a limit on time and size, and retries with exponential backoff."""

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
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

# Transient statuses: timeout, conflict, too many requests, server errors other than "not implemented".
_UNAUTHORIZED, _TOO_MANY_REQUESTS = 401, 429
_TRANSIENT = frozenset({408, 409, _TOO_MANY_REQUESTS, *range(500, 600)} - {501})

# In seconds. A server that asks for a longer wait than the last value is not retried.
_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_RETRY_AFTER = 0.5, 8.0, 120.0

# In bytes. A token with twenty candidates has about two thousand.
_LARGEST_REPLY, _LARGEST_FILE = 16 * 2**20, 2**30

_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV

Resolve = Callable[[str], Awaitable[str]]
"""Returns the address of a host."""


class PostError(Exception):
    """A request failed.

    `status` is the HTTP status of the reply, or the error code in its body; None without a complete reply. If the error
    is `transient`, a retry may succeed. `wait` is the number of seconds that the server asks clients to wait.
    """

    def __init__(
        self, message: str, status: int | None = None, transient: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.transient, self.wait = status, transient, wait


class Client:
    """An asynchronous context manager that posts to one URL over connections that stay open.

    Args:
        url: The URL.
        key: The bearer token; None for no token.
        timeout: Seconds from the start of a request to the last byte of its reply.
        max_retries: Number of retries.
        resolve: Returns the address of a host, or raises OSError. Requests then go to this address without a proxy, and
            are not redirected. By default, the system and the server decide.

    Attributes:
        secrets: The key, and the users and passwords of the URL and the proxy.
    """

    def __init__(
        self, url: str, key: str | None, timeout: float, max_retries: int, resolve: Resolve | None = None
    ) -> None:
        self.url, self.timeout, self.max_retries, self._resolve = url, timeout, max_retries, resolve
        self._headers: dict[str, str] = {}
        if key and urlsplit(url).username is None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._proxy = _proxy(url) if resolve is None else None
        self.secrets = [*([key] if key else []), *_credentials(url), *_credentials(self._proxy or "")]

    async def __aenter__(self) -> "Client":
        import aiohttp

        resolver = _resolver(self._resolve) if self._resolve else None
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=_certificates(), resolver=resolver),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=self.timeout),
        )
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._session.close()

    async def post(self, body: Mapping[str, Any]) -> bytes:
        """Return the reply to a request; raise PostError if the request and all retries failed."""
        sent = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        return await self.request("POST", lambda: sent, headers={"Content-Type": "application/json"})

    async def request(
        self,
        method: str,
        content: Callable[[], Any] | None = None,
        is_file: bool = False,
        repeatable: bool = True,
        **more: Any,
    ) -> bytes:
        """Return the reply to a request with any method; raise PostError if it and all retries failed.

        `content` returns the content for each attempt. `is_file` allows a large reply that may contain anything. Unless
        `repeatable`, there is no retry if the server may have carried out the request. `more` are headers, and
        parameters of the URL.
        """
        retries = 0
        while True:
            try:
                return await self._request(method, content() if content else None, is_file, more)
            except PostError as error:
                wait = backoff_seconds(retries, error.wait)
                transient = error.transient and (repeatable or error.status == _TOO_MANY_REQUESTS)
                if retries == self.max_retries or not transient or wait is None:
                    raise
            await asyncio.sleep(wait)
            retries += 1

    async def _request(self, method: str, sent: Any, is_file: bool, more: Mapping[str, Any]) -> bytes:
        import aiohttp

        try:
            if self._resolve is not None:  # aiohttp does not call it for an address
                await asyncio.wait_for(self._resolve(urlsplit(self.url).hostname or ""), self.timeout)
            free = self._resolve is None
            given = {"data": sent, "proxy": self._proxy, "allow_redirects": free, **more}
            async with self._session.request(method, self.url, **given) as reply:
                content = await _unpack(reply.content, _LARGEST_FILE if is_file else _LARGEST_REPLY)
        except TimeoutError:
            raise PostError(f"no complete reply in {self.timeout:g} s", transient=True) from None
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            # Without the error's text, which may have the proxy's URL with a password.
            message = "the URL of the server, a proxy or a redirection is not valid"
            raise PostError(f"not sent: {message} ({type(error).__name__})") from None
        except aiohttp.ClientResponseError as error:  # its text has the URL, with a password if it is a proxy
            message = f"{type(error).__name__}: {error.status} {error.message}"
            raise PostError(f"no complete reply: {message}", transient=True) from None
        except (aiohttp.ClientError, OSError) as error:
            why = f"no complete reply: {type(error).__name__}: {error}"
            if isinstance(error, aiohttp.ClientConnectorError) and not isinstance(error, aiohttp.ClientSSLError):
                at = f"{error.host}:{error.port}"
                why = f"cannot connect to {at} ({error.strerror}); start the server, or correct its URL"
            transient = not isinstance(error, aiohttp.ClientConnectorCertificateError)
            raise PostError(why, transient=transient) from error
        except ValueError as error:  # such as a key with characters that a header cannot have
            raise PostError(f"not sent: {error}") from error
        failed = None if is_file and reply.ok else failure(reply.status, content, reply.reason)
        if failed is None:
            if not is_file and content.startswith(b"{") and not content.rstrip().endswith(b"}"):
                raise PostError(
                    f"the reply is not complete JSON: {content.decode(errors='replace'):.80}", transient=True
                )
            return content
        status, message = failed
        if status == _UNAUTHORIZED and not self.secrets:
            message += "; no key was sent: set the environment variable OPENAI_API_KEY"
        raise PostError(message, status, status in _TRANSIENT, retry_after(reply.headers))


def failure(status: int, content: bytes, reason: str | None) -> tuple[int | None, str] | None:
    """Return the status (or, with status 200, the error's code) and message of a failed request; None for an answer."""
    try:
        reply = json.loads(content) if b'"error"' in content else None
    except (ValueError, RecursionError):
        reply = None
    error = reply.get("error") if isinstance(reply, dict) and not reply.get("choices") else None
    fields: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    message = fields.get("message") or json.dumps(error, ensure_ascii=False)
    if status >= 300:  # noqa: PLR2004
        # Other fields may have the reason, such as OpenAI's param and OpenRouter's metadata.
        says_all = isinstance(error, dict) and {name for name in error if error[name]} <= {"message", "type", "code"}
        return status, f"status {status}: {message if says_all else content.decode(errors='replace') or reason}"
    if not error:
        return None
    code = int(fields["code"]) if re.fullmatch("[1-9][0-9]{2}", str(fields.get("code"))) else None
    return code, f"error{'' if code is None else f' {code}'} instead of an answer: {message}"


def backoff_seconds(retries: int, asked: float | None) -> float | None:
    """Return the seconds to wait before the next retry; None if the server asks for more than two minutes.

    The wait is what the server asks for, else min(0.5 · 2ʳ, 8) after r retries, minus up to a quarter at random.
    """
    if asked is not None and asked > 0:
        return asked if asked <= _LONGEST_RETRY_AFTER else None
    return min(_FIRST_WAIT * 2.0 ** min(retries, 10), _LONGEST_WAIT) * random.uniform(0.75, 1)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of the header Retry-After, which has a number or a date; None without it."""
    given = headers.get("Retry-After", "")
    with suppress(ValueError):
        seconds = float(given)
        return None if math.isnan(seconds) else seconds
    with suppress(ValueError, OverflowError, OSError):
        return parsedate_to_datetime(given).timestamp() - time.time()
    return None


def _resolver(find: Resolve) -> Any:
    """Return a resolver for aiohttp that finds addresses with a function."""
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Resolver(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
            address = await find(host)
            kind = socket.AF_INET6 if ":" in address else socket.AF_INET
            found = ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=_NUMERIC)
            return [found]

        async def close(self) -> None:
            pass

    return Resolver()


async def _unpack(content: Any, largest: int) -> bytes:
    """Return the unpacked content; a small compressed reply may be large."""
    read = bytearray()
    async for part in content.iter_any():
        read += part
        if len(read) > largest:
            raise PostError(f"the reply is larger than {largest // 2**20} MB")
    return bytes(read)


def _proxy(url: str) -> str | None:
    """Return the proxy that the environment or the system sets for a URL."""
    parts, proxies = urlsplit(url), getproxies()
    proxy = None if proxy_bypass(parts.hostname or "") else proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _credentials(url: str) -> list[str]:
    """Return user and password of a URL, and their encoded form in a header."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    user, password = parts.username or "", parts.password or ""
    sent = base64.b64encode(unquote(f"{user}:{password}").encode("latin-1", "replace")).decode()
    return [secret for secret in (user, password, sent) if secret] if user or password else []


@cache
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates: of the system or SSL_CERT_FILE, else of certifi."""
    import certifi

    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(certifi.where())
    return context
