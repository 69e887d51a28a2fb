#!/usr/bin/env python3
"""Recall by eviction policy, ratio and time of the compaction: runs the cells and makes the table.

  policy_table.py run --lacuna BIN/lacuna-bench --model MODEL.gguf --cases CASES.json --out FOLDER [--every 4] [--jobs 2]
  policy_table.py table --out FOLDER > resources/models/policies.md

`run` writes one small JSON file for every cell and skips existing ones, so that it can be stopped and resumed. Each
cell is one `lacuna-bench recall` on one thread: greedy, at most 28 new tokens; an answer that contains the key is a hit. `--every
N` takes every Nth dialogue of each kind and length, the same for all cells. A cell that compacts must show evictions,
otherwise the script stops. `table` names the winner: the policy with the highest mean recall over the cells that all
policies share, among those that beat both controls (recent_only and random) in the mean.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys

CONTROLS = ["recent_only", "random"]
POLICIES = ["keydiff", "observation_window", "accumulated_attention", "keep_low", "keep_high"] + CONTROLS
RATIOS = [2, 4, 8]
# Name, column text, options of `lacuna-bench recall`.
MOMENTS = [
    ("before_question", "before the question", []),
    ("after_prompt", "after the prompt", ["--after-prompt"]),
    ("per_chunk", "between chunks", ["--after-prompt", "--set", "prefill_policy=per_chunk"]),
]
# Caches that hold every token in fewer bytes, or evict by age.
FORMATS = [
    ("f16", []),
    ("q8_0", ["--set", "kv_type=q8_0"]),
    ("q4_0", ["--set", "kv_type=q4_0"]),
    ("f16 keys, q8_0 values", ["--set", "v_type=q8_0"]),
    ("f16 keys, q4_0 values", ["--set", "v_type=q4_0"]),
    ("q8_0 keys, q4_0 values", ["--set", "kv_type=q8_0", "--set", "v_type=q4_0"]),
    ("window of 1,024", ["--set", "window=1024"]),
    ("window of 512", ["--set", "window=512"]),
]


def cells():
    """Name -> options; the name is also that of the file."""
    out = {}
    for name, options in FORMATS:
        out["cache " + name] = ["--after-prompt", *options]
    for moment, _, options in MOMENTS:
        for ratio in RATIOS:
            for policy in POLICIES:
                out[f"{policy} {ratio} {moment}"] = options + [
                    "--budget-share", str(1 / ratio), "--set", "method=l2", "--set", "compaction_floor=0", "--set", "loss_limit=off",
                    "--set", f"norm_policy={policy}"]
    return out


def file_of(folder, name):
    return folder / (name.replace(" ", "_").replace(",", "") + ".json")


def sampled(cases, every):
    seen = {}
    chosen = []
    for case in cases:
        kind = (case["kind"], case["approx_tokens"])
        seen[kind] = seen.get(kind, -1) + 1
        if seen[kind] % every == 0:
            chosen.append(case)
    return chosen


def run_cell(job):
    args, name, options, cases = job
    file = file_of(args.out, name)
    if file.exists():
        return name, json.loads(file.read_text()), 0.0
    command = [args.lacuna, "recall", args.model, str(cases), "--set", "threads=1", *options]
    begin = datetime.datetime.now()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    outcome = json.loads(done.stdout)
    outcome["settings"] = " ".join(options)
    outcome["every"] = args.every
    outcome["date"] = begin.date().isoformat()
    if not name.startswith("cache ") and outcome["evictions"] == 0:
        raise SystemExit(f"{name}: nothing was evicted, so the cell would say nothing")
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(outcome, indent=1))
    os.replace(partial, file)
    return name, outcome, (datetime.datetime.now() - begin).total_seconds()


def run(args):
    args.out.mkdir(parents=True, exist_ok=True)
    cases = args.out / "cases"
    cases.mkdir(exist_ok=True)
    chosen = sampled(json.loads(pathlib.Path(args.cases).read_text()), args.every)
    file = cases / f"every_{args.every}.json"
    file.write_text(json.dumps(chosen))
    print(len(chosen), "dialogues a cell,", len(cells()), "cells", flush=True)
    jobs = [(args, name, options, file) for name, options in cells().items()]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, outcome, seconds in pool.map(run_cell, jobs):
            print(f"{name}: {100 * outcome['total']['rate']:.1f} % in {seconds:.0f} s", flush=True)


def read(folder):
    found = {}
    for name in cells():
        file = file_of(folder, name)
        if not file.exists():
            sys.exit(f"{file} is missing: run the cells first")
        found[name] = json.loads(file.read_text())
    return found


def rate(outcome):
    return 100 * outcome["total"]["rate"]


def by_kind(outcome, kind):
    counts = [c for k, c in outcome["by_kind"].items() if k.startswith(kind + "@")]
    return 100 * sum(c["hits"] for c in counts) / max(1, sum(c["cases"] for c in counts))


def mean(found, policy):
    return sum(rate(found[f"{policy} {ratio} {m}"]) for m, _, _ in MOMENTS for ratio in RATIOS) / (3 * len(RATIOS))


def winner(found):
    floor = max(mean(found, control) for control in CONTROLS)
    best = max((p for p in POLICIES if p not in CONTROLS), key=lambda p: mean(found, p))
    return best if mean(found, best) > floor else None


def table(args):
    found = read(args.out)
    plain = found["cache f16"]
    count = plain["total"]["cases"]
    kinds = sorted({k.split("@")[0] for k in plain["by_kind"]})
    best = winner(found)
    lines = ["# Recall by eviction policy", "",
             f"`lacuna-bench recall` over {count} of the dialogues in `tests/golden/recall` (every {plain['every']}th of each kind "
             "and length, 500 to 3,200", "tokens) on one thread: greedy, at most 28 new tokens, a hit is an answer that "
             "contains the key. Made by", f"`tests/bench/policy_table.py` on {max(o['date'] for o in found.values())}. "
             f"With {count} dialogues one more or less is {100 / count:.1f} points. `recent_only` and `random` are", "the "
             "controls. The columns are how many times smaller the cache gets.", ""]
    for moment, title, _ in MOMENTS:
        lines += [f"## Compacted {title}", "",
                  "| policy | " + " | ".join(f"{r}x" for r in RATIOS) + " | " +
                  " | ".join(f"{k}, 4x" for k in kinds) + " | ms a compaction, 4x |",
                  "|" + "---|" * (len(RATIOS) + len(kinds) + 2)]
        for policy in POLICIES:
            row = [found[f"{policy} {r} {moment}"] for r in RATIOS]
            four = row[RATIOS.index(4)]
            lines.append(f"| {policy} | " + " | ".join(f"{rate(o):.1f} %" for o in row) + " | " +
                         " | ".join(f"{by_kind(four, k):.0f}" for k in kinds) +
                         f" | {four['compaction_ms'] / max(1, four['compactions']):.1f} |")
        lines.append("")
    lines += ["## Mean over all of them", "", "| policy | mean recall |", "|---|---|"]
    for policy in sorted(POLICIES, key=lambda p: -mean(found, p)):
        lines.append(f"| {policy} | {mean(found, policy):.1f} % |")
    lines += ["", f"Winner: {best}." if best else "No policy beats both controls.", "",
              "## Caches that hold every token, and windows", "",
              "| cache | recall | " + " | ".join(kinds) + " | live / logical bytes |", "|" + "---|" * (len(kinds) + 3)]
    for name, _ in FORMATS:
        o = found["cache " + name]
        lines.append(f"| {name} | {rate(o):.1f} % | " + " | ".join(f"{by_kind(o, k):.0f}" for k in kinds) +
                     f" | {o['live_bytes'] / o['logical_bytes']:.3f} |")
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    cells_step = steps.add_parser("run")
    for flag in ("--lacuna", "--model", "--cases"):
        cells_step.add_argument(flag, required=True)
    cells_step.add_argument("--every", type=int, default=4)
    cells_step.add_argument("--jobs", type=int, default=2)
    cells_step.set_defaults(step=run)
    table_step = steps.add_parser("table")
    table_step.set_defaults(step=table)
    for step in (cells_step, table_step):
        step.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.step(args)


main()
