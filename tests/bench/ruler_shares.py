#!/usr/bin/env python3
"""RULER under compression: questions by methods by ratios, each text read once, until a given time; prints a Markdown table.

    ruler_shares.py run LACUNA_BENCH MODEL --out FOLDER [--until 03:40] [--rows 20] [--length 4096]
        [--methods "am task_free,am reconstruction,keydiff,observation_window,random"] [--ratios 4,8,16]
    ruler_shares.py table --out FOLDER

`run` runs the thirteen tasks once for each seed from 1001 on: one `lacuna-bench bench-compression --table whole` without dialogues
and running text, on one thread, whose cells stay in FOLDER/SEED. It stops at the given time, or can be stopped at any time,
and resumes at the next call. `table` uses the questions that were measured with every method and ratio. A share is the sum of
scores over that of the full cache; its standard error is that of a ratio of two means over questions. A cell from which
nothing was evicted ends the script.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import signal
import subprocess
import sys

FIRST_SEED = 1001


def seconds_until(clock):
    """Returns the seconds until HH:MM; None without an end."""
    if clock is None:
        return None
    now = datetime.datetime.now()
    hour, minute = (int(part) for part in clock.split(":"))
    end = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return (end + datetime.timedelta(days=end <= now) - now).total_seconds()


def ended(process, limit):
    """Returns the exit status; None if it had to be stopped. Its measurements are kept in either case."""
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
        return None


def run(given):
    left = seconds_until(given.until)
    end = None if left is None else datetime.datetime.now() + datetime.timedelta(seconds=left)
    for seed in range(FIRST_SEED, FIRST_SEED + given.rows):
        folder = given.out / str(seed)
        if (folder / "quality.md").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        command = [given.lacuna, "bench-compression", given.model, "--table", "whole", "--rounds", "0", "--windows", "0",
                   "--ruler-rows", "1", "--ruler-length", str(given.length), "--methods", given.methods, "--ratios", given.ratios,
                   "--seed", str(seed), "--set", "threads=1", "--out", str(folder)]
        # The table shown in the window must not include these.
        own = dict(os.environ, HOME=str(given.out), XDG_DATA_HOME=str(given.out / "data"))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=own)
        limit = None if end is None else max((end - datetime.datetime.now()).total_seconds(), 0)
        status = ended(process, limit)
        if status is None:
            print("stopped; run it again to go on")
            return
        if status != 0:
            sys.exit(status)


def questions(folder):
    """(settings, [{setting: cell}] of the questions that were measured with every setting)."""
    rows, settings = [], None
    for file in sorted(folder.glob("*/quality.cells.json")):
        table = json.loads((file.parent / "quality.json").read_text(encoding="utf-8"))
        names = [(row["method"], row["ratio"]) for row in table["rows"]]
        if settings not in (None, names):
            sys.exit(f"{file}: other methods or ratios than before")
        settings = names
        by_item = {}
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            by_item.setdefault(cell["item"], {})[cell["setting"]] = cell
        rows += [cells for cells in by_item.values() if len(cells) == len(names)]
    return settings, rows


def share(pairs):
    """(share, standard error) of [(whole, compacted)]."""
    count, whole = len(pairs), sum(w for w, _ in pairs)
    if whole == 0:
        return None
    ratio = sum(c for _, c in pairs) / whole
    spread = sum((c - ratio * w) ** 2 for w, c in pairs) / max(count - 1, 1)
    return ratio, math.sqrt(spread / count) / (whole / count)


def table(given):
    settings, rows = questions(given.out)
    if not rows:
        sys.exit("no question was answered by all of them yet")
    wholes = [cells[0]["score"][0] for cells in rows]
    print(f"{len(rows)} questions; the full cache scores {100 * sum(wholes) / len(rows):.1f} and something on "
          f"{sum(w > 0 for w in wholes)} of them.\n")
    ratios = sorted({ratio for _, ratio in settings})
    print("| method | " + " | ".join(f"{ratio:g}x" for ratio in ratios) + " |")
    print("|---|" + "---|" * len(ratios))
    for method in dict.fromkeys(method for method, _ in settings):
        shares = []
        for ratio in ratios:
            at = settings.index((method, ratio))
            cells = [row[at] for row in rows]
            if any(cell.get("evictions", 0) <= 0 for cell in cells):
                sys.exit(f"{method} at {ratio:g}x: nothing was evicted from a text, so there is nothing to compare")
            found = share([cell["score"] for cell in cells])
            shares.append("–" if found is None else f"{100 * found[0]:.1f} ± {100 * found[1]:.1f} %")
        print(f"| {method} | " + " | ".join(shares) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = options.add_subparsers(required=True)
    asked = steps.add_parser("run")
    asked.add_argument("lacuna")
    asked.add_argument("model")
    asked.add_argument("--until", help="HH:MM; without it, until all rows are there")
    asked.add_argument("--rows", type=int, default=20, help="questions of each task")
    asked.add_argument("--length", type=int, default=4096)
    asked.add_argument("--methods", default="am task_free,am reconstruction,keydiff,observation_window,random")
    asked.add_argument("--ratios", default="4,8,16")
    asked.set_defaults(step=run)
    made = steps.add_parser("table")
    made.set_defaults(step=table)
    for step in (asked, made):
        step.add_argument("--out", type=pathlib.Path, required=True)
    given = options.parse_args()
    given.step(given)


if __name__ == "__main__":
    main()
