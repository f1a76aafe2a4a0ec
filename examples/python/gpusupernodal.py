"""gpusupernodal from Python over its C interface: SciPy matrices in, NumPy or CuPy arrays out. One file, to copy.

    solver = gpusupernodal.Solver(backend="host")
    solver.compute(a)          # a SciPy or CuPy sparse matrix, symmetric positive definite
    x = solver.solve(b)        # a vector, or right-hand sides in columns; x is where b is
    solver.solve(b, out=x)     # into an array of NumPy, or any with __cuda_array_interface__: CuPy's, PyTorch's, Numba's

The library is that of GPUSUPERNODAL_LIBRARY, or the one that the loader finds.
"""
import ctypes
import os

import numpy

FULL, LOWER, UPPER = 0, 1, 2
_HOST, _DEVICE = 0, 1


class _Matrix(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("offsets", ctypes.c_void_p), ("indices", ctypes.c_void_p),
                ("values", ctypes.c_void_p), ("index", ctypes.c_int32), ("part", ctypes.c_int32),
                ("compression", ctypes.c_int32), ("value_space", ctypes.c_int32)]


class _Dense(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("columns", ctypes.c_int64), ("ld", ctypes.c_int64), ("space", ctypes.c_int32)]


def _load():
    library = ctypes.CDLL(os.environ.get("GPUSUPERNODAL_LIBRARY", "libgpusupernodal.so"))
    handle, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double
    for name, arguments in {
            "create": [ctypes.c_int, ctypes.POINTER(handle)], "set_option": [handle, text, text],
            "get_option": [handle, text, ctypes.POINTER(text)], "set_permutation": [handle, ctypes.c_void_p, ctypes.c_int64],
            "set_last_rows": [handle, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64],
            "set_stream": [handle, ctypes.c_void_p], "set_shift": [handle, number, number],
            "analyze": [handle, ctypes.POINTER(_Matrix)], "factorize": [handle, ctypes.POINTER(_Matrix)],
            "compute": [handle, ctypes.POINTER(_Matrix)], "status": [handle],
            "solve": [handle, ctypes.POINTER(_Dense), ctypes.POINTER(_Dense)],
            "report_number": [handle, text, ctypes.POINTER(number)], "report_text": [handle, text, ctypes.POINTER(text)],
            "log_determinant": [handle, ctypes.POINTER(number)],
            "old_of_new": [handle, ctypes.c_void_p, ctypes.c_int64]}.items():
        getattr(library, "gpusupernodal_" + name).argtypes = arguments
    library.gpusupernodal_destroy.argtypes, library.gpusupernodal_destroy.restype = [handle], None
    library.gpusupernodal_message.argtypes = [handle]
    library.gpusupernodal_backend_available.argtypes = [text]
    for name in ("option_name", "report_number_name", "report_text_name"):
        getattr(library, "gpusupernodal_" + name).argtypes = [ctypes.c_int]
    for name in ("message", "version", "option_name", "report_number_name", "report_text_name"):
        getattr(library, "gpusupernodal_" + name).restype = text
    return library


_library = _load()


