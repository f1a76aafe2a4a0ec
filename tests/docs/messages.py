"""Finds the sentences in the sources that the library, its plugins and its command can raise.

A sentence is the text of a raising expression with its values (placeholders of fmt and printf, and operands of +) replaced
by …. `fail<E>("row {} is {}", …)` gives "row … is …". Each side of ?: gives a sentence."""
import re

from markdown import ROOT

FOLDERS = ("solver", "kernels", "io", "cli", "plugin")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")

# Functions and classes that raise: a pattern that ends before the opening parenthesis, and the position of the argument
# with the sentence (None: the first argument with text).
RAISERS = (
    (r"\bfail<\w+>", 0),
    (r"\b(?:reader\.|this->)?fail", 0),
    (r"\b(?:reader\.)?fail_at", 1),
    (r"\bthrow\s+(?:gpusupernodal::|io::)?(?!std::)[A-Z]\w*", 0),
    (r"\bPetscError", None),
    (r"\bPetscCheck", None),
    (r"\bPetscInfo", None),
    (r"\beigen_assert", None),
    (r"\bstatic_assert", None),
    (r"\bsay", 1),
)
# Sentences that are composed in one place and raised in another: the file, and the text before the expression.
MAKERS = (
    ("solver/cuda/none/no_cuda_executor.cpp", r"\breason\s*=\s*"),
    ("solver/cuda/run/device.cpp", r"\breturn\s+(?=(?:fmt::format\()?\"no CUDA|count == 0 \?)"),
    ("solver/cuda/run/device.cpp", r"availability\.reason\s*=\s*(?=fmt::format)"),
    ("solver/cuda/run/check.cpp", r"\bsentence\s*=\s*"),
    ("plugin/petsc/version.cpp", r"\breturn\s+(?=\"(?:gpusupernodal|this))"),
    ("solver/common/outcome_sentence.cpp", r"\breturn\s+(?=fmt::format)"),
    ("cli/print.cpp", r"\breturn\s+(?=fmt::format\(\s*\"the )"),
)
# Raising expressions without text, by file: their sentences come from MAKERS or from another sentence.
HANDED_ON = {
    "solver/cuda/none/no_cuda_executor.cpp", "solver/cuda/run/device.cpp", "solver/cuda/run/check.cpp",
    "plugin/petsc/register.cpp", "io/line_reader.hpp", "io/line_reader.cpp", "solver/common/fail.hpp", "cli/exit_code.cpp",
    "plugin/petsc/guard.cpp", "io/matrix_market.cpp", "io/complex_matrix.cpp", "io/matrix_market_header.cpp", "cli/solve.cpp",
    "cli/report.cpp",
}
# Not sentences for users: conditions that the compiler checks in our code, and templates of sentences.
IGNORED_FILES = {"solver/common/fail.hpp", "solver/include/gpusupernodal/error.hpp"}

