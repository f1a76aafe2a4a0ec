"""Tests objects that are copied, pickled or used after errors, and inputs that a conversion would spoil. Exits 77 without SciPy."""
import copy
import pickle
import re
import sys
import unittest
import weakref

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import gpusupernodal

N = 40
A = scipy.sparse.csc_matrix(scipy.sparse.diags([-1.0, 4.0, -1.0], [-5, 0, 5], shape=(N, N)))
B = numpy.linspace(1.0, 2.0, N)
BOUND = 4 * N * numpy.finfo(float).eps * 3 * 2


class Exported:
    """An array that offers DLPack alone. `make` gives the NumPy array that is exported, and is asked each time."""

    def __init__(self, make, arguments):
        self.make, self.arguments = make, arguments
        self.shape, self.dtype = make().shape, make().dtype

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **arguments):
        if not self.arguments and arguments:
            raise TypeError("an unexpected keyword argument")  # As exporters from before DLPack 1.0 say.
        return self.make().__dlpack__(**{name: arguments[name] for name in self.arguments if name in arguments})


def knows_versions():
    try:
        numpy.zeros(1).__dlpack__(max_version=(1, 0))
    except (AttributeError, TypeError):
        return False
    return True


@unittest.skipUnless(hasattr(numpy.ndarray, "__dlpack__"), "this NumPy has no DLPack")
class DlpackOnTheHost(unittest.TestCase):
    ARGUMENTS = [[], ["max_version"]] if knows_versions() else [[]]

    def test_right_hand_side_and_solution(self):
        factor = gpusupernodal.cholesky(A, backend="host")
        for arguments in self.ARGUMENTS:
            x = numpy.zeros(N)
            factor.solve(Exported(lambda: B, arguments), out=Exported(lambda: x, arguments))
            self.assertLessEqual(abs(A @ x - B).max(), BOUND)
            self.assertTrue((factor(Exported(lambda: B, arguments)) == x).all())

    @unittest.skipUnless(knows_versions(), "this NumPy's DLPack does not say what is read-only")
    def test_a_solution_that_may_only_be_read(self):
        fixed = numpy.zeros(N)
        fixed.flags.writeable = False
        factor = gpusupernodal.cholesky(A, backend="host")
        self.assertRaisesRegex(ValueError, "out is read-only", factor.solve, B, out=Exported(lambda: fixed, ["max_version"]))
        self.assertFalse(fixed.any())

    def test_memory_that_belongs_to_the_capsule_lives_until_the_call_returns(self):
        """An exporter may hand out a new array that nothing else refers to."""
        solver, exported, alive = gpusupernodal.Solver(backend="host"), [], []
        solver.compute(A)
        call = solver._call

        def watched(name, *arguments):
            call(name, *arguments)
            if name == "solve_part":
                alive.append(exported[-1]() is not None)

        def fresh():
            array = B.copy()
            exported.append(weakref.ref(array))
            return array

        solver._call = watched
        x = numpy.zeros(N)
        solver.solve(Exported(fresh, []), out=x)
        self.assertEqual(alive, [True])
        self.assertLessEqual(abs(A @ x - B).max(), BOUND)


class Copies(unittest.TestCase):
    def test_copies_are_refused_and_the_original_stays(self):
        solver = gpusupernodal.Solver(backend="host")
        solver.compute(A)
        factor = gpusupernodal.cholesky(A, backend="host")
        for original in (solver, factor):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                self.assertRaisesRegex(TypeError, "neither copied nor pickled", duplicate, original)
            self.assertLessEqual(abs(A @ original.solve(B) - B).max(), BOUND)

    def test_exceptions_travel_between_processes(self):
        with self.assertRaises(gpusupernodal.NotPositiveDefinite) as failed:
            gpusupernodal.cholesky(-A)
        with self.assertRaises(gpusupernodal.Error) as refused:
            gpusupernodal.cholesky(A, threads=-1)
        for error in (failed.exception, refused.exception):
            other = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(other), str(other), vars(other)), (type(error), str(error), vars(error)))


