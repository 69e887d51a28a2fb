#!/usr/bin/env python3
"""Mutants: small deliberate bugs. Reports which of them the tests detect.

    python3 tests/mutants/run.py --tree COPY --build COPY/build/release [--only NAME] [--least 95]

COPY is a scratch copy of the project with a build folder of its own, configured for it: files are
changed there, one at a time, and restored. Each mutant of mutants.json names a file, a text that
occurs in it once, its replacement, and one test program with a filter. First each program must pass
without a mutant; then a mutant is "noticed" if its program fails, crashes or hangs, and "survived"
if it passes. A mutant that does not compile, or whose text no longer occurs, is "invalid": the list
is out of date. Exit status 0 if at least --least percent are noticed and none is invalid.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TEST_SECONDS = 180  # only a program that hangs takes as long


def build(folder, target):
    """Builds one test program; returns its messages if that fails, otherwise None."""
    done = subprocess.run(["cmake", "--build", str(folder), "--target", target],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-2000:]


def passes(folder, target, test_filter):
    """Returns whether the tests of the filter pass; None if the filter selects none."""
    program = folder / "bin" / target
    try:
        done = subprocess.run([str(program), f"--gtest_filter={test_filter}"],
                              capture_output=True, text=True, timeout=TEST_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode == 0 and "[  PASSED  ] 0 tests" in done.stdout:
        return None
    return done.returncode == 0


def check_as_it_is(tree, folder, mutants):
    """Returns the problems of the list: texts that do not occur exactly once, programs that fail without a mutant."""
    problems = {}
    for mutant in mutants:
        count = (tree / mutant["file"]).read_text().count(mutant["old"])
        if count != 1:
            problems[mutant["name"]] = f"its text stands {count} times in {mutant['file']}"
    checked = {}
    for mutant in mutants:
        key = (mutant["target"], mutant["filter"])
        if key not in checked:
            broken = build(folder, key[0])
            if broken:
                sys.exit(f"{key[0]} does not build as it is:\n{broken}")
            checked[key] = passes(folder, *key)
        if checked[key] is not True:
            problems[mutant["name"]] = f"{key[0]} --gtest_filter={key[1]} " + (
                "names no test" if checked[key] is None else "fails without it")
    return problems


def outcome(tree, folder, mutant):
    file = tree / mutant["file"]
    whole = file.read_text()
    try:
        file.write_text(whole.replace(mutant["old"], mutant["new"]))
        broken = build(folder, mutant["target"])
        if broken:
            errors = [line for line in broken.splitlines() if "error:" in line]
            return "invalid", errors[0] if errors else "it does not build"
        passed = passes(folder, mutant["target"], mutant["filter"])
        return ("survived" if passed else "noticed"), ""
    finally:
        file.write_text(whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tree", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--only", help="mutants whose name holds this")
    parser.add_argument("--least", type=float, default=95.0)
    parser.add_argument("--list", action="store_true", help="check the texts and stop")
    arguments = parser.parse_args()
    mutants = json.loads((HERE / "mutants.json").read_text())
    if arguments.only:
        mutants = [one for one in mutants if arguments.only in one["name"]]
    if arguments.list:
        wrong = [one["name"] for one in mutants
                 if (arguments.tree / one["file"]).read_text().count(one["old"]) != 1]
        print(f"{len(mutants)} mutants, out of date: {wrong or 'none'}")
        return 1 if wrong else 0
    problems = check_as_it_is(arguments.tree, arguments.build, mutants)
    counts = {"noticed": 0, "survived": 0, "invalid": 0}
    for mutant in mutants:
        begin = time.monotonic()
        if mutant["name"] in problems:
            result, note = "invalid", problems[mutant["name"]]
        else:
            result, note = outcome(arguments.tree, arguments.build, mutant)
        counts[result] += 1
        print(f"{result:9} {mutant['name']:44} {mutant['target']} "
              f"{time.monotonic() - begin:.0f} s {note}", flush=True)
    real = counts["noticed"] + counts["survived"]
    share = 100.0 * counts["noticed"] / real if real else 0.0
    print(f"{len(mutants)} mutants: {counts['noticed']} noticed, {counts['survived']} survived, "
          f"{counts['invalid']} invalid; {share:.1f} % noticed")
    return 0 if share >= arguments.least and counts["invalid"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
