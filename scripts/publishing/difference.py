"""What differs between a built folder and the repository on the Hub, by the hashes of files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .repository import Repository

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

# Which files the Hub keeps in LFS; it writes this file itself.
_OF_THE_HUB = {".gitattributes"}


@dataclass(frozen=True)
class Difference:
    """What an upload would do.

    Args:
        commit: The newest commit on the Hub; None where there is no such repository.
        added: Paths of files that are not there.
        changed: Of those that are there with another content.
        deleted: Of those that are only there.
    """

    commit: str | None
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted)


def compare(api: "HfApi", repository: Repository) -> Difference:
    """Ask the Hub what a repository holds, and compare.

    Raises:
        OSError, httpx2.HTTPError: the Hub does not answer, or with an error.
    """
    from huggingface_hub.errors import RepositoryNotFoundError

    files = repository.files()
    try:
        commit = api.repo_info(repository.id, repo_type=repository.kind).sha
    except RepositoryNotFoundError:
        return Difference(None, added=tuple(files))
    published = _published(api, repository, commit)
    return Difference(
        commit,
        added=tuple(name for name in files if name not in published),
        changed=tuple(name for name in files if name in published and not _same(files[name], published[name])),
        deleted=tuple(name for name in sorted(published) if name not in files and not _stays(repository, name)),
    )


def _published(api: "HfApi", repository: Repository, commit: str | None) -> "dict[str, RepoFile]":
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repository.id, repo_type=repository.kind, revision=commit, recursive=True)
    return {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}


def _same(file: Path, published: "RepoFile") -> bool:
    from huggingface_hub.utils import sha

    if file.stat().st_size != published.size:
        return False
    if published.lfs is None:
        return sha.git_hash(file.read_bytes()) == published.blob_id
    with file.open("rb") as stream:
        return sha.sha_fileobj(stream).hex() == published.lfs.sha256


def _stays(repository: Repository, name: str) -> bool:
    # Metrics of an earlier version look for the model's file of theirs.
    return name in _OF_THE_HUB or (repository.kind == "model" and name.endswith(".safetensors"))
