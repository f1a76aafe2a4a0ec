"""Checks that docs/errors.md lists exactly the sentences that can be raised."""
import re
import sys

from markdown import ROOT, code_spans, parse, report, table_rows
from messages import collect

PAGE = ROOT / "docs/errors.md"


def bare(sentence):
    """The sentence without values at its ends, which the page may omit, and without doubled percent signs."""
    return re.sub(r"\s+", " ", sentence).replace("%%", "%").strip("… .")


def main():
    raised, silent = collect()
    page = parse(PAGE)
    listed = {}
    for cells in table_rows([text for _, text in page.prose]):
        if len(cells) != 3 or not all(cells):
            print(f"docs/errors.md: a row has not three filled cells: {cells}")
            return 1
        for span in code_spans(cells[0]):
            listed[bare(span)] = span
    errors = [f"docs/errors.md misses what {places[0]} raises: {text}"
              for text, places in raised.items() if bare(text) not in listed]
    known = {bare(text) for text in raised}
    errors += [f"docs/errors.md lists what nothing raises: {span}" for key, span in listed.items() if key not in known]
    errors += [f"{place}: the raised sentence is not found; name its source in tests/docs/messages.py" for place in silent]
    return report(f"errors ({len(raised)} sentences)", errors)


if __name__ == "__main__":
    sys.exit(main())
