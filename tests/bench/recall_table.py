#!/usr/bin/env python3
"""Writes the recall table of a model: every eviction policy and attention matching at 1/2 and 1/4 of the prompt.

Usage: recall_table.py --lacuna BIN/lacuna-bench --model MODEL.gguf --cases CASES.json --out TABLE.md [--exact-model DIR] [--limit N]

Each row is one run of `lacuna-bench recall` (greedy, at most 28 new tokens; an answer that contains the key is a hit). A row with
a budget must show evictions > 0, otherwise the script stops. Results are stored next to the table as JSON, so that an
interrupted run can be resumed.
"""
import argparse
import json
import pathlib
import subprocess
import sys

POLICIES = ["keep_low", "keep_high", "keydiff", "observation_window", "accumulated_attention", "recent_only", "random"]


def variants(exact_model):
    if exact_model:
        yield "no compaction, bf16 weights, float32", ["--exact", "--set", "kv_type=f32"], exact_model
    yield "no compaction", [], None
    for share in ("0.5", "0.25"):
        for policy in POLICIES:
            yield f"L2 {policy}, budget {share} of the prompt", [
                "--budget-share", share, "--set", "method=l2", "--set", "compaction_floor=0", "--set", "loss_limit=off", "--set", f"norm_policy={policy}"], None
    for ratio in ("2", "4", "8"):
        yield f"AM, ratio {ratio}", ["--set", "method=am", "--set", "compaction_floor=0", "--set", "loss_limit=off", "--set", f"am_ratio={ratio}"], None


def run(args, name, extra, model, keep):
    file = keep / (name.replace(" ", "_").replace(",", "").replace("/", "-") + ".json")
    if file.exists():
        return json.loads(file.read_text())
    command = [args.lacuna, "recall", "--after-prompt", model or args.model, args.cases, *extra]
    if args.limit:
        command += ["--limit", str(args.limit)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    outcome = json.loads(done.stdout)
    file.write_text(json.dumps(outcome, indent=1))
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--lacuna", "--model", "--cases", "--out"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--exact-model")
    parser.add_argument("--limit", type=int, default=0)
    args = parser.parse_args()
    keep = pathlib.Path(args.out + ".runs")
    keep.mkdir(exist_ok=True)
    rows = []
    for name, extra, model in variants(args.exact_model):
        outcome = run(args, name, extra, model, keep)
        if "no compaction" not in name and outcome["evictions"] == 0:
            sys.exit(f"{name}: nothing was evicted, so the row would say nothing")
        rows.append((name, outcome))
        print(name, outcome["total"], flush=True)
    kinds = sorted({k for _, o in rows for k in o["by_kind"]}, key=lambda k: (k.split("@")[0], int(k.split("@")[1])))
    lines = [f"# Recall of {pathlib.Path(args.model).name} under compaction", "",
             f"{len(rows)} runs of `lacuna-bench recall` over {rows[0][1]['total']['cases']} dialogues of about 500, 1,500 and 3,200",
             "tokens (greedy, at most 28 new tokens; a hit is an answer that contains the key). The cache is compacted once the",
             "prompt is in, so the question itself was read before. `recent_only` and `random` are the controls: a policy that",
             "does not beat both is no good. Columns are per cent right by kind@length, 20 dialogues each.",
             "Made by `tests/bench/recall_table.py`.", "",
             "| setting | recall | " + " | ".join(kinds) + " | slots evicted or merged | live / logical bytes |",
             "|" + "---|" * (len(kinds) + 4)]
    for name, o in rows:
        cells = [f"{100 * o['by_kind'][k]['rate']:.0f}" for k in kinds]
        share = f"{o['live_bytes'] / o['logical_bytes']:.2f}"
        lines.append(f"| {name} | **{100 * o['total']['rate']:.1f} %** | " + " | ".join(cells) +
                     f" | {o['evictions']:,} | {share} |")
    pathlib.Path(args.out).write_text("\n".join(lines) + "\n")


main()
