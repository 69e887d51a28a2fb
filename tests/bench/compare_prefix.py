#!/usr/bin/env python3
"""A long text requested again, from `lacuna serve` and from another server with a prompt cache, alternately on one model.

    compare_prefix.py MODEL --ours build/release/bin/lacuna --peer "llama-server -m {model} --port {port} -t {threads} \
        -np 1 -c {context} --slot-save-path {folder} --cache-ram 8192" [--words 1500] [--rounds 3] [--threads 2]

Prints, as JSON, medians over rounds of the milliseconds to the first token of the text: at the first reading, again after
another text was read in the same slot, and again by a new process. Lacuna finds the text automatically (settings
prefix_cache and prefix_disk); the slot of the peer is saved and restored explicitly, and the restore counts. `equal` is
true if the answers after a hit equal those of the first reading.
"""
import argparse
import json
import shlex
import statistics
import tempfile
import time

from served_program import free_port, post, running, streamed

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--ours", default="build/release/bin/lacuna")
parser.add_argument("--peer", required=True)
parser.add_argument("--words", type=int, default=1500)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--tokens", type=int, default=8)
parser.add_argument("--context", type=int, default=8192)
asked = parser.parse_args()


def text(seed):
    return " ".join(f"{seed} ship{(seed * 7 + i * 13) % 97} sails" for i in range(asked.words // 3)) + " Once"


def command(side, port, folder):
    if side == "peer":
        return shlex.split(asked.peer.format(model=asked.model, port=port, threads=asked.threads,
                                             context=asked.context, folder=folder))
    words = ["env", f"XDG_DATA_HOME={folder}", asked.ours, "serve", asked.model, "--port", str(port), "--slots", "1"]
    for setting in (f"threads={asked.threads}", f"context={asked.context}", "precision=fast", "prefix_cache=8192",
                    "prefix_disk=16384"):
        words += ["--set", setting]
    return words


def slot(port, action):
    post(port, f"/slots/0?action={action}", {"filename": "text.bin"}).read()


def measure(side):
    """Returns the seconds of the first reading, of the second, and of one by a new process; and whether the answers agree."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        with running(command(side, port, folder), port):
            streamed(port, "Once", 2)
            first, _, said = streamed(port, text(1), asked.tokens)
            streamed(port, text(2), asked.tokens)
            again, _, repeated = streamed(port, text(1), asked.tokens)
            if side == "peer":
                slot(port, "save")
            else:
                time.sleep(5)  # pages are written in the background
        port = free_port()
        with running(command(side, port, folder), port):
            streamed(port, "Once", 2)
            begin = time.perf_counter()
            if side == "peer":
                slot(port, "restore")
            restored = time.perf_counter() - begin if side == "peer" else 0
            later, _, kept = streamed(port, text(1), asked.tokens)
        return (first, again, restored + later), said == repeated == kept


times = {"ours": [], "peer": []}
equal = {"ours": True, "peer": True}
for _ in range(asked.rounds):
    for side in ("ours", "peer"):
        seconds, agreed = measure(side)
        times[side].append(seconds)
        equal[side] = equal[side] and agreed
for side, rows in times.items():
    names = ("first_ms", "again_ms", "new_process_ms")
    medians = {name: round(1000 * statistics.median(row[i] for row in rows), 1) for i, name in enumerate(names)}
    print(json.dumps({"server": side, **medians, "equal": equal[side], "rounds": rows}))
