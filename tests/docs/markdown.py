"""Reads the parts of Markdown that the checks need: headings and their anchors, links, tables, fenced blocks with markers."""
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Blocks in these languages are run; those in SHOWN are not; any other language is an error.
RUN = ("sh", "console", "cpp", "cmake", "c", "python")
SHOWN = ("text", "json")

# Permitted reasons in <!-- not run: REASON --> before a block; any other reason is an error.
REASONS = {
    "root": "needs the rights of root",
    "network": "needs the network",
    "gpu": "needs a GPU",
    "suite": "builds or tests everything, as other tests do",
}
# Permitted reasons in <!-- compiled only: REASON -->: the C++ block is compiled but not run.
COMPILED_ONLY = {"gpu": "needs a GPU"}


@dataclass
class Block:
    file: Path
    line: int
    language: str
    text: str
    not_run: str = ""
    compiled_only: str = ""

    def place(self):
        return f"{self.file.relative_to(ROOT)}:{self.line}"


@dataclass
class Document:
    path: Path
    lines: list = field(default_factory=list)
    blocks: list = field(default_factory=list)
    prose: list = field(default_factory=list)  # (line number, text) outside of fenced blocks
    errors: list = field(default_factory=list)

    def name(self):
        return str(self.path.relative_to(ROOT))

    def anchors(self):
        """Anchors that GitHub derives from headings."""
        seen = {}
        for _, text in self.prose:
            heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", text)
            if not heading:
                continue
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            anchor = "".join(c for c in title if c.isalnum() or c in " -_").replace(" ", "-")
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            yield anchor if count == 0 else f"{anchor}-{count}"

    def links(self):
        for number, text in self.prose:
            plain = re.sub(r"`[^`]*`", "", text)
            for target in re.findall(r"\]\(([^)\s]+)\)", plain):
                yield number, target

    def section(self, title):
        """Prose of the section with this heading, up to the next one of the same or a higher level."""
        lines, level = [], 0
        for _, text in self.prose:
            heading = re.match(r"(#{1,6})\s+(.*)", text)
            if heading and level and len(heading.group(1)) <= level:
                break
            if level:
                lines.append(text)
            elif heading and heading.group(2).strip() == title:
                level = len(heading.group(1))
        if not level:
            raise ValueError(f"{self.name()} has no section '{title}'")
        return lines


def parse(path):
    document = Document(path, path.read_text(encoding="utf-8").splitlines())
    marker, fence, block = None, "", None
    for number, text in enumerate(document.lines, 1):
        stripped = text.strip()
        if block is not None:
            if stripped == fence:
                document.blocks.append(block)
                block = None
            else:
                indent = len(text) - len(text.lstrip())
                block.text += text[min(indent, block_indent):] + "\n"
            continue
        opening = re.match(r"(\s*)(`{3,})\s*([\w+-]*)\s*$", text)
        if opening:
            block_indent, fence = len(opening.group(1)), opening.group(2)
            block = Block(path, number, opening.group(3), "")
            apply_marker(document, block, marker)
            marker = None
            continue
        found = re.match(r"\s*<!--\s*(not run|compiled only):\s*(.*?)\s*-->\s*$", text)
        if found:
            marker = (found.group(1), found.group(2), number)
        elif marker and stripped:
            document.errors.append(f"{document.name()}:{marker[2]}: the marker stands before no block")
            marker = None
        document.prose.append((number, text))
    if block is not None:
        document.errors.append(f"{block.place()}: the block does not end")
    return document


def apply_marker(document, block, marker):
    if block.language not in RUN + SHOWN:
        document.errors.append(f"{block.place()}: the block's language is '{block.language}', not one of {RUN + SHOWN}")
    if marker is None:
        return
    kind, reason, line = marker
    known = REASONS if kind == "not run" else COMPILED_ONLY
    if reason not in known:
        document.errors.append(f"{document.name()}:{line}: '{kind}: {reason}' is not known; reasons are {', '.join(known)}")
    elif kind == "not run":
        block.not_run = reason
    else:
        block.compiled_only = reason


def documents():
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [parse(path) for path in paths if path.exists()]


def all_markdown():
    """Every Markdown file of the checkout, for the check of links."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "--", "*.md"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        return [parse(ROOT / name) for name in listed.stdout.split("\n") if name and (ROOT / name).exists()]
    return [parse(path) for path in sorted(ROOT.rglob("*.md")) if "build" not in path.relative_to(ROOT).parts[0]]


def table_rows(lines):
    """Cells of all rows of the tables in `lines`, without headers and rules. A bar in a cell is written \\|."""
    previous_was_row = False
    for index, text in enumerate(lines):
        is_row = text.strip().startswith("|")
        follows_rule = index + 1 < len(lines) and re.match(r"\s*\|[\s:|-]+\|\s*$", lines[index + 1])
        if is_row and not re.match(r"\s*\|[\s:|-]+\|\s*$", text) and (previous_was_row or not follows_rule):
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", text.strip().strip("|"))]
        previous_was_row = is_row


def code_spans(text):
    return re.findall(r"`([^`]+)`", text)


def report(name, errors):
    """Prints the findings; returns the exit status of a check."""
    for error in errors:
        print(error)
    print(f"{name}: {len(errors)} errors" if errors else f"{name}: ok")
    return 1 if errors else 0
