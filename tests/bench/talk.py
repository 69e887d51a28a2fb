#!/usr/bin/env python3
"""Writes the answers of a model to 40 questions of a new user, word for word, as a Markdown page.

    talk.py LACUNA MODEL [--reference tests/golden/box/talk-greedy-exact.txt] [--out resources/models/talk.md] [--kept ANSWERS.json]
        [--columns greedy:exact,greedy:auto,0.7:auto]

Each question starts its own conversation with `lacuna generate`: greedy or at temperature 0.7 with seed 1, in exact, fast or
automatically selected arithmetic (auto), as given by --columns; at most 160 tokens, one thread, all other settings at their
defaults. The greedy answers of exact arithmetic are compared with those of the reference file. An interrupted run resumes
from the answers in --kept.
"""
import argparse
import datetime
import json
import os
import subprocess

ARITHMETIC = {name: ["--set", "precision=" + name] for name in ("exact", "fast", "auto")}
DRAWS = {"greedy": ["temperature=0"], "0.7": ["temperature=0.7", "seed=1"]}
LENGTH = 160


def reference(path):
    """Reads [(question, answer)] from a file of `Q:` and `A:` paragraphs."""
    pairs = []
    for part in ("\n" + open(path, encoding="utf-8").read()).split("\nQ: ")[1:]:
        question, answer = part.split("\nA: ", 1)
        pairs.append((question, answer.strip()))
    return pairs


def answer(program, model, question, arithmetic, draw):
    command = [program, "generate", model, "--json", "-p", question, *ARITHMETIC[arithmetic],
               "--set", f"max_tokens={LENGTH}", "--set", "threads=1"]
    for setting in DRAWS[draw]:
        command += ["--set", setting]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return done["text"].strip() + ("" if done["finish_reason"] == "stop" else " [...]")


def cut(text):
    """Removes the mark of an answer that was cut off by its length limit."""
    return text.removesuffix(" [...]")


def quoted(text):
    return "\n".join("> " + line if line else ">" for line in text.split("\n"))


def page(model, pairs, answers):
    name = model.rsplit("/", 1)[-1]
    lines = [
        f"# What {name} answers", "",
        f"The {len(pairs)} questions of `tests/golden/box/talk-greedy-exact.txt`, each in its own conversation, with the answers word for word; at",
        f"most {LENGTH} tokens, [...] marks an answer cut off by that limit. `exact` is float32 arithmetic, `fast` rounds activations to int8, `auto` is the",
        f"program's default; 0.7 is the temperature, with seed 1. One thread, all other settings at their defaults. Made on {datetime.date.today()} by",
        "`tests/bench/talk.py`.", ""]
    columns = list(answers[pairs[0][0]])
    if ("greedy", "exact") in columns:
        same = sum(cut(answers[q]["greedy", "exact"]) == a for q, a in pairs)
        lines.append(f"- Greedy and exact: {same} of {len(pairs)} answers equal the reference, word for word.")
    for arithmetic in ("fast", "auto"):
        if not {("greedy", "exact"), ("greedy", arithmetic)} <= set(columns):
            continue
        moved = sum(answers[q]["greedy", "exact"] != answers[q]["greedy", arithmetic] for q, _ in pairs)
        lines.append(f"- Greedy: {moved} of {len(pairs)} answers in {arithmetic} arithmetic differ from those in exact arithmetic.")
    lines.append("")
    for question, _ in pairs:
        lines += [f"## {question}", ""]
        shown = {}
        for key in answers[question]:
            shown.setdefault(answers[question][key], []).append(key)
        for text, keys in shown.items():
            lines += ["; ".join(f"{draw}, {arithmetic}" for draw, arithmetic in keys) + ":", "", quoted(text), ""]
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("lacuna")
    options.add_argument("model")
    options.add_argument("--reference", default="tests/golden/box/talk-greedy-exact.txt")
    options.add_argument("--out", default="resources/models/talk.md")
    options.add_argument("--columns", default="greedy:exact,greedy:fast,greedy:auto,0.7:exact,0.7:fast,0.7:auto")
    options.add_argument("--kept", help="JSON file of the answers that are there")
    given = options.parse_args()
    pairs = reference(given.reference)
    kept = json.load(open(given.kept, encoding="utf-8")) if given.kept and os.path.exists(given.kept) else {}
    answers = {question: {} for question, _ in pairs}
    for draw, arithmetic in (column.split(":") for column in given.columns.split(",")):
        for question, expected in pairs:
            key = f"{draw} {arithmetic} {question}"
            if key not in kept:
                kept[key] = answer(given.lacuna, given.model, question, arithmetic, draw)
                if given.kept:
                    with open(given.kept, "w", encoding="utf-8") as file:
                        json.dump(kept, file, indent=1)
            answers[question][draw, arithmetic] = kept[key]
            if (draw, arithmetic) == ("greedy", "exact") and cut(kept[key]) != expected:
                print(f"{question}\n  expected {expected!r}\n  found    {cut(kept[key])!r}", flush=True)
        print(f"{draw}, {arithmetic}: {len(pairs)} answers", flush=True)
    with open(given.out, "w", encoding="utf-8") as file:
        file.write(page(given.model, pairs, answers))


if __name__ == "__main__":
    main()
