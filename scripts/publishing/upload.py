"""Upload what differs, as one commit, so that what is on the Hub is always whole."""

from typing import TYPE_CHECKING

from .. import __version__
from .difference import Difference
from .repository import Repository

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def upload(api: "HfApi", repository: Repository, difference: Difference) -> str:
    """Create the repository if need be, and commit what differs; return the address of the commit.

    Raises:
        OSError, httpx2.HTTPError: the Hub does not answer, or with an error; then there is no commit.
        RuntimeError: a large file could not be uploaded; likewise.
        ValueError: the Hub does not accept the card; likewise.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    if difference.commit is None:
        sdk = "gradio" if repository.kind == "space" else None
        api.create_repo(repository.id, repo_type=repository.kind, space_sdk=sdk, exist_ok=True)
    files = repository.files()
    new = [CommitOperationAdd(name, files[name]) for name in (*difference.added, *difference.changed)]
    gone = [CommitOperationDelete(name, is_folder=False) for name in difference.deleted]
    commit = api.create_commit(
        repository.id,
        [*gone, *new],
        repo_type=repository.kind,
        commit_message=f"Publish evaluate-qa {__version__}",
        # What someone else has committed since the comparison is not overwritten: the Hub then refuses.
        parent_commit=difference.commit,
    )
    return str(commit.commit_url)
