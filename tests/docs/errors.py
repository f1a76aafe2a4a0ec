"""Checks that the pages of errors list every sentence that can be raised, each once, and no others."""
import re
import sys

from markdown import ROOT, code_spans, parse, report, table_rows
from messages import collect

PAGES = ("docs/errors.md", "docs/errors-front-ends.md", "docs/errors-batches.md", "docs/errors-distributed.md", "docs/errors-products.md")


def bare(sentence):
    """The sentence without values at its ends, which the page may omit, and without doubled percent signs."""
    return re.sub(r"\s+", " ", sentence).replace("%%", "%").strip("… .")


def listed_in(name):
    """The messages of a page: {bare message: as it is written there}, and what is wrong with its tables."""
    listed, errors = {}, []
    for cells in table_rows([text for _, text in parse(ROOT / name).prose]):
        if len(cells) != 3 or not all(cells):
            errors.append(f"{name}: a row does not have three filled cells: {cells}")
            continue
        listed.update((bare(span), span) for span in code_spans(cells[0]))
    return listed, errors


def main():
    raised, silent = collect()
    known = {bare(text) for text in raised}
    listed, errors = {}, []
    for name in PAGES:
        of_page, wrong = listed_in(name)
        errors += wrong
        errors += [f"{name} lists a message that nothing raises: {span}" for key, span in of_page.items() if key not in known]
        errors += [f"{name} repeats a message of another page: {span}" for key, span in of_page.items() if key in listed]
        listed.update(of_page)
    errors += [f"{' and '.join(PAGES)} miss what {places[0]} raises: {text}"
               for text, places in raised.items() if bare(text) not in listed]
    errors += [f"{place}: the raised message is not found; name its source in tests/docs/messages.py" for place in silent]
    return report(f"errors ({len(raised)} sentences)", errors)


if __name__ == "__main__":
    sys.exit(main())
