"""What a model runs on, in words: a processor's name, and which instructions for matrices it has."""

import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Of what a Linux kernel says of a processor: a virtual machine's host may give many generations one name.
_KIND = re.compile(r"^(?:vendor_id|cpu family|model|stepping|flags|CPU \w+|Features)\s*: (.*)$", re.MULTILINE)
_NAME = re.compile(r"^model name\s*: (.*)$", re.MULTILINE)
_INSTRUCTIONS = re.compile(r"avx2|avx512f|asimd|sve2?|\w*(?:amx|bf16|vnni|i8mm)\w*")


@dataclass(frozen=True)
class Processor:
    """A CPU or an accelerator.

    Args:
        name: What its maker calls it, or the host of a virtual machine.
        instructions: The sets of instructions for matrices that a CPU has, as Linux names them; else none are known.
        kind: Tells processors of one name apart.
    """

    name: str
    instructions: tuple[str, ...]
    kind: str


@cache
def processor(device: str = "cpu") -> Processor:
    """Describe the processor behind a device of torch."""
    if device.startswith("cuda"):
        import torch

        name = torch.cuda.get_device_name(device)
        return Processor(name, (), name)
    said = ""
    with suppress(OSError):
        said = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
    name = named[1] if (named := _NAME.search(said)) else platform.processor() or platform.machine()
    instructions = tuple(sorted(set(filter(_INSTRUCTIONS.fullmatch, said.split()))))
    return Processor(name, instructions, "\n".join([platform.machine(), name, *_KIND.findall(said)]))
