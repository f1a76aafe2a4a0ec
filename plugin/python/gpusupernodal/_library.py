"""Finds and loads the shared library, and declares the functions of its C interface."""
from __future__ import annotations

import ctypes
import glob
import os
import re
import sys
from typing import Iterator, Optional

SONAME = "libgpusupernodal.so.0.1"


class Matrix(ctypes.Structure):
    """gpusupernodal_matrix"""
    _fields_ = [("n", ctypes.c_int64), ("offsets", ctypes.c_void_p), ("indices", ctypes.c_void_p),
                ("values", ctypes.c_void_p), ("index", ctypes.c_int32), ("part", ctypes.c_int32),
                ("compression", ctypes.c_int32), ("value_space", ctypes.c_int32)]


class Dense(ctypes.Structure):
    """gpusupernodal_dense"""
    _fields_ = [("data", ctypes.c_void_p), ("columns", ctypes.c_int64), ("ld", ctypes.c_int64), ("space", ctypes.c_int32)]


class BatchDense(ctypes.Structure):
    """gpusupernodal_batch_dense"""
    _fields_ = [("data", ctypes.c_void_p), ("columns", ctypes.c_int64), ("ld", ctypes.c_int64), ("stride", ctypes.c_int64),
                ("count", ctypes.c_int64), ("space", ctypes.c_int32)]


class Sparse(ctypes.Structure):
    """gpusupernodal_sparse"""
    _fields_ = [("rows", ctypes.c_int64), ("columns", ctypes.c_int64), ("offsets", ctypes.c_void_p),
                ("indices", ctypes.c_void_p), ("values", ctypes.c_void_p), ("index", ctypes.c_int32), ("part", ctypes.c_int32),
                ("compression", ctypes.c_int32), ("value_space", ctypes.c_int32)]


class Triples(ctypes.Structure):
    """gpusupernodal_triples"""
    _fields_ = [("rows", ctypes.c_int64), ("columns", ctypes.c_int64), ("count", ctypes.c_int64),
                ("row_indices", ctypes.c_void_p), ("column_indices", ctypes.c_void_p), ("values", ctypes.c_void_p),
                ("index", ctypes.c_int32), ("part", ctypes.c_int32), ("value_space", ctypes.c_int32)]


def _candidates() -> Iterator[str]:
    """Paths and names of the library, the first that exists is loaded: that of GPUSUPERNODAL_LIBRARY, the one that is
    installed with this package, the one that the loader finds."""
    named = os.environ.get("GPUSUPERNODAL_LIBRARY")
    if named:
        yield named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield from glob.glob(os.path.join(here, "libgpusupernodal.so*"))
    for up in range(2, 6):  # Installed in lib/python3.N/site-packages, and the library in lib.
        yield os.path.join(here, *[os.pardir] * up, SONAME)
    yield SONAME


def _in_nvidia_packages(name: str) -> Optional[str]:
    """The path of a library in NVIDIA's Python packages: the loader does not look there."""
    for folder in sys.path:
        found = sorted(glob.glob(os.path.join(glob.escape(folder or os.curdir), "nvidia", "*", "lib", name)))
        if found:
            return os.path.abspath(found[0])
    return None


def open_library(path: str) -> ctypes.CDLL:
    """Loads a library. What it needs and the loader does not find is loaded from NVIDIA's Python packages first; nothing else
    is, so that libraries of another CUDA version stay out of the process."""
    tried: set[str] = set()
    while True:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            missing = re.match(r"(lib[^:/\s]+\.so[^:/\s]*):", str(error))  # glibc names the missing library first.
            found = _in_nvidia_packages(missing[1]) if missing and missing[1] not in tried else None
            if missing is None or found is None:
                raise
            tried.add(missing[1])
            open_library(found)


