"""Checks blocks of commands with output: `$ command`, then the lines it prints. Numbers and units may differ; … matches
anything within a line, a line of only … matches any lines."""
import re


def commands_of(text):
    """[(command, [expected lines])]; a command that ends in a backslash continues on the next line."""
    found, lines = [], text.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\") and lines:
                command += "\n" + lines.pop(0)
            found.append((command, []))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError("the block does not begin with '$ '")
    return found


def comparable(line):
    """The line without parts that vary between runs: numbers, units of time and memory, widths of columns."""
    line = re.sub(r"\d[\d.,]*(?:e[+-]?\d+)?", "#", line)
    line = re.sub(r"# (?:s|ms|µs|B|kB|MB|GB)\b", "# unit", line)
    return re.sub(r"\s+", " ", line).strip()


def line_pattern(line):
    return ".*".join(re.escape(comparable(part)).replace(r"\ ", " ") for part in line.split("…"))


def matches(expected, actual):
    """Whether the lines match the expected ones."""
    pattern = ""
    for line in expected:
        pattern += r"(?:[^\n]*\n)*?" if line.strip() == "…" else r" *" + line_pattern(line) + r" *\n"
    text = "".join(comparable(line) + "\n" for line in actual)
    return re.fullmatch(pattern, text) is not None


def check_console(text, run):
    """The failure, or "". run(script) gives (status, output)."""
    commands = commands_of(text)
    script = ""
    for number, (command, _) in enumerate(commands):
        script += f"{command}\nstatus=$?; printf '\\n<<<%d %d>>>\\n' {number} $status; (exit $status)\n"
    _, output = run(script)
    position = 0
    for number, (command, expected) in enumerate(commands):
        end = re.compile(rf"\n?<<<{number} (\d+)>>>\n").search(output, position)
        if end is None:
            return f"$ {command}\nended the shell\n{output}"
        actual = output[position:end.start()].rstrip("\n").splitlines()
        asked = number + 1 < len(commands) and "$?" in commands[number + 1][0]
        if end.group(1) != "0" and not asked:
            return f"$ {command}\nexit status {end.group(1)}\n" + "\n".join(actual)
        while expected and not expected[-1].strip():
            expected.pop()
        if not matches(expected, actual):
            return f"$ {command}\nexpected:\n" + "\n".join(expected) + "\nprinted:\n" + "\n".join(actual)
        position = end.end()
    return ""
