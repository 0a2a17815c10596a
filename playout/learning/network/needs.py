"""What networks need beside the library itself: packages, imported late, and a device, each with one sentence where it is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from playout.errors import PlayoutError, suggest

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("auto", "float32", "bfloat16")


def needed(name: str) -> Any:
    """A package of the extra `neural`: torch or safetensors."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise PlayoutError(f"a network needs {package}, which is not installed: pip install 'playout[neural]'") from None


def torch_device(device: str) -> Any:
    """The device of torch that a word means: "auto" is a GPU where there is one."""
    torch = needed("torch")
    kind = device.partition(":")[0]
    if kind not in DEVICES or (kind != "cuda" and kind != device):
        raise PlayoutError(f"device is {device!r}; {suggest(device, DEVICES)}")
    there = torch.cuda.is_available()
    if device == "auto":
        return torch.device("cuda" if there else "cpu")
    if kind == "cuda":
        number = device.partition(":")[2] or "0"
        if not there:
            raise PlayoutError(f"device is {device!r}, and torch finds no GPU here; use device cpu or auto")
        if not number.isdecimal() or int(number) >= torch.cuda.device_count():
            raise PlayoutError(f"device is {device!r}, and this machine has {torch.cuda.device_count()} of them; use device auto")
    return torch.device(device)


def torch_precision(precision: str, device: Any) -> Any:
    """The numbers of torch that a word means: "auto" is bfloat16 on a GPU, and float32 elsewhere."""
    if precision not in PRECISIONS:
        raise PlayoutError(f"precision is {precision!r}; {suggest(precision, PRECISIONS)}")
    torch = needed("torch")
    half = precision == "bfloat16" or (precision == "auto" and device.type == "cuda")
    return torch.bfloat16 if half else torch.float32
