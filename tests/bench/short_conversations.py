#!/usr/bin/env python3
"""Conversations of a few hundred tokens, answered greedily with the full cache and under compression: the number of equal
answers and of compactions. Below compaction_floor all answers must be equal.

Usage: short_conversations.py LACUNA MODEL [--tokens 100 900] [--count 30] [--set am:method=am,am_ratio=8 ...]

Each conversation is a passage of resources/texts with three questions; short ones have questions only. Every setting has a
server of its own, which gets its own earlier answers with every turn.
"""
import argparse
import json
import pathlib
import re
import sys
import urllib.request

from served_program import free_port, post, running

TEXTS = pathlib.Path(__file__).resolve().parents[2] / "resources/texts"
FILES = ("our_mutual_friend.txt", "the_naval_treaty.txt", "alice_in_wonderland.txt")
PLAIN = ("What is the capital of France?", "Name three planets of the solar system.", "How many legs does a spider have?",
         "Write a sentence about the sea.", "What is 12 plus 30?", "Which language is spoken in Brazil?",
         "What is ice made of?", "Give me a word that rhymes with house.")
ABOUT = ("Who is named in this text?", "Where does it take place?", "What is it about, in one sentence?",
         "Which words of the text are the most unusual?", "What happens at its end?", "Write its first sentence again.")
TOKENS_PER_WORD = 1.45


def conversation(number, tokens, answer):
    """Returns the user's messages, about this many tokens together with three answers of `answer` tokens."""
    turns = 3
    words = int((tokens - turns * (answer + 15)) / TOKENS_PER_WORD)
    if words < 40:
        return [PLAIN[(number + i) % len(PLAIN)] for i in range(max(1, tokens // (answer + 25)))]
    text = re.sub(r"\s+", " ", (TEXTS / FILES[number % len(FILES)]).read_text(encoding="utf-8")).split(" ")
    first = 900 * number % max(1, len(text) - words)
    passage = " ".join(text[first:first + words])
    asked = [ABOUT[(number + 2 * i) % len(ABOUT)] for i in range(turns)]
    return [f"{passage}\n\n{asked[0]}"] + asked[1:]


def compactions(port):
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
    rows = re.findall(r'^lacuna_compaction_total\{([^}]*)\} (\S+)', text, re.M)
    return sum(int(float(count)) for labels, count in rows if 'result="done"' in labels)


def answers(lacuna, model, settings, conversations, answer):
    """Returns the answers and tokens of each conversation, and the compactions of all."""
    port = free_port()
    command = [lacuna, "serve", model, "--port", str(port), "--set", "prefix_cache=0"]
    for one in settings:
        command += ["--set", one]
    found = []
    with running(command, port):
        for asked in conversations:
            messages, said, tokens = [], [], 0
            for question in asked:
                messages.append({"role": "user", "content": question})
                body = {"messages": messages, "temperature": 0, "max_tokens": answer, "id_slot": 0}
                reply = json.load(post(port, "/v1/chat/completions", body))
                said.append(reply["choices"][0]["message"]["content"])
                tokens = reply["usage"]["total_tokens"]
                messages.append({"role": "assistant", "content": said[-1]})
            found.append((said, tokens))
        done = compactions(port)
    return found, done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("model")
    parser.add_argument("--tokens", type=int, nargs=2, default=(100, 900))
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--answer", type=int, default=48, help="tokens of an answer at most")
    parser.add_argument("--set", action="append", default=[], help="name:key=value,key=value")
    parser.add_argument("--always", action="append", default=[], help="key=value of every run, the full cache's too")
    arguments = parser.parse_args()
    settings = arguments.set or ["am 8x:method=am,am_ratio=8", "l2 256:method=l2,budget=256"]
    low, high = arguments.tokens
    step = (high - low) / max(arguments.count - 1, 1)
    asked = [conversation(i, round(low + i * step), arguments.answer) for i in range(arguments.count)]
    full, none = answers(arguments.lacuna, arguments.model, arguments.always, asked, arguments.answer)
    lengths = [tokens for _, tokens in full]
    turns = sum(len(said) for said, _ in full)
    print(f"{len(asked)} conversations of {min(lengths)} to {max(lengths)} tokens, {turns} answers; full cache: {none} compactions")
    differ = 0
    for one in settings:
        name, _, values = one.partition(":")
        found, done = answers(arguments.lacuna, arguments.model, arguments.always + values.split(","), asked,
                              arguments.answer)
        same = [said == other for (said, _), (other, _) in zip(full, found)]
        single = sum(a == b for (said, _), (other, _) in zip(full, found) for a, b in zip(said, other))
        print(f"{name}: {sum(same)} of {len(asked)} conversations and {single} of {turns} answers as the full cache's; "
              f"{done} compactions")
        for i, equal in enumerate(same):
            if not equal:
                print(f"  {i}, {lengths[i]} tokens:")
                for said, other in zip(full[i][0], found[i][0]):
                    if said != other:
                        print(f"    full: {said!r}\n    {name}: {other!r}")
        differ += len(asked) - sum(same)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
