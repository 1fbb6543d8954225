"""Check the account; build, test and upload repositories one after the other; and explain errors in one line."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from huggingface_hub import HfApi, constants, metadata_load
from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

from .. import __version__
from . import trial_run
from .building import build
from .repository import Repository

# HTTPError of httpx or of httpx2, depending on the version of huggingface_hub.
_HTTPError: type[Exception] = HfHubHTTPError.__bases__[0]

ERRORS = (OSError, ValueError, RuntimeError, _HTTPError)
"""The errors of files, of the Hub and of the network, which `explain` turns into a line."""

_LOGIN = "Create a token with write access at https://huggingface.co/settings/tokens, then run: hf auth login"


def check_account(api: HfApi, namespace: str) -> None:
    """Raise PermissionError if the token cannot write to a namespace."""
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


def explain(error: BaseException) -> str:
    """Return an error as one line."""
    if isinstance(error, _HTTPError) and not isinstance(error, HfHubHTTPError):
        return f"{constants.ENDPOINT} does not answer ({type(error).__name__}: {error}). Check the network."
    text = " ".join(str(error).split())
    if isinstance(error, RuntimeError) and error.__cause__:  # its text names only the file
        text += f" {explain(error.__cause__)}"
    return text


@contextmanager
def explain_errors() -> Iterator[None]:
    """Raise an error of files, of the Hub or of the network as an OSError of one line, for `reported_errors`."""
    try:
        yield
    except ERRORS as error:
        raise OSError(explain(error)) from error


def prepare(repositories: Sequence[Repository], data_dir: Path | None) -> bool:
    """Build and test all repositories, print their problems, and return True if there are none."""
    models = [repository for repository in repositories if repository.kind == "model"]
    sound = True
    for number, repository in enumerate(repositories, 1):
        step = f"[{number}/{len(repositories)}] {repository}"
        typer.echo(f"{step}: building and testing")
        start = time.monotonic()
        problems = list(_problems(repository, models, data_dir))
        result = "failed" if problems else f"{len(repository.files())} files"
        typer.echo(f"{step}: {result} ({time.monotonic() - start:.0f} s)")
        for problem in problems:
            typer.echo(f"  {problem}", err=True)
        sound = sound and not problems
    return sound


def _problems(repository: Repository, models: Sequence[Repository], data_dir: Path | None) -> Iterator[str]:
    try:
        build(repository, data_dir)
    except ERRORS as error:
        yield f"It cannot be built: {explain(error)}"
    else:
        yield from trial_run.problems(repository, models)


def upload(api: HfApi, repositories: Sequence[Repository]) -> bool:
    """Upload all repositories, print where each one is, and return True if all were uploaded."""
    waiting = list(repositories)
    try:
        for number, repository in enumerate(repositories, 1):
            step = f"[{number}/{len(repositories)}] {repository}"
            typer.echo(f"{step}: uploading")
            typer.echo(f"{step}: published, {_upload(api, repository)}")
            waiting.remove(repository)
    except ERRORS as error:
        typer.echo(f"evaluate-qa publish: {waiting[0]}: {explain(error)}", err=True)
    finally:
        if waiting:
            names = ", ".join(map(str, waiting))
            typer.echo(f"Not published: {names}. Run the same command again to publish them.", err=True)
    return not waiting


def _upload(api: HfApi, repository: Repository) -> str:
    """Create the repository if needed, upload the files that differ as one commit, and return the commit's address."""
    kind = repository.kind
    sdk = (metadata_load(repository.card) or {})["sdk"] if kind == "space" else None
    api.create_repo(repository.id, repo_type=kind, space_sdk=sdk, exist_ok=True)
    commit = api.upload_folder(
        repo_id=repository.id,
        repo_type=kind,
        folder_path=repository.folder,
        # Older versions of the metrics download the files of their own version of the matcher.
        delete_patterns=None if kind == "model" and not repository.source else "*",
        commit_message=f"Publish evaluate-qa {__version__}",
    )
    return str(commit.commit_url)
