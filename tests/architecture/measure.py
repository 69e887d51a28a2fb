#!/usr/bin/env python3
"""Measures the shape of the source tree: lengths of files and functions, the number of headers that a
header includes, and the number of files that name one setting, one policy, one model family.

  tests/architecture/measure.py [TREE]

Prints one figure per line. TREE is a checkout (by default the one that contains this file). Functions
are found by their layout: from a line at the indent of a namespace or class that ends in an opening
brace to the closing brace at the same indent, as in this project and most C++ projects; so figures of
two trees of the same style are comparable."""
import pathlib
import re
import statistics
import sys

MODULES = ("engine", "app", "ui")
ENTRY_HEADERS = ("engine/session/command.h", "engine/session/event.h", "engine/session/engine.h",
         "engine/kv/kv_cache.h", "engine/kv/slot/kv_cache.h", "engine/compress/driver/compactor.h")
# Features that were added as a unit, and their names in code.
EXAMPLES = {
    "a setting (compact_when)": r"compact_?when",
    "a setting (query_source)": r"query_?source|fit_?queries",
    "a policy (keydiff)": r"key_?diff",
    "a policy (observation_window)": r"observation_?window|snap_?kv",
    "a model family (gemma3)": r"gemma_?3",
    "a report field (pause)": r"\bpause_?ms\b",
}
NOT_FUNCTIONS = re.compile(r"^\s*(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else|try|"
                           r"catch|return|case|default|public|private|protected|using|template)\b")


def sources(tree):
    for module in MODULES:
        for path in sorted((tree / module).rglob("*")):
            if path.suffix in (".h", ".cpp") and path.is_file():
                yield path


def function_lengths(lines):
    """Returns the number of lines of each function, including its head and closing brace."""
    at = 0
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        head = (line.rstrip().endswith("{") and "(" in "".join(lines[max(0, at - 4):at + 1])
                and indent <= 4 and not NOT_FUNCTIONS.match(line) and "=" not in line.split("(")[0])
        if not head:
            at += 1
            continue
        first = at
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}]\s*$|^\s*(//|#)", lines[first - 1]):
            first -= 1
        if NOT_FUNCTIONS.match(lines[first]) and not lines[first].lstrip().startswith("template"):
            at += 1
            continue
        end = at + 1
        while end < len(lines) and not (lines[end].startswith(" " * indent + "}")):
            end += 1
        yield end - first + 1
        at = end + 1


def included(tree, header, seen):
    for name in re.findall(r'^#include "([^"]+)"', (tree / header).read_text(), re.M):
        if name not in seen and (tree / name).is_file():
            seen.add(name)
            included(tree, name, seen)
    return seen


def share(lengths, most):
    return 100 * sum(length <= most for length in lengths) / len(lengths)


def main():
    tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    files, functions, texts = [], [], {}
    for path in sources(tree):
        text = path.read_text()
        lines = text.splitlines()
        files.append(len(lines))
        functions += function_lengths(lines)
        texts[path.relative_to(tree)] = text
    print(f"files                        {len(files)}")
    print(f"lines                        {sum(files)}")
    print(f"lines a file, median         {statistics.median(files):g}")
    print(f"files of at most 60 lines    {share(files, 60):.0f} %")
    print(f"files of over 400 lines      {sum(length > 400 for length in files)}")
    print(f"functions                    {len(functions)}")
    print(f"lines a function, median     {statistics.median(functions):g}")
    print(f"lines a function, p90        {statistics.quantiles(functions, n=10)[-1]:g}")
    for module in sorted({str(path.parent) for path in texts}):
        lengths = [len(text.splitlines()) for path, text in texts.items() if str(path.parent) == module]
        print(f"module {module:24}{len(lengths):4} files {sum(lengths):6} lines")
    for header in ENTRY_HEADERS:
        if (tree / header).is_file():
            print(f"headers behind {header:30}{len(included(tree, header, set())):4}")
    for what, pattern in EXAMPLES.items():
        print(f"files that name {what:32}"
              f"{sum(bool(re.search(pattern, text, re.I)) for text in texts.values()):4}")


if __name__ == "__main__":
    main()
