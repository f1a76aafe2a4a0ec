"""What help() and type checkers show: every public name is listed, described and annotated."""
import inspect
import pydoc
import typing
import unittest

import gpusupernodal

PUBLIC = [(name, getattr(gpusupernodal, name)) for name in gpusupernodal.__all__]
CLASSES = [(name, item) for name, item in PUBLIC if inspect.isclass(item)]
LONGEST = 130  # Characters of a line of text.


def methods_of(item):
    """(name, function or property) of what a class of the package offers."""
    for base in inspect.getmro(item):
        if base.__module__.startswith("gpusupernodal"):
            yield from ((name, member) for name, member in vars(base).items()
                        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)))


class Help(unittest.TestCase):
    def test_all_is_sorted_out(self):
        self.assertEqual(len(set(gpusupernodal.__all__)), len(gpusupernodal.__all__))
        imported = {name for name, item in vars(gpusupernodal).items() if not name.startswith("_") and not inspect.ismodule(item)}
        self.assertEqual(imported, set(gpusupernodal.__all__))

    def test_every_name_has_a_docstring(self):
        for name, item in PUBLIC:
            if callable(item):
                self.assertTrue(inspect.getdoc(item), name)
        for name, item in CLASSES:
            for method, function in methods_of(item):
                text = inspect.getdoc(function)
                self.assertTrue(text, f"{name}.{method}")
                self.assertRegex(text.split("\n\n")[0], r"[.:]$", f"{name}.{method}: the first paragraph has no end")

    def test_every_argument_has_a_type(self):
        functions = [(name, item) for name, item in PUBLIC if inspect.isfunction(item)]
        for name, item in CLASSES:
            functions += [(f"{name}.{method}", member.fget if isinstance(member, property) else member)
                          for method, member in methods_of(item)]
        self.assertGreater(len(functions), 60)
        for name, function in functions:
            hints = typing.get_type_hints(function)
            self.assertIn("return", hints, name)
            for argument in inspect.signature(function).parameters:
                self.assertTrue(argument == "self" or argument in hints, f"{name}: {argument}")

    def test_the_overview_names_what_to_call(self):
        for name, _ in PUBLIC:
            if name in ("cholesky", "ldlt", "lu", "analyze", "spsolve", "System", "pcg", "Operator", "Batch", "VariableBatch", "Solver"):
                self.assertIn(f"    {name}(", gpusupernodal.__doc__)
        self.assertRegex(pydoc.plain(pydoc.render_doc(gpusupernodal)), r"cholesky\(A: '?Any")

    def test_lines_are_short(self):
        described = [(name, item) for name, item in PUBLIC if callable(item)]
        for name, item in CLASSES:
            described += [(f"{name}.{method}", function) for method, function in methods_of(item)]
        for name, item in described:
            for line in inspect.getdoc(item).splitlines():
                if not line.startswith("gpusupernodal._errors."):  # The output of a doctest.
                    self.assertLessEqual(len(line), LONGEST, f"{name}: {line}")


unittest.main()
