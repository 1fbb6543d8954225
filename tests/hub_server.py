"""A server with the part of the Hugging Face Hub's API that publishing and loading use.

It stores repositories with their commits, accepts small files in a commit and large files by LFS, and checks tokens.
"""

import base64
import hashlib
import json
import re
import urllib.parse
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import yaml
from file_server import serving

TOKENS = {"hf_write": "write", "hf_read": "read"}
"""Token of the user "writer", a member of the organization "org" → its role."""

_KIND = r"(?P<kind>models|datasets|spaces)"
_ID = r"(?P<id>[\w.-]+/[\w.-]+)"
_LFS_SUFFIXES = (".safetensors", ".parquet", ".mp4", ".bin")


@dataclass(frozen=True)
class Blob:
    """A file of a commit."""

    content: bytes
    lfs: bool

    @property
    def git_hash(self) -> str:
        """The git hash of the blob, or of the pointer to a large file."""
        content = self.pointer if self.lfs else self.content
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()

    @property
    def sha256(self) -> str:
        """The hash of the content, which LFS uses."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def pointer(self) -> bytes:
        """The file that git stores instead of a large file."""
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(self.content)}\n".encode()
        )


@dataclass
class Hub:
    """The state of the server.

    Args:
        repositories: (kind, id) → commits, each a pair of hash and files.
        large: Contents of large files by SHA-256.
        asked: Method and path of every request.
        unknown: Method and path of requests that the server does not implement.
        accident: Called with method and path before each answer; returns a status to answer with, "drop" to close the
            connection, or None.
    """

    repositories: dict[tuple[str, str], list[tuple[str, dict[str, Blob]]]] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    accident: Callable[[str, str], int | str | None] = lambda method, path: None
    address: str = ""

    @property
    def store(self) -> str:
        """The same server under another name, because the Hub stores large files on another host."""
        return self.address.replace("127.0.0.1", "localhost")

    def commits(self, name: str) -> list[tuple[str, dict[str, Blob]]]:
        """The commits of `spaces/org/smile`."""
        kind, _, repository = name.partition("/")
        return self.repositories[kind, repository]

    def files(self, name: str) -> dict[str, bytes]:
        """The current files of a repository."""
        return {path: blob.content for path, blob in self.commits(name)[-1][1].items()}

    def commit(self, name: str, files: dict[str, Blob]) -> str:
        """Make these the files of a repository."""
        kind, _, repository = name.partition("/")
        commits = self.repositories.setdefault((kind, repository), [])
        commits.append((hashlib.sha1(f"{name} {len(commits)}".encode()).hexdigest(), files))
        return commits[-1][0]


class RefusedError(Exception):
    """An error response with the Hub's code for it."""

    def __init__(self, status: int, message: str, code: str = ""):
        super().__init__(message)
        self.status, self.code = status, code


@contextmanager
def serve(hub: Hub):
    """Serve the Hub at `hub.address`."""
    with serving(type("Handler", (_Handler,), {"hub": hub})) as server:
        hub.address = f"http://127.0.0.1:{server.server_port}"
        yield hub