class Error(RuntimeError):
    """The sentence of the library; `code` is a gpusupernodal_code of gpusupernodal.h."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


class NotPositiveDefinite(Error):
    """A cannot be factorized; so it is too where it has NaN or Inf."""


def version():
    return _library.gpusupernodal_version().decode()


def backend_available(name):
    """Whether "host" or "cuda" can be used in this process."""
    return _library.gpusupernodal_backend_available(name.encode()) == 1


def _names(function):
    i = 0
    while (name := function(i)) is not None:
        yield name.decode()
        i += 1


def _on_device(array):
    return hasattr(array, "__cuda_array_interface__")


def _pointer(array):
    if _on_device(array):
        return array.__cuda_array_interface__["data"][0]
    return array.ctypes.data


def _on_host(array):
    """A contiguous array on the host; a copy of a CuPy array."""
    return numpy.require(array.get() if _on_device(array) else array, requirements=["C", "A"])


def _real(array, dtype, what):
    """The array as a contiguous one of a real type."""
    _refuse_complex(array, what)
    if _on_device(array):
        import cupy
        return cupy.ascontiguousarray(array, dtype=dtype)
    return numpy.require(array, dtype, ["C", "A"])


def _refuse_complex(array, what):
    """A conversion would drop the imaginary parts."""
    if array.dtype.kind == "c":
        raise TypeError(f"{what} has complex entries ({array.dtype}); only real systems are solved")


def _rows(numbers, what):
    """Row numbers as int64. Fractions are refused: a conversion drops them."""
    numbers = numpy.asarray(numbers)
    if numbers.size > 0 and numbers.dtype.kind not in "iu":
        raise TypeError(f"{what} has entries of type {numbers.dtype}; row numbers are integers")
    return numpy.ascontiguousarray(numpy.ravel(numbers), dtype=numpy.int64)


class Solver:
    """Empty, analyzed or factorized, as gpusupernodal::Solver. One thread at a time; options by name, as docs/options.md has
    them, those with a dot by set_option."""

    def __init__(self, dtype=numpy.float64, **options):
        self._handle = ctypes.c_void_p()
        self.dtype = numpy.dtype(dtype)
        if self.dtype not in (numpy.float32, numpy.float64):
            raise TypeError(f"{self.dtype} is neither float32 nor float64")
        self._check(_library.gpusupernodal_create(int(self.dtype == numpy.float64), ctypes.byref(self._handle)))
        for name, value in options.items():
            self.set_option(name, value)

    def __del__(self):
        _library.gpusupernodal_destroy(self._handle)

    def _check(self, code):
        if code != 0:
            kind = NotPositiveDefinite if code in (1, 2) else Error
            raise kind(code, _library.gpusupernodal_message(self._handle).decode())

    def _call(self, name, *arguments):
        self._check(getattr(_library, "gpusupernodal_" + name)(self._handle, *arguments))

    def set_option(self, name, value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._call("set_option", name.encode(), text.encode())

    def options(self):
        """All options and their values, as texts."""
        return {name: self._text("get_option", name) for name in _names(_library.gpusupernodal_option_name)}

    def set_permutation(self, old_of_new):
        """Row old_of_new[k] is eliminated k-th, from the next analyze on."""
        order = _rows(old_of_new, "the permutation")
        self._call("set_permutation", _pointer(order), order.size)

    def set_last_rows(self, *groups):
        """The rows of each group are eliminated after all others, group after group, from the next analyze on."""
        groups = [_rows(rows, "a group") for rows in groups]
        rows = numpy.concatenate([numpy.empty(0, numpy.int64), *groups])
        sizes = numpy.array([group.size for group in groups], dtype=numpy.int64)
        self._call("set_last_rows", _pointer(rows), _pointer(sizes), sizes.size)

    def set_stream(self, stream):
        """A cudaStream_t as a number, for instance cupy.cuda.get_current_stream().ptr."""
        self._call("set_stream", stream)

    def set_shift(self, offset, scale=1.0):
        """From the next factorize on, factorize scale·A + offset·I."""
        self._call("set_shift", offset, scale)

    def analyze(self, a, part=FULL):
        self._with_matrix("analyze", a, part)

    def factorize(self, a, part=FULL):
        """Values of `a`, whose pattern is that of analyze. Raises NotPositiveDefinite."""
        self._with_matrix("factorize", a, part)
        self._call("status")

    def compute(self, a, part=FULL):
        """analyze, then factorize."""
        self._with_matrix("compute", a, part)
        self._call("status")

    def _with_matrix(self, call, a, part):
        if not hasattr(a, "format") or not hasattr(a, "tocsc"):
            raise TypeError(f"a sparse matrix of SciPy or CuPy is needed, not {type(a).__name__}")
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise ValueError(f"the matrix is not square: {a.shape}")
        if a.format not in ("csc", "csr"):
            a = a.tocsc()
        if not a.has_canonical_format:
            a = a.copy()
            a.sum_duplicates()
        offsets, indices = _on_host(a.indptr), _on_host(a.indices)
        if offsets.dtype not in (numpy.int32, numpy.int64) or indices.dtype != offsets.dtype:
            offsets, indices = offsets.astype(numpy.int64), indices.astype(numpy.int64)
        values = _real(a.data, self.dtype, "the matrix")
        if offsets.size != a.shape[0] + 1 or offsets[-1] > min(indices.size, values.size):
            raise ValueError(f"the matrix is damaged: it has {offsets.size} offsets up to {offsets[-1:]}, {indices.size} indices "
                             f"and {values.size} values")
        view = _Matrix(a.shape[0], _pointer(offsets), _pointer(indices), _pointer(values), int(offsets.dtype == numpy.int64),
                       part, int(a.format == "csr"), _DEVICE if _on_device(values) else _HOST)
        self._call(call, ctypes.byref(view))

    def solve(self, b, out=None):
        """A⁻¹ b for a vector or a matrix of columns; the answer is a new array where b is, or `out`, which may be b."""
        if out is not None:
            views = [self._columns_of(b, "b", False), self._columns_of(out, "out", True)]
            if views[0].columns != views[1].columns:
                raise ValueError(f"b has {views[0].columns} columns, and out has {views[1].columns}")
            self._call("solve", ctypes.byref(views[0]), ctypes.byref(views[1]))
            return out
        if _on_device(b):
            import cupy as module
        else:
            module = numpy
        right = module.asarray(b)
        _refuse_complex(right, "b")
        right = module.asarray(right, dtype=self.dtype, order="F")
        return self.solve(right, module.empty(right.shape, dtype=self.dtype, order="F"))

    def _columns_of(self, array, name, written):
        """The view of an array that is taken as it lies."""
        if not (_on_device(array) or hasattr(array, "__array_interface__")):
            raise TypeError(f"{name} is no array but a {type(array).__name__}")
        about = array.__cuda_array_interface__ if _on_device(array) else array.__array_interface__
        shape, item, order = about["shape"], self.dtype.itemsize, int(self.report("analyze.n"))
        if order == 0:  # Of an empty matrix, or before analyze: then solving for no columns says so.
            none = _Dense(None, 0, 1, _HOST)
            self._call("solve", ctypes.byref(none), ctypes.byref(none))
        if len(shape) not in (1, 2) or shape[0] != order:
            raise ValueError(f"{name} has the shape {shape}, but the matrix is of order {order}")
        if about["typestr"] != self.dtype.str:
            raise TypeError(f"{name} has entries of type {about['typestr']}; {self.dtype.str} is needed")
        columns = shape[1] if len(shape) == 2 else 1
        strides = about.get("strides") or (item * columns, item)  # None: rows one after the other
        ld, rest = divmod(strides[1], item) if columns > 1 else (order, 0)
        in_place = ld >= order and rest == 0 and about["data"][0] % item == 0 and (order == 1 or strides[0] == item)
        if order > 0 and columns > 0 and not in_place:
            raise TypeError(f"{name} has strides of {strides} bytes; columns are needed that are contiguous, aligned and do not "
                            "overlap, as order='F' makes them")
        if written and about["data"][1]:
            raise ValueError(f"{name} is read-only")
        return _Dense(about["data"][0], columns, max(ld, order, 1), _DEVICE if _on_device(array) else _HOST)

    def log_determinant(self):
        value = ctypes.c_double()
        self._call("log_determinant", ctypes.byref(value))
        return value.value

    def old_of_new(self):
        """Rows of A in the order of elimination."""
        order = numpy.empty(int(self.report("analyze.n")), dtype=numpy.int64)
        self._call("old_of_new", _pointer(order), order.size)
        return order

    def _text(self, call, name):
        text = ctypes.c_char_p()
        self._call(call, name.encode(), ctypes.byref(text))
        return text.value.decode()

    def report(self, name):
        """A number or a text of the reports: "analyze.nonzeros_l", "factor.seconds", "analyze.device", …"""
        if name in _names(_library.gpusupernodal_report_text_name):
            return self._text("report_text", name)
        value = ctypes.c_double()
        self._call("report_number", name.encode(), ctypes.byref(value))
        return value.value

    def reports(self):
        """All of them."""
        names = [*_names(_library.gpusupernodal_report_text_name), *_names(_library.gpusupernodal_report_number_name)]
        return {name: self.report(name) for name in names}
