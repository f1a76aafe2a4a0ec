"""Checks that docs/command-line.md agrees with the command's --help: options, exit codes, generators, JSON keys.
usage: command_line.py PROGRAM"""
import json
import re
import subprocess
import sys
import tempfile

from markdown import ROOT, code_spans, parse, report, table_rows

PAGE = ROOT / "docs/command-line.md"
TOOLS = ROOT / "docs/command-line-tools.md"


def output_of(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def options_in_help(text):
    """Names of options at the beginning of the help's lines."""
    found = set()
    for line in text.splitlines():
        names = re.match(r"\s+((?:-\w|--[\w-]+)(?:,\s*(?:-\w|--[\w-]+))*)(?:\s|$)", line)
        if names:
            found |= {name.strip() for name in names.group(1).split(",")}
    return found


def options_in_page(lines):
    found = set()
    for cells in table_rows(lines):
        for span in code_spans(cells[0]):
            found |= {word for word in re.split(r"[\s,]+", span) if re.fullmatch(r"-\w|--[\w-]+", word)}
    return found


def difference(what, in_program, in_page):
    for name in sorted(in_program - in_page):
        yield f"docs/command-line.md: {what} {name} of the program is missing"
    for name in sorted(in_page - in_program):
        yield f"docs/command-line.md: {what} {name} is not the program's"


def exit_codes_in_code():
    source = (ROOT / "cli/exit_code.hpp").read_text(encoding="utf-8")
    return set(re.findall(r"=\s*(\d+)", re.search(r"enum class ExitCode \{(.*?)\}", source, re.S).group(1)))


def keys_in_page(page, title):
    return {span for cells in table_rows(page.section(title)) for span in code_spans(cells[0])}


def all_keys(value):
    """Keys of a JSON object and, as outer.inner, of objects in it; for lists, the keys of the elements."""
    if isinstance(value, list):
        return set().union(*map(all_keys, value))
    if not isinstance(value, dict):
        return set()
    keys = set()
    for name, inner in value.items():
        keys |= {name} | {f"{name}.{k}" for k in all_keys(inner)}
    return keys


def check_json(program, page, tools):
    matrix = str(ROOT / "tests/data/bcsstk04.mtx.gz")
    analyze = all_keys(json.loads(output_of(program, "analyze", matrix, "--json", "--backend", "cuda", "--devices", "0,1")))
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        solve = all_keys(json.loads(output_of(program, "solve", matrix, "--json", "--refine", "1", "--trace", trace.name)))
    solve |= all_keys(json.loads(output_of(program, "solve", "circuit:4", "--form", "lu", "--json")))
    solve |= all_keys(json.loads(output_of(program, "solve", matrix, "--form", "ldlt", "--json")))
    report = set()
    for spec in ("lap2d:25", "circuit:4", str(ROOT / "tests/docs/data/indefinite.mtx")):
        report |= all_keys(json.loads(output_of(program, "report", spec, "--json", "--seconds", "2")))
    report -= {f"analysis.{key}" for key in analyze}  # Documented there.
    failed = subprocess.run([program, "solve", str(ROOT / "tests/docs/data/indefinite.mtx"), "--json"], capture_output=True,
                            text=True)
    solve |= all_keys(json.loads(failed.stdout))
    bench = all_keys(json.loads(output_of(program, "bench", matrix, "--json", "--repeat", "1")))
    inner = {key.removeprefix("matrices.") for key in bench if key.startswith("matrices.")}
    info = all_keys(json.loads(output_of(program, "info", "--json")))
    failure = {key for key in solve if key in keys_in_page(tools, "Errors as JSON")}
    yield from difference("JSON key of errors", failure, keys_in_page(tools, "Errors as JSON"))
    documented = {name: keys_in_page(page, f"JSON of {name}") for name in ("analyze", "solve", "bench")}
    documented["info"] = keys_in_page(tools, "JSON of info")
    yield from difference("JSON key of analyze", analyze, documented["analyze"])
    # Files cannot contain a non-finite entry, so failed_row needs a matrix that overflows in float.
    yield from difference("JSON key of solve", (solve - analyze - failure) | {"failed_row"}, documented["solve"])
    outer = {key for key in bench if not key.startswith("matrices.")}
    again = (inner & (analyze | solve)) & documented["bench"]  # Documented twice if the meaning differs.
    yield from difference("JSON key of bench", outer | (inner - analyze - solve) | again, documented["bench"])
    yield from difference("JSON key of info", info, documented["info"])
    yield from check_json_of_tools(program, tools, solve)
    yield from difference("JSON key of report", report, keys_in_page(parse(ROOT / "docs/report.md"), "JSON"))


def check_json_of_tools(program, tools, solve):
    """Subcommands whose tables are in docs/command-line-tools.md; `solve`: the keys that docs/command-line.md has."""
    multiply = all_keys(json.loads(output_of(program, "multiply", "lap2d:9", "--backend", "host", "--json")))
    yield from difference("JSON key of multiply", multiply, keys_in_page(tools, "JSON of multiply"))
    tune = all_keys(json.loads(output_of(program, "tune", "lap2d:8", "--fit", "lap2d:9", "--rounds", "1", "--backend", "host", "--json")))
    yield from difference("JSON key of tune", tune, keys_in_page(parse(ROOT / "docs/tuning.md"), "JSON of tune"))
    batch = set()
    for form in ("llt", "ldlt", "lu"):
        batch |= all_keys(json.loads(output_of(program, "batch", "lap2d:9", "--count", "2", "--form", form, "--json")))
    as_solve = {key for key in batch if key.removeprefix("systems.") in solve and key.startswith("systems.")}
    documented = keys_in_page(tools, "JSON of batch") - {"systems.…"}
    yield from difference("JSON key of batch", batch - (as_solve - documented), documented)
    doctor = all_keys(json.loads(output_of(program, "doctor", "--json")))
    in_page = {span for cells in table_rows(tools.section("gpusupernodal doctor")) if code_spans(cells[0]) == ["--json"]
               for span in code_spans(cells[1])}
    yield from difference("JSON key of doctor", {key.removeprefix("checks.") for key in doctor}, in_page)


def manual_page_lacks(subcommands):
    """Subcommands that a section of the manual page does not name."""
    page = (ROOT / "packaging/gpusupernodal.1").read_text(encoding="utf-8")
    for section in ("SYNOPSIS", "SUBCOMMANDS"):
        named = set(re.findall(r"\w+", page.split(f".SH {section}")[1].split(".SH")[0]))
        for name in sorted(subcommands - named):
            yield f"packaging/gpusupernodal.1: the section {section} does not name {name}"


def main(program):
    page = parse(PAGE)
    errors = []
    top = output_of(program, "--help")
    subcommands = set(re.findall(r"^  (\w+)  ", top.split("Subcommands:")[1].split("\n\n")[0], re.M))
    tools = parse(TOOLS)
    tuning = parse(ROOT / "docs/tuning.md")
    documented = {title.group(1) for _, text in page.prose + tools.prose + tuning.prose if (title := re.match(r"## gpusupernodal (\w+)$", text))}
    errors += difference("subcommand", subcommands, documented)
    errors += difference("option", options_in_help(top), options_in_page(page.section("Options of the command itself")))
    for name in sorted(subcommands & documented):
        home = tools if name in ("info", "doctor", "completion", "multiply", "batch", "report") else page
        home = tuning if name == "tune" else home
        in_page = options_in_page(home.section(f"gpusupernodal {name}"))
        if name in ("solve", "analyze", "bench", "batch"):
            in_page |= options_in_page(page.section("Options of the analysis"))
        if name in ("solve", "bench"):
            in_page |= options_in_page(page.section("Options of the numerical phases"))
        errors += difference(f"option of {name}", options_in_help(output_of(program, name, "--help")), in_page)
    errors += difference("exit code", exit_codes_in_code(), keys_in_page(page, "Exit codes"))
    generators = {word for word in re.findall(r"(\w+):N", top.split("Exit codes")[0])}
    errors += difference("generator", {f"{name}:N" for name in generators}, keys_in_page(page, "Matrices"))
    errors += manual_page_lacks(subcommands)
    errors += check_json(program, page, tools)
    return report("command line", errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
