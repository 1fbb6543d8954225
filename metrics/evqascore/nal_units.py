"""Which pictures of H.264 and HEVC no other picture is predicted from, by the headers of their NAL units."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

# H.264 (ITU-T H.264, table 7-1): a slice of a picture that is no IDR picture, and units that belong to no slice: SEI,
# sequence and picture parameters, delimiter, filler. All other units make a picture needed.
_SLICE, _BESIDE = 1, {6, 7, 8, 9, 12}
# HEVC (ITU-T H.265, table 7-1): types of slices lie below 32; the even ones below 16 are of sub-layer non-reference
# pictures: only pictures of higher temporal layers may be predicted from them.
_SLICES, _REFERENCES = 32, 16


class CodedPicture(NamedTuple):
    """Who may be predicted from a picture: with `needed` anyone, else pictures of higher temporal layers alone."""

    needed: bool
    layer: int


UNKNOWN = CodedPicture(needed=True, layer=0)

Describe = Callable[[memoryview], CodedPicture]


def describer(codec: str, extradata: bytes | None) -> Describe:
    """Return what describes the picture of a packet; where a stream does not tell, all pictures are needed.

    Args:
        codec: FFmpeg's name of the codec.
        extradata: The decoder's configuration; avcC and hvcC begin with 1 and say how long a unit's length is.
    """
    at, describe = {"h264": (4, _of_h264), "hevc": (21, _of_hevc)}.get(codec, (0, None))
    if describe is None or extradata is None or len(extradata) <= at or extradata[0] != 1:
        return lambda _: UNKNOWN
    length = (extradata[at] & 3) + 1
    return lambda data: describe(_headers(data, length))


def _headers(data: memoryview, length: int) -> Iterator[tuple[int, int]]:
    """Yield the first two bytes of every NAL unit; each comes after its size."""
    start = length
    while start + 1 < len(data):
        yield data[start], data[start + 1]
        start += int.from_bytes(data[start - length : start], "big") + length


def _of_h264(headers: Iterator[tuple[int, int]]) -> CodedPicture:
    """A picture is needed unless nal_ref_idc is 0 in all of its slices."""
    for first, _ in headers:
        kind, reference = first & 31, first >> 5 & 3
        if kind not in _BESIDE and (kind != _SLICE or reference):
            return UNKNOWN
    return CodedPicture(needed=False, layer=0)


def _of_hevc(headers: Iterator[tuple[int, int]]) -> CodedPicture:
    needed, layer = False, 0
    for first, second in headers:
        kind, part = first >> 1 & 63, (first & 1) << 5 | second >> 3
        if kind < _SLICES and part == 0:  # other parts are of another view, which is not decoded
            needed |= kind >= _REFERENCES or kind % 2 == 1
            layer = max(layer, (second & 7) - 1)
    return CodedPicture(needed, layer)
