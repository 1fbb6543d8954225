"""Checks of the columns: features as matrices or files, videos, and keywords."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from evaluate_qa.metrics._shared.columns import RowTypeError, RowValueError, Unexpected
from evaluate_qa.metrics.evqascore.features import check_features, read_features
from evaluate_qa.metrics.evqascore.rows import check_keyword_list, check_sources, check_video
from evaluate_qa.metrics.evqascore.video import UnreadableVideo

MATRIX = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
UNIT = [[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    "given",
    [
        MATRIX.astype(np.float16),
        MATRIX.astype(int),
        MATRIX.tolist(),
        list(MATRIX),
        torch.tensor(MATRIX, requires_grad=True),
        torch.tensor(MATRIX, dtype=torch.bfloat16),
        MATRIX * 1e300,
    ],
    ids=["float16", "int64", "lists", "list of arrays", "torch with gradient", "bfloat16", "huge"],
)
def test_any_matrix_becomes_unit_vectors(given):
    found = read_features(check_features(given))
    assert found.vectors.dtype == np.float32
    assert found.vectors == pytest.approx(np.array(UNIT), abs=1e-6)
    assert found.frames.tolist() == [0, 1]
    assert np.isnan(found.times).all()


def test_files_of_features(tmp_path):
    np.save(tmp_path / "é.npy", MATRIX)
    save_file({"any name": torch.tensor(MATRIX, dtype=torch.bfloat16)}, tmp_path / "one.safetensors")
    tensors = {"vectors": torch.tensor(MATRIX), "others": torch.zeros(2)}
    save_file(tensors, tmp_path / "named.safetensors")
    for name in ("é.npy", "one.safetensors", "named.safetensors"):
        found = read_features(check_features(tmp_path / name))
        assert found.vectors == pytest.approx(np.array(UNIT), abs=1e-6)


def claim(path, shape):
    """Write a header that promises more than the file has."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
        file.write(bytes(24))


NOT_FEATURES = {
    "empty": lambda path: path.write_bytes(b""),
    "zip": lambda path: path.write_bytes(b"PK\x05\x06" + bytes(18)),
    "vector": lambda path: np.save(path, MATRIX[0]),
    "no frame": lambda path: np.save(path, MATRIX[:0]),
    "zeros": lambda path: np.save(path, MATRIX * 0),
    "pickle": lambda path: np.save(path, np.array([[None]]), allow_pickle=True),
    "complex": lambda path: np.save(path, MATRIX + 1j),
    "Booleans": lambda path: np.save(path, MATRIX > 1),
    "NaN": lambda path: np.save(path, np.where(MATRIX, MATRIX, np.nan)),
    "records": lambda path: np.save(path, np.zeros(2, dtype=[("a", "f4"), ("b", "f4")])),
    "terabytes": lambda path: claim(path, (10**12, 512)),
    "overflow": lambda path: claim(path, (10**30, 512)),
    "negative": lambda path: claim(path, (-1, 3)),
}


@pytest.mark.parametrize("write", NOT_FEATURES.values(), ids=NOT_FEATURES)
def test_other_npy_files_are_rejected(tmp_path, write):
    write(tmp_path / "f.npy")
    with pytest.raises(UnreadableVideo, match=r"^f.npy holds no features \(frames, dim\): "):
        read_features(check_features(tmp_path / "f.npy"))


NOT_TENSORS = {
    "empty": {},
    "two": {"a": MATRIX, "b": MATRIX},
    "vector": {"vectors": MATRIX[0]},
    "complex": {"vectors": (MATRIX + 1j).astype(np.complex64)},
    "NaN": {"vectors": np.where(MATRIX, MATRIX, np.nan)},
    "text": None,
}


@pytest.mark.parametrize("tensors", NOT_TENSORS.values(), ids=NOT_TENSORS)
def test_other_safetensors_files_are_rejected(tmp_path, tensors):
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
        ([[1, 2], [3]], "a matrix of numbers", RowTypeError),
        ([["a"]], "a matrix of numbers", RowTypeError),
        ([[True]], "a matrix of numbers", RowTypeError),
        (5, "a matrix of numbers", RowTypeError),
        (b"abc", "a matrix of numbers", RowTypeError),
        (np.empty((0, 3)), "with at least one frame", RowValueError),
        ([[1, 0], [0, 0]], "no frame with only zeros", RowValueError),
        ([[1, np.nan]], "finite numbers", RowValueError),
        ("clip.mp4", "a file .npy or .safetensors", RowValueError),
        ("\ud800.npy", "a path in UTF-8", RowValueError),
    ],
)
def test_other_values_are_rejected(given, expected, error):
    with pytest.raises(Unexpected, match=expected) as caught:
        check_features(given)
    assert caught.value.error is error


def test_videos_are_paths(tmp_path):
    assert check_video(tmp_path / "a.mp4") == check_video(str(tmp_path / "a.mp4")) == str(tmp_path / "a.mp4")
    assert check_video(None) == ""
    for bad, expected in {"": "the path of a video that exists", "\ud800": "a path in UTF-8"}.items():
        with pytest.raises(Unexpected, match=expected):
            check_video(bad)
    for bad in (5, b"a.mp4", ["a.mp4"]):
        with pytest.raises(Unexpected, match="the path of a video, or None"):
            check_video(bad)


@pytest.mark.parametrize("bad", [".", "b.mp4", "\0", "n" * 300, "n/" * 3000 + "n"])
def test_missing_files_are_rejected(bad):
    matrix = check_features(MATRIX)
    check_sources({"videos": [__file__, ""], "video_features": [b"", matrix]}, files=True)
    with pytest.raises(RowValueError, match=r"^evqascore: videos\[1\] is '.*; expected the path of a video that") as no:
        check_sources({"videos": ["", bad], "video_features": [matrix, b""]}, files=True)
    assert (no.value.column, no.value.row) == ("videos", 1)
    message = r"^evqascore: video_features\[0\] is '.*; expected a matrix \(frames, dim\), or a file that exists"
    with pytest.raises(RowValueError, match=message):
        check_sources({"videos": [""], "video_features": [check_features(f"{bad}.npy")]}, files=True)


def test_keywords_are_kept_unchanged():
    assert check_keyword_list(["a", "A", "a"]) == ["a", "A", "a"]
    assert check_keyword_list("red ball") == ["red ball"]
    assert check_keyword_list([]) == []
    assert check_keyword_list(None) is None
    for bad in ("", [" "], ["a", ""]):
        with pytest.raises(Unexpected, match="not blank"):
            check_keyword_list(bad)
    for bad in (5, [1], [["a"]], {"a": 1}):
        with pytest.raises(Unexpected, match="a string, a list of strings, or None"):
            check_keyword_list(bad)
