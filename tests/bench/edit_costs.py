#!/usr/bin/env python3
"""What edits of a long conversation cost with a model that has recurrent layers: tokens read again, seconds to the first token, and the
memory of checkpoints, for Lacuna and, if its path is given, llama-server, as a Markdown table.

    edit_costs.py LACUNA MODEL.gguf [--llama-server PATH] [--tokens 24000] [--turns 24] [--state-memory 256] [--threads 2]
        [--answer 8] [--keep RESULTS.json]

The model needs a chat template; make_model.py qwen3.5-0.8b writes one with random weights. A conversation of --turns questions and
answers of equal length is sent as a client sends it, whole with each request; then another answer is asked for, and the last, the
middle and the first question are edited, each time from the whole conversation, to which the next request returns as to another branch.
llama-server keeps as many checkpoints of float32 states as fit in the same --state-memory (MiB).
"""
import argparse
import json
import os
import random
import re
import time
import urllib.request

import served_program

STATE_MIB = 19.27  # of Qwen3.5-0.8B; see state_table.py


def words(count, source):
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(source.choices(letters, k=3)) for _ in range(count))


def conversation(turns, tokens):
    """A word of three letters and the blank before it are about three tokens."""
    source = random.Random(1)
    each = max(tokens // (6 * turns), 4)
    messages = []
    for turn in range(turns):
        messages.append({"role": "user", "content": words(each, source)})
        if turn + 1 < turns:
            messages.append({"role": "assistant", "content": words(each, source)})
    return messages


def edited(messages, index):
    source = random.Random(1000 + index)
    text = messages[index]["content"]
    return messages[:index] + [{"role": "user", "content": words(len(text) // 4, source)}]


def steps(messages):
    last = len(messages) - 1
    middle = last // 2 - (last // 2) % 2
    returned = messages + [{"role": "assistant", "content": "abc def"}, {"role": "user", "content": "ghi jkl"}]
    return [("first reading", messages), ("another answer", messages), ("last question edited", edited(messages, last)),
            ("back to the first branch", returned), ("middle question edited", edited(messages, middle)),
            ("back to the first branch", returned), ("first question edited", edited(messages, 0)), ("back to the first branch", returned)]


def ask(port, messages, answer):
    body = {"messages": messages, "max_tokens": answer, "temperature": 0, "stream": True, "stream_options": {"include_usage": True},
            "cache_prompt": True}
    begin, first, usage, timings = time.perf_counter(), None, None, None
    with served_program.post(port, "/v1/chat/completions", body) as reply:
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            delta = chunk["choices"][0]["delta"] if chunk.get("choices") else {}
            if first is None and (delta.get("content") or delta.get("reasoning_content")):
                first = time.perf_counter() - begin
            usage = chunk.get("usage") or usage
            timings = chunk.get("timings") or timings
    ended = time.perf_counter() - begin
    prompt = usage["prompt_tokens"]
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    read = timings["prompt_n"] if cached is None else prompt - cached
    return {"prompt": prompt, "read": read, "seconds": first if first is not None else ended}


def resident(server):
    """MiB of memory that the process has taken for itself; mapped weights are not in it."""
    with open(f"/proc/{server.pid}/status", encoding="utf-8") as status:
        return int(re.search(r"RssAnon:\s+(\d+)", status.read())[1]) / 1024


def checkpoints(port):
    """MiB that a Lacuna server reports for checkpoints, states and rows."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60).read().decode()
    figures = {}
    for name in ("lacuna_checkpoint_bytes", "lacuna_state_bytes", "lacuna_cache_live_bytes"):
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text, re.M)
        figures[name] = sum(map(float, found)) / 2**20
    return figures


def run(name, command, port, options, messages):
    rows = []
    with served_program.running(command, port) as server:
        ask(port, [{"role": "user", "content": "abc"}], 1)  # loads what is loaded with the first answer
        before = resident(server)
        for step, text in steps(messages):
            row = {"program": name, "step": step, **ask(port, text, options.answer)}
            row["memory"] = resident(server) - before
            if name == "lacuna":
                row.update(checkpoints(port))
            rows.append(row)
            print(f"{name}, {step}: {row['read']} of {row['prompt']} tokens, {row['seconds']:.2f} s", flush=True)
    return rows


def table(rows):
    lines = ["| request | program | tokens of the prompt | read again | seconds to the first token | MiB taken since the start | MiB of checkpoints |",
             "|---|---|--:|--:|--:|--:|--:|"]
    for row in rows:
        kept = f"{row['lacuna_checkpoint_bytes']:.1f}" if "lacuna_checkpoint_bytes" in row else "not reported"
        lines.append(f"| {row['step']} | {row['program']} | {row['prompt']:,} | {row['read']:,} | {row['seconds']:.2f} | {row['memory']:.0f} | {kept} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("model")
    parser.add_argument("--llama-server")
    parser.add_argument("--tokens", type=int, default=24000)
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--state-memory", type=float, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--answer", type=int, default=8)
    parser.add_argument("--prefix-cache", type=float, default=512)
    parser.add_argument("--keep")
    options = parser.parse_args()
    messages = conversation(options.turns, options.tokens)
    port = served_program.free_port()
    mine = [options.lacuna, "serve", options.model, "--port", str(port), "--set", f"threads={options.threads}", "--set", "parallel=1",
            "--set", f"state_memory={options.state_memory:g}", "--set", f"prefix_cache={options.prefix_cache:g}"]
    rows = run("lacuna", mine, port, options, messages)
    if options.llama_server:
        port = served_program.free_port()
        count = max(int(options.state_memory / STATE_MIB), 1)
        other = [options.llama_server, "-m", options.model, "--port", str(port), "-t", str(options.threads), "-np", "1", "-c",
                 str(2 * options.tokens), "--ctx-checkpoints", str(count), "--no-webui", "--jinja"]
        rows += run("llama-server", other, port, options, messages)
    print(table(rows))
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as out:
            json.dump({"arguments": vars(options), "cores": os.cpu_count(), "rows": rows}, out, indent=1)


if __name__ == "__main__":
    main()
