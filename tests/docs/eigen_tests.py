"""Checks that the table of tests in docs/eigen.md names exactly the suites of tests/plugin/eigen."""
import re
import sys

from markdown import ROOT, parse, report, table_rows

SUITE = re.compile(r"^(?:TEST|TEST_F|TYPED_TEST)\((\w+),", re.MULTILINE)


def findings():
    folder = ROOT / "tests/plugin/eigen"
    written = set(SUITE.findall("\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cpp")))))
    named = {name for row in table_rows(parse(ROOT / "docs/eigen.md").section("What is tested"))
             for name in re.findall(r"`(\w+)`", row[-1])}
    yield from (f"docs/eigen.md: the table of tests misses {name}" for name in sorted(written - named))
    yield from (f"docs/eigen.md: there is no test suite {name}" for name in sorted(named - written))
    if len(written) < 10:
        yield "tests/plugin/eigen: too few suites were found; has their form changed?"


if __name__ == "__main__":
    sys.exit(report("eigen_tests", list(findings())))
