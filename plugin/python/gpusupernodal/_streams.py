"""The order of work on CUDA streams, by the rules of __cuda_array_interface__ and DLPack: the owner of an array works on one
stream, the solver on another. Streams are numbers as in both protocols: a cudaStream_t, 1 for the legacy default stream, 2 for
that of a thread."""
from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator, Optional

from ._errors import Error

LEGACY = 1
_DEVICE_ERROR = 8  # GPUSUPERNODAL_DEVICE_ERROR
_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_DISABLE_TIMING = 2  # CU_EVENT_DISABLE_TIMING


def number_of(stream: Optional[int]) -> int:
    """The number of a cudaStream_t; None and 0 are the legacy default stream."""
    return stream or LEGACY


class Driver:
    """The calls of CUDA's driver that order streams. Each works in the primary context of the device that holds `address`, which
    need not be the current one."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            raise Error(_DEVICE_ERROR, f"CUDA's driver ended {name} with error {code}")

    @contextlib.contextmanager
    def _context(self, address: int) -> Iterator[None]:
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuPointerGetAttribute", ctypes.byref(device), _DEVICE_ORDINAL, ctypes.c_uint64(address))
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        try:
            self._call("cuCtxPushCurrent_v2", context)
            try:
                yield
            finally:
                self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        finally:
            self._call("cuDevicePrimaryCtxRelease_v2", device)

    def wait(self, waiting: int, awaited: int, address: int) -> None:
        """Work put on `waiting` from now on waits for the work that is on `awaited` now. The host does not wait."""
        event = ctypes.c_void_p()
        with self._context(address):
            self._call("cuEventCreate", ctypes.byref(event), _DISABLE_TIMING)
            try:
                self._call("cuEventRecord", event, ctypes.c_void_p(awaited))
                self._call("cuStreamWaitEvent", ctypes.c_void_p(waiting), event, 0)
            finally:
                self._call("cuEventDestroy_v2", event)  # The driver keeps it until the work is done.

    def synchronize(self, stream: int, address: int) -> None:
        """Waits on the host for the work of a stream."""
        with self._context(address):
            self._call("cuStreamSynchronize", ctypes.c_void_p(stream))


_driver: Optional[Driver] = None


def driver() -> Driver:
    """The driver, which is loaded when two streams are ordered for the first time."""
    global _driver
    if _driver is None:
        _driver = Driver()
    return _driver


def owners_stream(array: Any) -> Optional[int]:
    """The stream on which the owner of a device array works; None if the array may be used on every stream."""
    stream = array.__cuda_array_interface__.get("stream")
    if stream == 0:
        raise ValueError("the array names the stream 0, which the CUDA array interface forbids; 1 is the legacy default stream "
                         "and 2 that of a thread")
    if stream is None and type(array).__module__.split(".")[0] == "torch":  # PyTorch's interface names none.
        import torch
        return number_of(torch.cuda.current_stream(array.device).cuda_stream)
    return None if stream is None else int(stream)


def _addresses(arrays: tuple[Any, ...], stream: int) -> dict[int, int]:
    """The owners' streams that differ from `stream`, each with the address of an array."""
    found = {}
    for array in arrays:
        if hasattr(array, "__cuda_array_interface__"):
            owner, address = owners_stream(array), array.__cuda_array_interface__["data"][0]
            if owner not in (None, stream) and address:
                found[owner] = address
    return found


@contextlib.contextmanager
def shared(stream: int, *arrays: Any) -> Iterator[None]:
    """While the solver's work on these arrays is put on `stream`. The work waits for what their owners have done to them, and what
    the owners do later waits for the work: they may overwrite the arrays or free them at once. Arrays in host memory have no
    streams. For memory that belongs to a DLPack capsule, the host waits, because its owner's stream is not known."""
    owners = _addresses(arrays, stream)
    for owner, address in owners.items():
        driver().wait(stream, owner, address)
    try:
        yield
    finally:
        for owner, address in owners.items():
            driver().wait(owner, stream, address)
        exported = [array for array in arrays if getattr(array, "owns_device_memory", False)]
        if exported:
            driver().synchronize(stream, exported[0].__cuda_array_interface__["data"][0])
