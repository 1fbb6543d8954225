"""Check the account that publishes, and explain errors of the Hub in one line."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_LOGIN = "Create a token with write access at https://huggingface.co/settings/tokens, then run: hf auth login"


def check(api: "HfApi", namespace: str) -> None:
    """Raise PermissionError if the token cannot write to a namespace."""
    from huggingface_hub.errors import LocalTokenNotFoundError

    try:
        account = api.whoami()
    except LocalTokenNotFoundError:
        raise PermissionError(f"There is no token for the Hub. {_LOGIN}") from None
    role = account.get("auth", {}).get("accessToken", {}).get("role")
    if role == "read":
        raise PermissionError(f"The token of {account['name']} has read access only. {_LOGIN}")
    organizations = [one["name"] for one in account.get("orgs", []) if one.get("roleInOrg") != "read"]
    writable = [account["name"], *organizations]
    # The Hub does not list the organizations that a fine-grained token may write to.
    if role != "fineGrained" and namespace not in writable:
        raise PermissionError(
            f"{account['name']} cannot write to the namespace {namespace}, only to {', '.join(writable)}. "
            "Use another account with: hf auth login"
        )


def errors() -> tuple[type[Exception], ...]:
    """Return the errors of files, of the Hub and of the network, which `explained` turns into a line."""
    from huggingface_hub.errors import HfHubHTTPError

    # The base class is HTTPError of httpx or of httpx2, depending on the version of huggingface_hub.
    return OSError, ValueError, RuntimeError, HfHubHTTPError.__bases__[0]


def explained(error: BaseException) -> str:
    """Return an error as one line."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError.__bases__[0]) and not isinstance(error, HfHubHTTPError):
        return f"{constants.ENDPOINT} does not answer ({type(error).__name__}: {error}). Check the network."
    text = " ".join(str(error).split())
    if isinstance(error, RuntimeError) and error.__cause__:  # its text names only the file
        text += f" {explained(error.__cause__)}"
    return text
