"""Features that the caller brings: matrices of any kind, .npy and .safetensors files, and what is none of these."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from evaluate_qa.metrics._shared.arguments import RowTypeError, RowValueError, Unexpected
from evaluate_qa.metrics.evqascore.features import read_features
from evaluate_qa.metrics.evqascore.rows import check_features, check_files, check_keywords, check_video
from evaluate_qa.metrics.evqascore.video import UnreadableVideo

MATRIX = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
UNIT = [[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    "given",
    [
        MATRIX,
        MATRIX.astype(np.float16),
        MATRIX.astype(int),
        MATRIX.tolist(),
        list(MATRIX),
        torch.tensor(MATRIX, requires_grad=True),
        torch.tensor(MATRIX, dtype=torch.bfloat16),
        MATRIX * 1e300,
    ],
    ids=["float64", "float16", "int64", "lists", "list of arrays", "torch with gradient", "bfloat16", "huge"],
)
def test_any_matrix_comes_out_as_unit_vectors(given):
    found = read_features(check_features(given))
    assert found.vectors.dtype == np.float32
    assert found.vectors == pytest.approx(np.array(UNIT), abs=1e-6)
    assert found.frames.tolist() == [0, 1]
    assert np.isnan(found.times).all()


@pytest.mark.parametrize("name", ["vectors", "anything"])
def test_a_file_of_safetensors(tmp_path, name):
    save_file({name: torch.tensor(MATRIX, dtype=torch.bfloat16)}, tmp_path / "f.safetensors")
    assert read_features(check_features(tmp_path / "f.safetensors")).vectors == pytest.approx(np.array(UNIT), abs=1e-6)


def test_a_file_may_know_times_and_frames(tmp_path):
    tensors = {"vectors": MATRIX, "times": np.array([0.0, 1.5]), "frames": np.array([0, 45])}
    save_file({name: torch.tensor(values) for name, values in tensors.items()}, tmp_path / "f.safetensors")
    found = read_features(check_features(str(tmp_path / "f.safetensors")))
    assert (found.times.tolist(), found.frames.tolist()) == ([0.0, 1.5], [0, 45])


def test_a_file_of_numpy(tmp_path):
    np.save(tmp_path / "é.npy", MATRIX)
    assert read_features(check_features(tmp_path / "é.npy")).vectors == pytest.approx(np.array(UNIT), abs=1e-6)


def claim(path, shape):
    """Write a header that promises more than the file has."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
        file.write(bytes(24))


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b"no numbers"),
        lambda path: path.write_bytes(b""),
        lambda path: np.save(path, MATRIX[0]),
        lambda path: np.save(path, MATRIX[:0]),
        lambda path: np.save(path, MATRIX * 0),
        lambda path: np.save(path, np.array([["a"]])),
        lambda path: np.save(path, np.array([[None]]), allow_pickle=True),
        lambda path: np.save(path, MATRIX + 1j),
        lambda path: np.save(path, np.full((2, 3), np.datetime64("2026-01-01"))),
        lambda path: np.save(path, MATRIX > 1),
        lambda path: np.save(path, np.where(MATRIX, MATRIX, np.nan)),
        lambda path: np.save(path, np.zeros(2, dtype=[("a", "f4"), ("b", "f4")])),
        lambda path: claim(path, (10**12, 512)),
        lambda path: claim(path, (10**30, 512)),
        lambda path: claim(path, (-1, 3)),
        lambda path: path.write_bytes(b"PK\x05\x06" + bytes(18)),
    ],
    ids=[
        *("text", "empty", "vector", "no frame", "zeros", "strings", "pickle", "complex", "dates", "truth values"),
        *("not a number", "records", "a terabyte", "more than can be counted", "less than nothing", "zip"),
    ],
)
def test_a_npy_file_that_holds_something_else_is_told(tmp_path, write):
    write(tmp_path / "f.npy")
    with pytest.raises(UnreadableVideo, match=r"^f.npy holds no features \(frames, dim\): "):
        read_features(check_features(tmp_path / "f.npy"))


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        {"a": MATRIX, "b": MATRIX},
        {"vectors": MATRIX, "times": MATRIX},
        {"vectors": MATRIX[0]},
        {"vectors": (MATRIX + 1j).astype(np.complex64)},
        {"vectors": np.where(MATRIX, MATRIX, np.nan)},
        {"vectors": MATRIX, "frames": np.array([0.5, np.nan])},
        {"vectors": MATRIX, "times": np.array([1j, 2], np.complex64)},
        None,
    ],
    ids=[
        *(
            "none",
            "two",
            "times of another shape",
            "vector",
            "complex",
            "not a number",
            "half a frame",
            "complex times",
        ),
        "text",
    ],
)
def test_a_safetensors_file_that_holds_something_else_is_told(tmp_path, tensors):
    file = tmp_path / "f.safetensors"
    if tensors is None:
        file.write_bytes(b"no tensors at all")
    else:
        save_file({name: torch.tensor(values) for name, values in tensors.items()}, file)
    with pytest.raises(UnreadableVideo, match=r"^f.safetensors holds no features"):
        read_features(check_features(file))