def _load() -> ctypes.CDLL:
    reasons = []
    for candidate in _candidates():
        if os.sep in candidate and not os.path.exists(candidate):
            if os.environ.get("GPUSUPERNODAL_LIBRARY"):
                reasons.append(f"{candidate}: the file that GPUSUPERNODAL_LIBRARY names does not exist")
            continue
        try:
            return _declare(open_library(candidate))
        except OSError as error:
            reasons.append(str(error))
        except AttributeError as error:
            reasons.append(f"{candidate} is another version of the library ({error})")
    raise ImportError("gpusupernodal's library cannot be loaded: " + "; ".join(reasons) +
                      ". Install the package again, or set GPUSUPERNODAL_LIBRARY to the path of "
                      + SONAME)


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    handle, text, number, pointer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p
    matrix, dense = ctypes.POINTER(Matrix), ctypes.POINTER(Dense)
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "get_option": [handle, text, ctypes.POINTER(text)], "set_permutation": [handle, pointer, ctypes.c_int64],
            "set_last_rows": [handle, pointer, pointer, ctypes.c_int64], "set_stream": [handle, pointer],
            "set_shift": [handle, number, number], "reserve_right_hand_sides": [handle, ctypes.c_int64],
            "analyze": [handle, matrix], "factorize": [handle, matrix], "compute": [handle, matrix],
            "refactorize": [handle, pointer, ctypes.c_int64, ctypes.c_int], "status": [handle],
            "solve": [handle, dense, dense], "solve_part": [handle, ctypes.c_int, dense, dense],
            "report_number": [handle, text, ctypes.POINTER(number)], "report_text": [handle, text, ctypes.POINTER(text)],
            "log_determinant": [handle, ctypes.POINTER(number)], "determinant_sign": [handle, ctypes.POINTER(number)], "old_of_new": [handle, pointer, ctypes.c_int64],
            "reciprocal_condition": [handle, matrix, ctypes.POINTER(number)],
            "extract_l": [handle, pointer, pointer, pointer, ctypes.c_int64],
            "save_plan": [handle, text], "load_plan": [handle, matrix, text],
            "operator_create": [ctypes.c_int, ctypes.POINTER(handle)], "operator_set_option": [handle, text, text],
            "operator_set_stream": [handle, pointer], "operator_analyze": [handle, ctypes.POINTER(Sparse)],
            "operator_analyze_triples": [handle, ctypes.POINTER(Triples)],
            "operator_update": [handle, pointer, ctypes.c_int64, ctypes.c_int],
            "operator_multiply": [handle, ctypes.c_int, number, dense, number, dense],
            "operator_report_number": [handle, text, ctypes.POINTER(number)],
            "operator_report_text": [handle, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_" + name).argtypes = arguments
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "get_option": [handle, text, ctypes.POINTER(text)], "set_stream": [handle, pointer],
            "analyze": [handle, matrix], "compute": [handle, matrix],
            "update": [handle, pointer, ctypes.c_int64, ctypes.c_int],
            "set_operator": [handle, ctypes.c_int64, pointer, pointer], "set_preconditioner": [handle, pointer, pointer],
            "solve": [handle, dense, dense, ctypes.c_int],
            "report_number": [handle, ctypes.c_int64, text, ctypes.POINTER(number)],
            "report_text": [handle, ctypes.c_int64, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_pcg_" + name).argtypes = arguments
    batch_dense = ctypes.POINTER(BatchDense)
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "analyze": [handle, matrix, ctypes.c_int64], "set_wanted": [handle, pointer, ctypes.c_int64],
            "refactorize": [handle, pointer, ctypes.c_int64, ctypes.c_int64, ctypes.c_int],
            "refactorize_pointers": [handle, ctypes.POINTER(pointer), ctypes.c_int64, ctypes.c_int],
            "solve_part": [handle, ctypes.c_int, batch_dense, batch_dense],
            "statuses": [handle, pointer, ctypes.c_int64], "solve_statuses": [handle, pointer, ctypes.c_int64],
            "report_number": [handle, ctypes.c_int64, text, ctypes.POINTER(number)],
            "report_text": [handle, ctypes.c_int64, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_batch_" + name).argtypes = arguments
    library.gpusupernodal_batch_destroy.argtypes, library.gpusupernodal_batch_destroy.restype = [handle], None
    library.gpusupernodal_batch_message.argtypes, library.gpusupernodal_batch_message.restype = [handle], text
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "analyze": [handle, matrix, ctypes.c_int64], "set_wanted": [handle, pointer, ctypes.c_int64],
            "refactorize": [handle, ctypes.POINTER(pointer), ctypes.c_int64, ctypes.c_int],
            "solve_part": [handle, ctypes.c_int, dense, dense, ctypes.c_int64],
            "statuses": [handle, pointer, ctypes.c_int64], "solve_statuses": [handle, pointer, ctypes.c_int64],
            "pattern_of": [handle, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)],
            "report_number": [handle, ctypes.c_int64, text, ctypes.POINTER(number)],
            "report_text": [handle, ctypes.c_int64, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_variable_batch_" + name).argtypes = arguments
    library.gpusupernodal_variable_batch_destroy.argtypes = [handle]
    library.gpusupernodal_variable_batch_destroy.restype = None
    library.gpusupernodal_variable_batch_message.argtypes = [handle]
    library.gpusupernodal_variable_batch_message.restype = text
    library.gpusupernodal_batch_status_name.argtypes = [ctypes.c_int]
    library.gpusupernodal_batch_status_name.restype = text
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "get_option": [handle, text, ctypes.POINTER(text)], "set_stream": [handle, pointer],
            "analyze": [handle, matrix], "compute": [handle, matrix],
            "update": [handle, pointer, ctypes.c_int64, ctypes.c_int], "solve": [handle, dense, dense],
            "report_number": [handle, text, ctypes.POINTER(number)],
            "report_text": [handle, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_system_" + name).argtypes = arguments
    sparse = ctypes.POINTER(Sparse)
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "create_galerkin": [ctypes.c_int, ctypes.POINTER(handle)],
            "set_option": [handle, text, text], "set_stream": [handle, pointer], "analyze": [handle, sparse, sparse],
            "compute": [handle, pointer, ctypes.c_int64, pointer, ctypes.c_int64, ctypes.c_int],
            "copy": [handle, pointer, pointer, pointer],
            "report_number": [handle, text, ctypes.POINTER(number)]}.items():
        getattr(library, "gpusupernodal_product_" + name).argtypes = arguments
    library.gpusupernodal_product_destroy.argtypes, library.gpusupernodal_product_destroy.restype = [handle], None
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "set_stream": [handle, pointer], "analyze": [handle, sparse],
            "update": [handle, pointer, ctypes.c_int64, ctypes.c_int],
            "compute": [handle, pointer, ctypes.c_int64, ctypes.c_int, number],
            "matrix": [handle, matrix], "copy": [handle, pointer, pointer, pointer],
            "report_number": [handle, text, ctypes.POINTER(number)],
            "report_text": [handle, text, ctypes.POINTER(text)]}.items():
        getattr(library, "gpusupernodal_normal_" + name).argtypes = arguments
    library.gpusupernodal_normal_destroy.argtypes, library.gpusupernodal_normal_destroy.restype = [handle], None
    library.gpusupernodal_normal_message.argtypes, library.gpusupernodal_normal_message.restype = [handle], text
    library.gpusupernodal_product_message.argtypes, library.gpusupernodal_product_message.restype = [handle], text
    library.gpusupernodal_system_destroy.argtypes, library.gpusupernodal_system_destroy.restype = [handle], None
    library.gpusupernodal_system_message.argtypes, library.gpusupernodal_system_message.restype = [handle], text
    for name in ("system_option_name", "system_report_number_name"):
        function = getattr(library, "gpusupernodal_" + name)
        function.argtypes, function.restype = [ctypes.c_int], text
    library.gpusupernodal_pcg_destroy.argtypes, library.gpusupernodal_pcg_destroy.restype = [handle], None
    library.gpusupernodal_pcg_message.argtypes = [handle]
    library.gpusupernodal_destroy.argtypes, library.gpusupernodal_destroy.restype = [handle], None
    library.gpusupernodal_message.argtypes = [handle]
    library.gpusupernodal_operator_destroy.argtypes, library.gpusupernodal_operator_destroy.restype = [handle], None
    library.gpusupernodal_operator_message.argtypes, library.gpusupernodal_operator_message.restype = [handle], text
    library.gpusupernodal_backend_available.argtypes = library.gpusupernodal_built_with.argtypes = [text]
    for name in ("option_name", "report_number_name", "report_text_name", "pcg_option_name", "pcg_report_number_name"):
        getattr(library, "gpusupernodal_" + name).argtypes = [ctypes.c_int]
    for name in ("message", "version", "option_name", "report_number_name", "report_text_name", "pcg_message",
                 "pcg_option_name", "pcg_report_number_name"):
        getattr(library, "gpusupernodal_" + name).restype = text
    return library


library = _load()


def names(kind: str) -> list[str]:
    """All names of a kind: "option", "report_number", "report_text", "pcg_option", "pcg_report_number", "system_option" or
    "system_report_number"."""
    function = getattr(library, f"gpusupernodal_{kind}_name")
    found: list[str] = []
    while (name := function(len(found))) is not None:
        found.append(name.decode())
    return found


def version() -> str:
    """Returns the version of the library as "MAJOR.MINOR.PATCH"."""
    text: bytes = library.gpusupernodal_version()
    return text.decode()


def backend_available(name: str) -> bool:
    """Returns whether "host" or "cuda" can be used in this process.

    >>> backend_available("host")
    True
    """
    return bool(library.gpusupernodal_backend_available(name.encode()) == 1)


def backend_reason(name: str) -> str:
    """Returns why "host" or "cuda" cannot be used in this process, "" if it can.

    >>> backend_reason("host")
    ''
    """
    if backend_available(name):
        return ""
    text: bytes = library.gpusupernodal_message(None)
    return text.decode()


def built_with(name: str) -> bool:
    """Returns whether the library was built with a scalar type ("float", "double", "complex_float", "complex_double") or a form
    ("llt", "ldlt", "lu").

    >>> built_with("llt")
    True
    """
    return bool(library.gpusupernodal_built_with(name.encode()) == 1)