class Spoilt(unittest.TestCase):
    def setUp(self):
        self.factor = gpusupernodal.cholesky(A, backend="host")

    def test_right_hand_sides(self):
        for b, sentence in ((["1"] * N, "b has entries of type <U1"), ([None] * N, "b has entries of type object"),
                            (scipy.sparse.csc_matrix(B).T, "b is a sparse"), (numpy.ma.masked_array(B, B > 1.5), "masked"),
                            (None, "b has entries of type object"), (B * 1j, "b has complex")):
            self.assertRaisesRegex(TypeError, sentence, self.factor, b)

    def test_new_values(self):
        for values, kind, sentence in ((A.toarray(), ValueError, "shape \\(40, 40\\)"), (None, TypeError, "are a NoneType"),
                                       (A.data.tolist(), TypeError, "are a list"), ("values", TypeError, "not str"),
                                       (A.data.astype(object), TypeError, "type object"), (A.data > 9.0, None, "")):
            if kind is None:
                self.assertRaises(gpusupernodal.NotPositiveDefinite, self.factor.refactorize, values)  # Numbers: 0 and 1.
            else:
                self.assertRaisesRegex(kind, sentence, self.factor.refactorize, values)
        small = scipy.sparse.csc_matrix([[4.0, 1.0], [1.0, 3.0]])  # A dense matrix has as many entries as this one.
        self.assertRaises(ValueError, gpusupernodal.cholesky(small).refactorize, small.toarray())

    def test_patterns_that_are_damaged(self):
        """The library says where, also where the symmetry of the pattern is checked."""
        for name, position, value, sentence in (("indices", 3, 10**6, "indices\\[3\\] .* is 1000000"), ("indptr", 3, -5, "offsets\\[3\\]"),
                                                ("indices", 0, -1, "indices\\[0\\]")):
            damaged = A.copy()
            damaged.has_canonical_format = True
            getattr(damaged, name)[position] = value
            self.assertRaisesRegex(gpusupernodal.Error, sentence, gpusupernodal.cholesky, damaged)


class Formats(unittest.TestCase):
    def test_refactorize_takes_every_format(self):
        """The new matrix becomes what the first was, rows or columns: the halves have another pattern in each."""
        for half in ("lower", "upper"):
            stored = scipy.sparse.tril(A) if half == "lower" else scipy.sparse.triu(A)
            for first in ("csc", "csr", "coo", "dia"):
                factor = gpusupernodal.cholesky(stored.asformat(first), part=half, backend="host")
                for second in ("csc", "csr", "coo"):
                    factor.refactorize((2.0 * stored).asformat(second))
                    self.assertLessEqual(abs(2.0 * (A @ factor(B)) - B).max(), BOUND, (half, first, second))


    def test_refactorize_takes_entries_in_another_order(self):
        first = A.sorted_indices()
        other = first.copy()
        for j in range(N):
            entries = slice(other.indptr[j], other.indptr[j + 1])
            other.indices[entries], other.data[entries] = first.indices[entries][::-1], 2.0 * first.data[entries][::-1]
        other.has_sorted_indices = other.has_canonical_format = False
        factor = gpusupernodal.cholesky(first, backend="host").refactorize(other)
        self.assertLessEqual(abs(2.0 * (A @ factor(B)) - B).max(), BOUND)
        self.assertFalse(other.has_sorted_indices)  # The caller's matrix stays as it is.
        self.assertLess(factor.rcond(other), 1.0)


