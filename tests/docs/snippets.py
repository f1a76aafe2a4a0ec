"""Makes programs from the pages' C++ blocks: one from those that use Eigen, one from the others."""
import re

from markdown import documents


def blocks_in(language):
    return [block for document in documents() for block in document.blocks if block.language == language]


def uses_eigen(block):
    return "Eigen" in block.text or "eigen" in block.file.name


def function_of(block, number):
    """The block as a function, preceded by its includes. A complete program becomes a namespace."""
    includes = re.findall(r"^#include .*$", block.text, re.M)
    body = re.sub(r"^#include .*$", "", block.text, flags=re.M)
    name = f"snippet_{number}"
    place = f'#line {block.line + 1} "{block.place().rsplit(":", 1)[0]}"'
    if re.search(r"^int main\(", body, re.M):
        return includes, f"namespace {name} {{\n{place}\n{body}\n}}\n", f"if ({name}::main() != 0) throw std::runtime_error(\"its main is not 0\")"
    frame = "EIGEN_FRAME" if uses_eigen(block) else "CORE_FRAME"
    return includes, f"static void {name}() {{\n  {frame};\n  {{\n{place}\n{body}  }}\n}}\n", f"{name}()"


def program(blocks, header):
    """A translation unit that runs all blocks and says which one failed."""
    functions, includes, calls = [], [f'#include "{header}"', "#include <cstdio>", "#include <stdexcept>"], []
    for number, block in enumerate(blocks):
        own, function, call = function_of(block, number)
        includes += [line for line in own if line not in includes]
        functions.append(function)
        condition = "false" if block.compiled_only else "true"
        calls.append(f'  failed += run("{block.place()}", {condition}, [] {{ {call}; }});')
    runner = """
template <class Call>
static int run(const char* place, bool wanted, Call call) {
  if (!wanted) return 0;
  try {
    call();
    return 0;
  } catch (const std::exception& e) {
    std::printf("%s: the block threw: %s\\n", place, e.what());
    return 1;
  }
}
"""
    lines = [*includes, "", *functions, '#line 1 "runner"', runner, "int main() {", "  int failed = 0;", *calls,
             "  return failed == 0 ? 0 : 1;", "}"]
    return "\n".join(lines) + "\n"


def programs():
    """(name, text, blocks) of the programs to compile."""
    blocks = [block for block in blocks_in("cpp") if not block.not_run]
    core = [block for block in blocks if not uses_eigen(block)]
    eigen = [block for block in blocks if uses_eigen(block)]
    return [("core", program(core, "frame.hpp"), core), ("eigen", program(eigen, "eigen_frame.hpp"), eigen)]
