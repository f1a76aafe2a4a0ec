"""Result files that hold tables: {NAME: {"about": {...}, "columns": [...], "rows": [[...]]}}, with cells as they are shown.

The views that pages may name (bench/pages.py) are in VIEWS; the first argument of each is the name of the table. A column is
named by its header."""
import json
import re
from pathlib import Path


def load(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(cell):
    """The number that a cell shows, or None."""
    found = re.fullmatch(r"([-−]?[\d.,]+(?:e[-+]?\d+)?)\*?(?: [¹²³⁴⁵⁶])?", cell.strip())
    return float(found.group(1).replace(",", "").replace("−", "-")) if found else None


def column(table, name):
    if name not in table["columns"]:
        raise ValueError(f"there is no column \"{name}\"; there are {', '.join(table['columns'])}")
    return table["columns"].index(name)


def selected(table, conditions):
    """Rows that meet all conditions, each COLUMN=TEXT, COLUMN<NUMBER or COLUMN>=NUMBER."""
    rows = table["rows"]
    for condition in conditions:
        name, sign, wanted = re.fullmatch(r"(.*?)(>=|<|=)(.*)", condition).groups()
        k = column(table, name)
        if sign == "=":
            rows = [row for row in rows if row[k] == wanted]
        else:
            rows = [row for row in rows if number(row[k]) is not None
                    and (number(row[k]) >= float(wanted)) == (sign == ">=")]
    if not rows:
        raise ValueError(f"no row has {' and '.join(conditions)}")
    return rows


def whole(results, name, *columns):
    """The table, or the named columns of it; under it, which rows are of another run."""
    table = results[name]
    kept = [column(table, c) for c in columns] or list(range(len(table["columns"])))
    text = markdown([table["columns"][k] for k in kept], [[row[k] for k in kept] for row in table["rows"]])
    other = table["about"].get("other_rows")
    return f"{text}\n\n{other[0].upper()}{other[1:]}." if other and re.search("[¹²³⁴⁵⁶]", text) else text


def relative(results, name, base, *columns):
    """Named columns over the column `base`, row by row, with two digits; behind the first column."""
    table = results[name]
    k = column(table, base)
    rows = []
    for row in table["rows"]:
        values = [(number(row[column(table, c)]), number(row[k])) for c in columns]
        rows.append([row[0], *(f"{a / b:.2f}" if a and b else "–" for a, b in values)])
    return markdown([table["columns"][0], *columns], rows)


def about(results, name):
    """Where, when, at which commit and by which command it was measured."""
    run = results[name]["about"]
    return f"{run['machine']}; {run['date']}, commit {run['commit']}, `{run['command']}`"


def cell(results, name, wanted, *conditions):
    """A cell of the first row that meets the conditions."""
    table = results[name]
    return selected(table, conditions)[0][column(table, wanted)]


def extreme(values, which, digits):
    value = {"least": min, "most": max}[which](values)
    return f"{value:.{int(digits)}f}" if digits.isdigit() else f"{value:{digits}}"


def of_column(results, name, which, digits, wanted, *conditions):
    """The minimum or maximum of a column, with that many decimals."""
    table = results[name]
    values = [number(row[column(table, wanted)]) for row in selected(table, conditions)]
    return extreme([value for value in values if value is not None], which, digits)


def pairs(results, name, one, other, conditions):
    table = results[name]
    cells = [(number(row[column(table, one)]), number(row[column(table, other)])) for row in selected(table, conditions)]
    return [(a, b) for a, b in cells if a is not None and b is not None]


def ratio(results, name, which, digits, one, other, *conditions):
    """The least or the most of one column over another, row by row."""
    return extreme([a / b for a, b in pairs(results, name, one, other, conditions)], which, digits)


def difference(results, name, which, digits, one, other, *conditions):
    """The least or the most of one column minus another, row by row."""
    return extreme([a - b for a, b in pairs(results, name, one, other, conditions)], which, digits)


def geometric_mean(results, name, digits, wanted, *conditions):
    table = results[name]
    values = [number(row[column(table, wanted)]) for row in selected(table, conditions)]
    product = 1.0
    for value in values:
        product *= value ** (1.0 / len(values))
    return f"{product:.{int(digits)}f}"


VIEWS = {"table": whole, "relative": relative, "about": about, "cell": cell, "extreme": of_column, "ratio": ratio, "difference": difference,
         "mean": geometric_mean}
