#!/usr/bin/env python3
"""Runs the benchmarks of Lacuna and of a peer alternately (A B A B ...) and prints medians, spread and ratios as one table.

Usage: compare.py --ours BIN/lacuna-bench --peer BIN/llama-bench [--pairs 5] [--threads 2] [--prefill 512] [--decode 64]
                  [--context N]... [--cpu] [--peer-args "-rtr 1 -fa 1"] [--peer-context -gp] [--json OUT.json] MODEL.gguf...

Each pair is one run of Lacuna and one of the peer in immediate succession: on a shared machine both see about the same
load, so the median of the ratios of pairs is more reliable than the ratio of medians. With --context, tokens are decoded
with that many tokens in the cache; --peer-context names the peer's option for that: -gp CONTEXT,DECODE, or -d CONTEXT.
The load of the machine (1 minute) is printed with every row; above 1 only the ratios are meaningful.

On a busy machine --cpu compares processor time instead of wall time: every run is made with one thread for few and for
many tokens, and the difference in tokens is divided by the difference in processor seconds. That excludes loading and
waiting for a core, but not the effect of other programs on caches and memory bandwidth.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys


def run(command):
    """Returns the output of a command and the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def our_command(args, model, task):
    prefill, decode, context = task
    return [args.ours, "bench", model, "--threads", str(args.threads), "--repeat", "1", "--prefill", str(prefill),
            "--decode", str(decode), "--context", str(context), "--apart", "--no-compaction"]


def peer_command(args, model, task):
    prefill, decode, context = task
    command = [args.peer, "-m", model, "-t", str(args.threads), "-r", "1", "-o", "json", *args.peer_args.split()]
    if context and args.peer_context == "-gp":
        return command + ["-p", "0", "-n", "0", "-gp", f"{context},{decode}"]
    if context:
        return command + ["-p", "0", "-n", str(decode), "-d", str(context)]
    return command + ["-p", str(prefill), "-n", str(decode)]


def clock_rates(args, model, task):
    """For prefill and for decode: tokens per second of Lacuna and of the peer, and Lacuna's share of the bandwidth."""
    mine, _ = run(our_command(args, model, task))
    theirs, _ = run(peer_command(args, model, task))
    found = []
    if task[0]:
        theirs_prefill = next(t["avg_ts"] for t in theirs if t["n_gen"] == 0)
        found.append((mine["prefill_tokens_per_second"], theirs_prefill, None))
    if task[1]:
        share = mine["limits"]["decode_share_of_read_bandwidth"]
        found.append((mine["decode_tokens_per_second"], theirs[-1]["avg_ts"], share))
    return found


def processor_rates(args, model, task):
    """Tokens per processor second of Lacuna and of the peer, for prefill or decode."""
    prefill, decode, context = task
    few = (prefill // 4, decode // 4, context)
    rates = []
    for command in (our_command, peer_command):
        _, short = run(command(args, model, few))
        _, long = run(command(args, model, task))
        rates.append((prefill + decode - few[0] - few[1]) / (long - short))
    return [(rates[0], rates[1], None)]


def spread(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def measure(args, model, task):
    """Returns one table of figures for prefill and one for decode, as far as the task has them."""
    prefill, decode, context = task
    name = os.path.basename(model)
    titles = [f"prefill {prefill}"] * (prefill > 0)
    titles += [f"decode {decode}" + (f" behind {context}" if context else "")] * (decode > 0)
    all_found = [{"model": name, "task": title, "ours": [], "peer": [], "share": [], "load": []} for title in titles]
    for pair in range(args.pairs):
        print(f"{name}, {' and '.join(titles)}, pair {pair + 1} of {args.pairs}", file=sys.stderr)
        for found, (mine, theirs, share) in zip(all_found, (processor_rates if args.cpu else clock_rates)(args, model, task)):
            found["ours"].append(mine)
            found["peer"].append(theirs)
            if share is not None:
                found["share"].append(share)
            found["load"].append(os.getloadavg()[0])
    for found in all_found:
        found["ratios"] = [a / b for a, b in zip(found["ours"], found["peer"])]
    return all_found


def heading(unit):
    return (f"| model | task | ours, {unit} | peer, {unit} | ratio of pairs | of read bandwidth | load |\n"
            "|---|---|---|---|---|---|---|")


def row(found):
    share = f"{100 * statistics.median(found['share']):.0f} %" if found["share"] else ""
    return (f"| {found['model']} | {found['task']} | {spread(found['ours'])} | {spread(found['peer'])} | "
            f"{statistics.median(found['ratios']):.2f} ({min(found['ratios']):.2f}-{max(found['ratios']):.2f}) | {share} | "
            f"{statistics.median(found['load']):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prefill", type=int, default=512)
    parser.add_argument("--decode", type=int, default=64)
    parser.add_argument("--context", type=int, action="append", default=[])
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--peer-args", default="-rtr 1 -fa 1")
    parser.add_argument("--peer-context", choices=["-gp", "-d"], default="-gp")
    parser.add_argument("--json")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    if args.cpu:
        args.threads = 1
    if args.context:
        tasks = [(0, args.decode, context) for context in args.context]
    elif args.cpu:
        tasks = [(args.prefill, 0, 0)] * (args.prefill > 0) + [(0, args.decode, 0)] * (args.decode > 0)
    else:
        tasks = [(args.prefill, args.decode, 0)]
    unit = "tok / processor s" if args.cpu else "tok/s"
    print(heading(unit))
    results = []
    for model in args.models:
        for task in tasks:
            for found in measure(args, model, task):
                results.append(found)
                print(row(found), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