@pytest.mark.parametrize(
    ("given", "expected", "error"),
    [
        (MATRIX[0], "a matrix of numbers", RowTypeError),
        (MATRIX[None], "a matrix of numbers", RowTypeError),
        ([[1, 2], [3]], "a matrix of numbers", RowTypeError),
        ([["a"]], "a matrix of numbers", RowTypeError),
        ([[True]], "a matrix of numbers", RowTypeError),
        ([[1j]], "a matrix of numbers", RowTypeError),
        (5, "a matrix of numbers", RowTypeError),
        (b"abc", "a matrix of numbers", RowTypeError),
        (np.empty((0, 3)), "with at least one frame", RowValueError),
        ([[1, 0], [0, 0]], "no frame of zeros alone", RowValueError),
        ([[1, np.nan]], "finite numbers", RowValueError),
        ([[np.inf, 1]], "finite numbers", RowValueError),
        ("clip.mp4", "a file .npy or .safetensors", RowValueError),
        ("\ud800.npy", "a path in UTF-8", RowValueError),
    ],
)
def test_what_is_no_matrix_is_told(given, expected, error):
    with pytest.raises(Unexpected, match=expected) as caught:
        check_features(given)
    assert caught.value.error is error


def test_videos_are_paths(tmp_path):
    assert check_video(tmp_path / "a.mp4") == check_video(str(tmp_path / "a.mp4")) == str(tmp_path / "a.mp4")
    assert check_video(None) == ""
    with pytest.raises(Unexpected, match="the path of a video that exists"):
        check_video("")
    with pytest.raises(Unexpected, match="a path in UTF-8"):
        check_video("\ud800")
    for bad in (5, b"a.mp4", ["a.mp4"]):
        with pytest.raises(Unexpected, match="the path of a video, or None"):
            check_video(bad)


NO_FILES = ["b.mp4", "\0", "n" * 300, "n/" * 3000 + "n"]


def test_files_that_are_missing_are_told(tmp_path):
    (tmp_path / "a.mp4").touch()
    np.save(tmp_path / "a.npy", MATRIX)
    there = {"videos": [str(tmp_path / "a.mp4"), "", ""]}
    there["video_features"] = [b"", check_features(tmp_path / "a.npy"), check_features(MATRIX)]
    check_files(there)
    for bad in (str(tmp_path), *NO_FILES):
        with pytest.raises(
            RowValueError, match=r"^evqascore: videos\[1\] is '.*; expected the path of a video that"
        ) as no:
            check_files({"videos": ["", bad], "video_features": [check_features(MATRIX), b""]})
        assert (no.value.column, no.value.row) == ("videos", 1)
        told = r"^evqascore: video_features\[0\] is '.*; expected a matrix \(frames, dim\), or a file that exists"
        with pytest.raises(RowValueError, match=told):
            check_files({"videos": [""], "video_features": [check_features(f"{bad}.npy")]})


def test_keywords_are_kept_as_they_are():
    assert check_keywords(["a", "A", "a"]) == ["a", "A", "a"]
    assert check_keywords("red ball") == ["red ball"]
    assert check_keywords([]) == []
    assert check_keywords(None) is None
    for bad in ("", [" "], ["a", ""]):
        with pytest.raises(Unexpected, match="not blank"):
            check_keywords(bad)
    for bad in (5, [1], [["a"]], {"a": 1}):
        with pytest.raises(Unexpected, match="a string, a list of strings, or None"):
            check_keywords(bad)
