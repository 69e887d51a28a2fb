#!/usr/bin/env python3
"""Turns recall cases with one question into dialogues with three: first two questions about other facts in the same text, then
that of the case. For `lacuna-bench recall MODEL OUT.json --turns`, which asks them one after another in one conversation
and counts the last answer.

Usage: turn_cases.py CASES.json OUT.json [EVERY]   every n-th of the cases with at least three facts (1)
"""
import json
import re
import sys

FACTS = [
    (r"The code of the (?P<o>\w+) of (?P<n>.+) is \d+\.", "What is the code of {n}'s {o}?"),
    (r"(?P<n>.+) opens the (?P<o>\w+) with the number \d+\.", "What is the code of {n}'s {o}?"),
    (r"To open (?P<n>.+)'s (?P<o>\w+), use the code \d+\.", "What is the code of {n}'s {o}?"),
    (r"(?P<n>.+) lives in \w+\.", "Where does {n} live?"),
    (r"The home of (?P<n>.+) is in \w+\.", "Where does {n} live?"),
    (r"(?P<n>.+) has lived in \w+ for years\.", "Where does {n} live?"),
    (r"(?P<n>.+) works as a \w+\.", "What is {n}'s job?"),
    (r"(?P<n>.+) is a \w+ by trade\.", "What is {n}'s job?"),
    (r"(?P<n>.+) earns a living as a \w+\.", "What is {n}'s job?"),
    (r"The favourite colour of (?P<n>.+) is \w+\.", "What is {n}'s favourite colour?"),
    (r"(?P<n>.+) likes the colour \w+ best\.", "What is {n}'s favourite colour?"),
    (r"(?P<n>.+) has a (?P<o>\w+) called \w+\.", "What is the name of {n}'s {o}?"),
    (r"(?P<n>.+)'s (?P<o>\w+) is named \w+\.", "What is the name of {n}'s {o}?"),
    (r"(?P<n>.+) was born in \d+\.", "When was {n} born?"),
    (r"The year of (?P<n>.+)'s birth is \d+\.", "When was {n} born?"),
    (r"In their language the word (?P<n>\w+) means \w+\.", "What does the word {n} mean?"),
    (r"The word (?P<n>\w+) stands for \w+\.", "What does the word {n} mean?"),
    (r".*the pass key is \d+\..*", "What is the pass key?"),
]


def questions(kind, text):
    """Returns the questions about all facts in the text, in their order."""
    if kind == "lines":
        return [f"What does the register of line {row} hold?" for row in re.findall(r"line (\S+): the register", text)]
    if kind == "pairs":
        return [f'What is the value of "{row}"?' for row in re.findall(r'"(\S+)": "\d+"', text)]
    found = []
    for paragraph in text.split("\n\n"):
        for form, question in FACTS:
            fact = len(paragraph) < 120 and re.fullmatch(form, paragraph.strip())
            if fact:
                found.append(question.format(**fact.groupdict()))
                break
    return found


def in_turns(case):
    text, _, last = case["messages"][-1]["content"].rpartition("\n\n")
    asked = [one for one in questions(case["kind"], text) if not any(w in one for w in subjects(last))]
    if len(asked) < 2:
        return None
    first, second = asked[len(asked) // 3], asked[2 * len(asked) // 3]
    messages = case["messages"][:-1] + [{"role": "user", "content": text + "\n\n" + first}]
    messages += [{"role": "user", "content": one} for one in (second, last)]
    return {**case, "messages": messages} if first != second else None


def subjects(question):
    """Returns the subjects of a question: rows, rare words and names."""
    common = {"What", "Where", "When", "Which", "In", "Tell"}
    return [word for word in re.findall(r"[A-Z]\w+|[a-z]+-[a-z]+|(?<=word )\w+|pass key", question) if word not in common]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = [one for one in map(in_turns, json.load(file)) if one is not None]
    chosen = cases[:: int(sys.argv[3]) if len(sys.argv) == 4 else 1]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(chosen, file, ensure_ascii=False)
    print(f"{len(chosen)} of {len(cases)} dialogues of three questions")


main()