class Options(unittest.TestCase):
    def test_solver_has_the_keywords_of_cholesky(self):
        options = gpusupernodal.Solver(refinement_max_steps=3, ordering="amd").options()
        self.assertEqual((options["refinement.max_steps"], options["ordering"]), ("3", "amd"))
        self.assertRaisesRegex(TypeError, r"Operator\(\) has no option 'formt'; did you mean 'format'", gpusupernodal.Operator, A,
                               formt="csr")
        self.assertRaisesRegex(TypeError, r"Solver\(\) has no option 'orderng'; did you mean 'ordering'", gpusupernodal.Solver,
                               orderng="amd")

    def test_devices_are_a_list(self):
        for devices, text in (([0, 1], "0,1"), ((2,), "2"), (range(3), "0,1,2"), (numpy.arange(2).tolist(), "0,1"), ([], ""),
                              ("1,0", "1,0")):
            self.assertEqual(gpusupernodal.Solver(devices=devices).options()["devices"], text)
        factor = gpusupernodal.cholesky(A, backend="host", devices=[0, 1])  # The host ignores the list.
        self.assertLessEqual(abs(A @ factor(B) - B).max(), BOUND)
        self.assertRaisesRegex(gpusupernodal.Error, "devices lists -1", gpusupernodal.cholesky, A, devices=[0, -1])
        self.assertRaisesRegex(gpusupernodal.Error, "devices cannot be '0,,1'", gpusupernodal.cholesky, A, devices="0,,1")
        self.assertRaisesRegex(gpusupernodal.Error, "only if the form is llt", gpusupernodal.ldlt, A, devices=[0, 1])
        self.assertRaisesRegex(gpusupernodal.Error, "set one of the two", gpusupernodal.cholesky, A, device=0, devices=[0, 1])
        for wrong in ([0.5], ["0"], [None]):
            self.assertRaises(TypeError, gpusupernodal.cholesky, A, devices=wrong)

    def test_device_memory_is_a_number_of_bytes(self):
        for limit, text in ((0, "0"), (20e9, "20000000000"), (numpy.float64(2e9), "2000000000"), (numpy.int64(7), "7")):
            options = gpusupernodal.Solver(memory="hybrid", device_memory_limit=limit).options()
            self.assertEqual((options["memory"], options["device_memory_limit"]), ("hybrid", text))
        factor = gpusupernodal.cholesky(A, backend="host", memory="hybrid", device_memory_limit=1)  # The host ignores both.
        self.assertLessEqual(abs(A @ factor(B) - B).max(), BOUND)
        self.assertRaisesRegex(gpusupernodal.Error, "device_memory_limit is -1", gpusupernodal.cholesky, A, device_memory_limit=-1)
        for wrong in (0.5, float("inf"), float("nan"), "2GB"):
            self.assertRaisesRegex(gpusupernodal.Error, "device_memory_limit cannot be", gpusupernodal.cholesky, A,
                                   device_memory_limit=wrong)
        self.assertRaisesRegex(gpusupernodal.Error, "memory cannot be 'host'; it may be auto, device", gpusupernodal.cholesky, A,
                               memory="host")
        self.assertRaisesRegex(gpusupernodal.Error, "only if the form is llt", gpusupernodal.lu, A, memory="hybrid")


class Shifts(unittest.TestCase):
    def test_a_shift_is_a_real_number(self):
        factor = gpusupernodal.ldlt(A, backend="host", shift=numpy.float32(1.0))
        for wrong in (1j, numpy.complex64(2), "1", [1.0]):
            sentence = re.escape(f"the shift is {wrong!r}; a real number is needed")
            for call in (gpusupernodal.cholesky, gpusupernodal.ldlt, lambda a, shift: factor.refactorize(a, shift=shift)):
                self.assertRaisesRegex(TypeError, sentence, call, A, shift=wrong)
        self.assertEqual(factor.refactorize(A, shift=2).inertia.positive, N)  # The failed calls left a usable object.


class Descriptions(unittest.TestCase):
    def test_what_a_factor_says_of_itself(self):
        factor = gpusupernodal.analyze(A, backend="host")
        self.assertIn("not factorized", repr(factor))
        self.assertIn("success", repr(factor.refactorize(A)))
        self.assertRaises(gpusupernodal.NotPositiveDefinite, factor.refactorize, -A)
        self.assertIn("not_positive_definite", repr(factor))
        self.assertIsNone(gpusupernodal.Solver().outcome())


if __name__ == "__main__":
    unittest.main()