def _route(method: str, pattern: str):
    def mark(function):
        function.route = (method, re.compile(pattern))
        return function

    return mark


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise, the body of each response arrives 40 ms after its head
    hub: Hub

    def log_message(self, *_):
        """Keep quiet."""

    def handle_one(self):
        address = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(address.path)
        self.query = dict(urllib.parse.parse_qsl(address.query))
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.hub.asked.append((self.command, path))
        accident = self.hub.accident(self.command, path)
        if accident == "drop":
            self.close_connection = True
            return
        try:
            if isinstance(accident, int):
                raise RefusedError(accident, "an accident")
            answer = self._answer(path)
        except RefusedError as refused:
            headers = {"X-Error-Message": str(refused), "X-Error-Code": refused.code}
            answer = (refused.status, headers, json.dumps({"error": str(refused)}).encode())
        self._send(*answer)

    do_GET = do_HEAD = do_POST = do_PUT = handle_one  # noqa: N815

    def _answer(self, path: str):
        method = "GET" if self.command == "HEAD" else self.command
        for function in vars(_Handler).values():
            known, pattern = getattr(function, "route", (None, None))
            if known == method and (match := pattern.fullmatch(path)):
                found = function(self, **match.groupdict())
                return found if isinstance(found, tuple) else (200, {}, json.dumps(found).encode())
        self.hub.unknown.append((self.command, path))
        raise RefusedError(501, "this server does not implement the request")

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self.send_response(status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    # -- who, and what there is ------------------------------------------------------------------------------------

    def _role(self) -> str | None:
        return TOKENS.get(self.headers.get("Authorization", "").removeprefix("Bearer "))

    def _may_write(self, name: str) -> None:
        namespace = name.partition("/")[0]
        if self._role() is None:
            raise RefusedError(401, "Invalid credentials in Authorization header")
        if self._role() != "write" or namespace not in ("org", "writer"):
            raise RefusedError(403, f'You don\'t have the rights to create under the namespace "{namespace}"')

    def _commits(self, kind: str, name: str):
        found = self.hub.repositories.get((kind, name))
        if found is None:
            raise RefusedError(404 if self._role() else 401, "Repository not found", "RepoNotFound")
        return found

    def _files(self, kind: str, name: str, revision: str):
        """Commit and files at a revision."""
        commits = self._commits(kind, name)
        for commit, files in commits:
            if commit == revision:
                return commit, files
        if revision != "main":
            raise RefusedError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return commits[-1]

    @_route("GET", "/api/agent-harnesses")
    def harnesses(self):
        return {"standardEnvVars": [], "harnesses": {}}

    @_route("GET", "/api/whoami-v2")
    def whoami(self):
        if self._role() is None:
            raise RefusedError(401, "Invalid credentials in Authorization header")
        token = {"displayName": "t", "role": self._role()}
        orgs = [{"type": "org", "name": "org", "roleInOrg": "write"}, {"type": "org", "name": "b", "roleInOrg": "read"}]
        return {"type": "user", "name": "writer", "orgs": orgs, "auth": {"type": "access_token", "accessToken": token}}

    # -- writing ---------------------------------------------------------------------------------------------------

    @_route("POST", "/api/repos/create")
    def create(self):
        asked = json.loads(self.body)
        namespace, kind = asked.get("organization") or "writer", asked.get("type", "model") + "s"
        self._may_write(namespace)
        if kind == "spaces" and asked["sdk"] not in ("gradio", "static"):
            raise RefusedError(400, "sdk")
        name, address = f"{namespace}/{asked['name']}", f"{self.hub.address}/{namespace}/{asked['name']}"
        if (kind, name) in self.hub.repositories:
            return 409, {}, json.dumps({"error": "You already created this repo", "url": address}).encode()
        first = {".gitattributes": Blob(b"*.safetensors filter=lfs\n", lfs=False)}
        if kind == "spaces":
            first["README.md"] = Blob(f"---\nsdk: {asked['sdk']}\n---\n".encode(), lfs=False)
        self.hub.commit(f"{kind}/{name}", first)
        return {"url": address}

    @_route("POST", "/api/validate-yaml")
    def validate_yaml(self):
        asked = json.loads(self.body)
        data = yaml.safe_load(asked["content"].split("\n---\n")[0].removeprefix("---\n"))
        errors = [] if isinstance(data, dict) else [{"message": "no metadata"}]
        return (400 if errors else 200), {}, json.dumps({"errors": errors, "warnings": []}).encode()

    @_route("POST", rf"/api/{_KIND}/{_ID}/preupload/main")
    def preupload(self, kind: str, id: str):
        self._may_write(id)
        files = self._commits(kind, id)[-1][1]
        return {
            "files": [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(_LFS_SUFFIXES) else "regular",
                    "shouldIgnore": False,
                    "oid": self._oid(files.get(file["path"])),
                }
                for file in json.loads(self.body)["files"]
            ]
        }

    @staticmethod
    def _oid(blob: Blob | None) -> str | None:
        return blob and (blob.sha256 if blob.lfs else blob.git_hash)

    @_route("POST", rf"/(?:(?P<kind>datasets|spaces)/)?{_ID}\.git/info/lfs/objects/batch")
    def lfs_batch(self, kind: str | None, id: str):
        self._may_write(id)
        self._commits(kind or "models", id)
        actions = {"upload": {"href": f"{self.hub.address}/lfs/"}, "verify": {"href": f"{self.hub.address}/verify"}}
        objects = []
        for wanted in json.loads(self.body)["objects"]:
            entry: dict[str, Any] = {"oid": wanted["oid"], "size": wanted["size"]}
            if wanted["oid"] not in self.hub.large:
                upload = {"href": f"{self.hub.address}/lfs/{wanted['oid']}"}
                entry["actions"] = {**actions, "upload": upload}
            objects.append(entry)
        return {"transfer": "basic", "objects": objects}

    @_route("PUT", "/lfs/(?P<oid>[0-9a-f]{64})")
    def lfs_upload(self, oid: str):
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise RefusedError(400, "not the content of that hash")
        self.hub.large[oid] = self.body
        return {}

    @_route("POST", "/verify")
    def lfs_verify(self):
        asked = json.loads(self.body)
        if len(self.hub.large.get(asked["oid"], b"")) != asked["size"]:
            raise RefusedError(404, "there is no such object")
        return {}

    @_route("POST", rf"/api/{_KIND}/{_ID}/commit/main")
    def commit(self, kind: str, id: str):
        self._may_write(id)
        _, *operations = map(json.loads, self.body.splitlines())
        _, files = self._commits(kind, id)[-1]
        files = dict(files)
        for operation in operations:
            value = operation["value"]
            if operation["key"] == "file":
                files[value["path"]] = Blob(base64.b64decode(value["content"]), lfs=False)
            elif operation["key"] == "lfsFile":
                files[value["path"]] = Blob(self.hub.large[value["oid"]], lfs=True)
            else:
                del files[value["path"]]
        commit = self.hub.commit(f"{kind}/{id}", files)
        address = f"{self.hub.address}/{id}/commit/{commit}"
        return {"success": True, "commitOid": commit, "commitUrl": address, "hookOutput": ""}

    # -- reading ---------------------------------------------------------------------------------------------------

    @_route("GET", rf"/api/{_KIND}/{_ID}(?:/revision/(?P<revision>[^/]+))?")
    def info(self, kind: str, id: str, revision: str | None):
        commit, files = self._files(kind, id, revision or "main")
        siblings = [{"rfilename": path} for path in files]
        return {"_id": "1", "id": id, "sha": commit, "private": False, "tags": [], "siblings": siblings}

    @_route("GET", rf"/api/{_KIND}/{_ID}/tree/(?P<revision>[^/]+)(?:/(?P<folder>.+))?")
    def tree(self, kind: str, id: str, revision: str, folder: str | None):
        _, files = self._files(kind, id, revision)
        inside = {path: blob for path, blob in files.items() if path.startswith(f"{folder}/" if folder else "")}
        if folder and not inside:
            raise RefusedError(404, f"{folder} does not exist", "EntryNotFound")
        depth = len(folder.split("/")) if folder else 0
        found: dict[str, dict[str, Any]] = {}
        for path, blob in inside.items():
            *parents, _ = path.split("/")
            for end in range(depth + 1, len(parents) + 1):
                name = "/".join(parents[:end])
                found[name] = {"type": "directory", "oid": "0" * 40, "size": 0, "path": name}
            found[path] = self._entry(path, blob)
        if self.query.get("recursive", "false").lower() != "true":
            found = {path: entry for path, entry in found.items() if path.count("/") == depth}
        return list(found.values())

    @staticmethod
    def _entry(path: str, blob: Blob) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": "file", "oid": blob.git_hash, "size": len(blob.content), "path": path}
        if blob.lfs:
            entry["lfs"] = {"oid": blob.sha256, "size": len(blob.content), "pointerSize": len(blob.pointer)}
        return entry

    @_route("GET", rf"/(?:(?P<kind>datasets|spaces)/)?{_ID}/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
    def resolve(self, kind: str | None, id: str, revision: str, path: str):
        commit, files = self._files(kind or "models", id, revision)
        if path not in files:
            raise RefusedError(404, f"{path} does not exist", "EntryNotFound")
        blob = files[path]
        headers = {"X-Repo-Commit": commit, "Content-Type": "application/octet-stream"}
        if not blob.lfs:
            return 200, {**headers, "ETag": f'"{blob.git_hash}"'}, blob.content
        linked = {"X-Linked-ETag": f'"{blob.sha256}"', "X-Linked-Size": str(len(blob.content))}
        return 302, {**headers, **linked, "Location": f"{self.hub.store}/cdn/{blob.sha256}"}, b""

    @_route("GET", "/cdn/(?P<oid>[0-9a-f]{64})")
    def content(self, oid: str):
        content = self.hub.large[oid]
        headers = {"ETag": f'"{oid}"', "Accept-Ranges": "bytes"}
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(wanted[1]), int(wanted[2] or len(content) - 1)
            part = content[first : last + 1]
            return 206, {**headers, "Content-Range": f"bytes {first}-{last}/{len(content)}"}, part
        return 200, headers, content
