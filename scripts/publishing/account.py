"""Who publishes, whether they may, and the Hub's errors in one line each."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_TOKENS = "https://huggingface.co/settings/tokens"
_CURES = {
    401: f"The token is not valid; make one that may write at {_TOKENS}, then: hf auth login",
    402: "The plan of this account does not include it",
    403: f"The token may not do this; it needs the right to write there: {_TOKENS}",
    404: "There is no such user, organisation or repository, or the token may not see it",
    412: "Someone else has changed the repository just now; look at it, then run this again",
    429: "Too many requests; run this again later",
}
_FAULT_OF_SERVER = 500


def check(api: "HfApi", namespace: str) -> None:
    """Raise PermissionError if it is known beforehand that the token does not allow to write to a namespace."""
    from huggingface_hub.errors import LocalTokenNotFoundError

    try:
        who = api.whoami()
    except LocalTokenNotFoundError:
        raise PermissionError(
            f"there is no token for the Hub. Make one that may write at {_TOKENS}, then: hf auth login"
        ) from None
    role = who.get("auth", {}).get("accessToken", {}).get("role")
    if role == "read":
        raise PermissionError(f"the token of {who['name']} may only read; make one that may write at {_TOKENS}")
    # A fine-grained token may be let into an organisation without being told of it.
    if role != "fineGrained" and namespace not in (writable := _writable(who)):
        raise PermissionError(
            f"{who['name']} cannot write to the namespace {namespace}, only to {', '.join(writable)}. "
            "As someone else: hf auth login"
        )


def _writable(who: dict[str, Any]) -> list[str]:
    organisations = [found["name"] for found in who.get("orgs", []) if found.get("roleInOrg") != "read"]
    return [who["name"], *organisations]


def errors() -> tuple[type[Exception], ...]:
    """Return what can go wrong for reasons that `explained` tells: files, the Hub, and the way to it."""
    from huggingface_hub.errors import HfHubHTTPError

    # Its base is HTTPError of httpx or of httpx2, depending on the version of huggingface_hub.
    return OSError, ValueError, RuntimeError, HfHubHTTPError.__bases__[0]


def explained(error: Exception) -> str:
    """Return one line that says what went wrong and what to do."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        return f"{error} {explained(error.__cause__)}"  # the first names the large file that was being uploaded
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, so the Hub is not asked; unset it"
    if isinstance(error, HfHubHTTPError):
        return _refusal(error, constants.ENDPOINT)
    if isinstance(error, HfHubHTTPError.__bases__[0]):
        return f"{constants.ENDPOINT} does not answer ({type(error).__name__}: {error}); is there a network?"
    return str(error)


def _refusal(error: Any, hub: str) -> str:
    status, said = error.response.status_code, error.server_message
    cure = _CURES.get(status, "Run this again later" if status >= _FAULT_OF_SERVER else "")
    return ". ".join(part for part in (f"{hub} answered {status}", " ".join((said or "").split()), cure) if part)