FORMATTER = re.compile(r"\s*(?:fmt::format|format_sentence|std::string)\s*\(")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def without_comments(text):
    """Replaces comments by blanks of equal length; keeps strings."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)
    return pattern.sub(lambda m: m.group(0) if m.group(0)[0] in "\"'" else re.sub(r"[^\n]", " ", m.group(0)), text)


def split_top(text, separators):
    """Splits `text` at separators outside of parentheses and strings; drops the separators."""
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        string = STRING.match(text, position) if text[position] == '"' else None
        if string:
            position = string.end()
            continue
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
        elif depth == 0 and text[position] in separators and text[position - 1:position + 1] != "::" \
                and text[position:position + 2] != "::":
            parts.append(text[start:position])
            start = position + 1
        position += 1
    return parts + [text[start:]]


def balanced(text, opening):
    """The text between text[opening] == '(' and its closing parenthesis."""
    depth, position = 0, opening
    while position < len(text):
        string = STRING.match(text, position) if text[position] == '"' else None
        if string:
            position = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return text[opening + 1:position]
        position += 1
    return text[opening + 1:]


def sentences_of(expression):
    """The sentences that a C++ string expression can produce; empty if it has no text."""
    expression = expression.strip()
    if not STRING.search(expression):
        return []
    choices = split_top(expression, "?")
    if len(choices) > 1:
        return [s for part in split_top("?".join(choices[1:]), ":") for s in sentences_of(part)]
    formatted = FORMATTER.match(expression)
    if formatted and expression.endswith(")") and balanced(expression, formatted.end() - 1) + ")" == expression[formatted.end():]:
        return sentences_of(split_top(balanced(expression, formatted.end() - 1), ",")[0])
    if len(split_top(expression, "?")) == 1 and expression.startswith("(") and expression.endswith(")"):
        return sentences_of(expression[1:-1])
    text = ""
    for part in split_top(expression, "+&"):
        inner = sentences_of(part) if part.strip() != expression and FORMATTER.match(part) else []
        part = part.replace("PetscInt_FMT", '"d"')
        literals = STRING.findall(part)
        outside = STRING.sub("", part).strip()
        if inner:
            text += inner[0]
        elif literals and not outside:
            text += "".join(literals)
        elif part.strip():
            text += "…"
    return [normalised(text)]


def expression_at(source, position):
    """The expression from `position` to its final semicolon."""
    end = position
    while end < len(source) and source[end] != ";":
        string = STRING.match(source, end) if source[end] == '"' else None
        end = string.end() if string else end + 1
    return source[position:end]


def normalised(text):
    text = re.sub(r"\\[ntr]", " ", text).replace('\\"', '"').replace("\\\\", "\\")
    text = text.replace("{{", "\x01").replace("}}", "\x02")
    text = re.sub(r"\{[^{}]*\}", "…", text)
    text = re.sub(r"%(?:l*[dux]|\.?\d*g|s|\"?\s*$)", "…", text)
    text = re.sub(r"% ", "… ", text) if "%%" not in text else text
    text = text.replace("\x01", "{").replace("\x02", "}")
    return re.sub(r"(…\s*)+…", lambda m: m.group(0) if " " in m.group(0) else "…", text).strip()


def raised_in(name, source):
    """(sentences, line) of each raising expression in a source file. Without a sentence: None for assertions, else []."""
    for pattern, argument in RAISERS:
        for found in re.finditer(pattern + r"\s*(?=\()", source):
            before = source[:found.start()].rstrip()
            line = source.count("\n", 0, found.start()) + 1
            # A declaration or definition of the function, not a call.
            if before.endswith(("void", "PetscErrorCode", "ExitCode", "::", "#define")) or before.endswith("class"):
                continue
            arguments = split_top(balanced(source, found.end()), ",")
            if argument is None:
                texts = [s for a in arguments for s in sentences_of(a) if " " in s]
                yield texts or (None if "assert" in pattern else []), line
            elif argument < len(arguments):
                yield sentences_of(arguments[argument]), line


def has_words(text):
    return re.search(r"[A-Za-z]{2}.* ", text) is not None


def collect():
    """({sentence: [places]}, [places of raising expressions that have no sentence])."""
    sentences, silent = {}, []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in SUFFIXES or name in IGNORED_FILES:
                continue
            source = without_comments(path.read_text(encoding="utf-8"))
            found = list(raised_in(name, source))
            for file, pattern in MAKERS:
                if file == name:
                    found += [(sentences_of(expression_at(source, m.end())), source.count("\n", 0, m.start()) + 1)
                              for m in re.finditer(pattern, source)]
            for texts, line in found:
                if texts is not None and not any(map(has_words, texts)) and name not in HANDED_ON:
                    silent.append(f"{name}:{line}")
                for text in texts or ():
                    text = text.strip("… ") if text.startswith("…") and text[1:2].isalpha() else text
                    if has_words(text):
                        sentences.setdefault(text, []).append(f"{name}:{line}")
    return sentences, silent


if __name__ == "__main__":
    found, without = collect()
    for text, places in sorted(found.items(), key=lambda item: item[1][0]):
        print(f"{places[0]:60} {text}")
    print("without text:", *without, sep="\n  ")
