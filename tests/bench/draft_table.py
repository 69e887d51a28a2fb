#!/usr/bin/env python3
"""Speculation on one model: none, repetitions (n-grams), and draft models, on the same questions.

Prints a Markdown table: tokens per decode step, share of proposals accepted, decode speed relative to plain decoding
in the same run, and whether every text equals that of plain decoding. Greedy; each figure is the sum over all questions.
    draft_table.py --lacuna PROGRAM --model MODEL [--draft NAME=FILE ...] [--tokens 4] [--length 128] [--rounds 1]
"""
import argparse
import json
import subprocess

QUESTIONS = [
    "Tell me a story about a fox who lives by the sea.",
    "What is the sea?",
    "Write a list of ten animals, then write the same list again.",
    "Repeat this sentence five times: The old man went down to the river at night.",
    "The red box holds the number 4711. The blue box holds the number 1234. What does the red box hold?",
    "Explain how bread is made.",
]


def answer(program, model, question, drafts, draft, length):
    command = [program, "generate", model, "--json", "-p", question, "--set", "temperature=0",
               "--set", f"max_tokens={length}", "--set", f"draft_tokens={drafts}"]
    if draft:
        command += ["--draft-model", draft]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--lacuna", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--draft", action="append", default=[], metavar="NAME=FILE")
    options.add_argument("--tokens", type=int, default=4)
    options.add_argument("--length", type=int, default=128)
    options.add_argument("--rounds", type=int, default=1)
    a = options.parse_args()
    rows = [("none", 0, None), ("n-gram", a.tokens, None)]
    rows += [(d.split("=", 1)[0], a.tokens, d.split("=", 1)[1]) for d in a.draft]
    sums = {name: [0, 0, 0, 0, 0.0] for name, _, _ in rows}
    equal = {name: True for name, _, _ in rows}
    for _ in range(a.rounds):
        for question in QUESTIONS:
            plain = None
            for name, drafts, draft in rows:
                out = answer(a.lacuna, a.model, question, drafts, draft, a.length)
                plain = plain or out["tokens"]
                equal[name] = equal[name] and out["tokens"] == plain
                s = sums[name]
                s[0] += out["generated_tokens"]
                s[1] += out["decode_steps"]
                s[2] += out["drafted_tokens"]
                s[3] += out["accepted_tokens"]
                s[4] += out["decode_seconds"]
    base = sums["none"][0] / sums["none"][4]
    print("| drafts | tokens per step | accepted | tokens/s | speed-up | equal text |")
    print("|---|---|---|---|---|---|")
    for name, _, _ in rows:
        tokens, steps, drafted, accepted, seconds = sums[name]
        share = f"{accepted} of {drafted}" if drafted else "-"
        print(f"| {name} | {tokens / steps:.2f} | {share} | {tokens / seconds:.0f} | "
              f"{tokens / seconds / base:.2f} | {'yes' if equal[name] else 'NO'} |")


if __name__ == "__main__":
    main()
