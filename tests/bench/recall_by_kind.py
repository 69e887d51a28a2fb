#!/usr/bin/env python3
"""First and last step of recall_cells.sh: splits dialogues into slices, and makes tables by kind of dialogue.

Usage: recall_by_kind.py slice --cases CASES.json --every N --out OUT
       recall_by_kind.py table --model NAME --out OUT

`table` reads OUT/slice-*/ (cases.json, bench.json, bench.cells.json) and OUT/text, and refuses a setting that never evicted
anything; unfinished slices are listed and omitted. KL is the divergence of the next-token distributions from those of the
uncompressed cache, in nats, over question and answer; perplexity covers the same tokens.
"""
import argparse
import json
import math
import pathlib
import shutil
import sys

PER_SLICE = 5
KINDS = {"facts": ("facts1", "facts8"), "register lines": ("lines",), "pairs": ("pairs",)}


def slice_cases(args):
    """Neighbours differ in kind, so that all slices take about the same time."""
    chosen = json.loads(pathlib.Path(args.cases).read_text())[::args.every]
    count = -(-len(chosen) // PER_SLICE)
    parts = {f"slice-{i:02}": chosen[i::count] for i in range(count)}
    parts["text"] = []
    for old in args.out.glob("slice-*"):
        if old.name not in parts:
            shutil.rmtree(old)
    for name, cases in parts.items():
        folder = args.out / name
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(cases)
        file = folder / "cases.json"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            (folder / "bench.cells.json").unlink(missing_ok=True)


def cells_of(folder):
    """(setting, case or None for running text, cell) of one measured folder."""
    cases = json.loads((folder / "cases.json").read_text())
    settings = json.loads((folder / "bench.json").read_text())["settings"]
    for cell in json.loads((folder / "bench.cells.json").read_text())["cells"]:
        setting = settings[cell["setting"]]
        case = cases[cell["item"]] if cell["item"] < len(cases) else None
        yield (setting["method"], setting["asked"]), case, cell


class Sum:
    """Figures of one setting over some texts."""

    def __init__(self):
        self.texts = self.refused = self.hits = self.whole = self.live = self.logical = self.evictions = 0
        self.kl, self.same, self.nll, self.output, self.mass = [], 0, 0.0, [], []

    def add(self, cell):
        if "refused" in cell:
            self.refused += 1
            return
        self.texts += 1
        self.evictions += cell["evictions"]
        self.live += cell["live_bytes"]
        self.logical += cell["logical_bytes"]
        self.hits += cell.get("hit", False)
        self.whole += cell.get("whole_hit", False)
        self.kl += cell["kl"]
        self.same += cell["same_top"]
        self.nll += (cell["compacted_nll"] - cell["whole_nll"]) * len(cell["kl"])
        if "output_error" in cell:
            self.output.append(cell["output_error"])
            self.mass.append(cell["log_mass_error"])

    def figures(self):
        if self.texts == 0:
            return {"texts": 0, "refused": self.refused}
        kl = sorted(self.kl)
        mean = lambda numbers: sum(numbers) / len(numbers) if numbers else None
        return {"texts": self.texts, "refused": self.refused, "hits": self.hits, "whole_hits": self.whole,
                "evictions": self.evictions, "live_share": self.live / self.logical, "positions": len(kl),
                "kl_mean": mean(kl), "kl_p99": kl[min(len(kl) - 1, math.ceil(0.99 * len(kl)) - 1)],
                "same_top": self.same / len(kl), "perplexity_change": math.expm1(self.nll / len(kl)),
                "output_error": mean(self.output), "log_mass_error": mean(self.mass)}


def group_of(case):
    return next(name for name, kinds in KINDS.items() if case["kind"] in kinds)


def gathered(out):
    sums = {}
    for folder in sorted(out.glob("slice-*")) + [out / "text"]:
        if not (folder / "bench.json").exists():
            print(f"{folder.name} is not finished", file=sys.stderr)
            continue
        for setting, case, cell in cells_of(folder):
            groups = ["text"] if case is None else ["all", group_of(case), f"{case['approx_tokens']} tokens"]
            for group in groups:
                sums.setdefault(setting, {}).setdefault(group, Sum()).add(cell)
    for (method, asked), groups in sums.items():
        if sum(one.evictions for one in groups.values()) == 0:
            sys.exit(f"{method} {asked}: nothing was evicted, so its rows would say nothing")
    return {setting: {name: one.figures() for name, one in groups.items()} for setting, groups in sums.items()}


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def recall_table(figures):
    first = next(iter(figures.values()))
    lengths = sorted((name for name in first if name.endswith(" tokens")), key=lambda n: int(n.split()[0]))
    columns = ["all", *KINDS, *lengths]
    lines = ["| method | target | live / logical bytes | " + " | ".join(f"{c} ({first[c]['texts']})" for c in columns) +
             " | KL mean | KL p99 | same top token | perplexity | output error |",
             "|---|---|---|" + "---|" * (len(columns) + 5),
             "| none | | 1.000 | " + " | ".join(percent(first[c]["whole_hits"], first[c]["texts"]) for c in columns) +
             " | 0 | 0 | 100.0 % | | 0 |"]
    for (method, asked), groups in figures.items():
        f = groups["all"]
        if f["texts"] == 0:
            continue
        cells = [percent(groups[c].get("hits", 0), groups[c]["texts"]) for c in columns]
        error = "" if f["output_error"] is None else f"{f['output_error']:.3f}"
        lines.append(f"| {method} | {asked} | {f['live_share']:.3f} | " + " | ".join(cells) +
                     f" | {f['kl_mean']:.4f} | {f['kl_p99']:.3f} | {100 * f['same_top']:.1f} % | "
                     f"{100 * f['perplexity_change']:+.1f} % | {error} |")
    return lines


def text_table(figures):
    lines = ["| method | target | live / logical bytes | KL mean | KL p99 | same top token | perplexity |",
             "|---|---|---|---|---|---|---|"]
    for (method, asked), groups in figures.items():
        f = groups["text"]
        if f["texts"]:
            lines.append(f"| {method} | {asked} | {f['live_share']:.3f} | {f['kl_mean']:.4f} | {f['kl_p99']:.3f} | "
                         f"{100 * f['same_top']:.1f} % | {100 * f['perplexity_change']:+.1f} % |")
    return lines


def table(args):
    figures = gathered(args.out)
    first = next(iter(figures.values()))
    listed = [{"method": method, "asked": asked, **groups} for (method, asked), groups in figures.items()]
    (args.out / "recall.json").write_text(json.dumps({"model": args.model, "settings": listed}, indent=1) + "\n")
    lines = [f"{args.model}: {first['all']['texts']} dialogues, {first['all']['positions']:,} positions; recall in per "
             "cent by kind and by length of the text.", "", *recall_table(figures)]
    if "text" in first:
        text = first["text"]
        lines += ["", f"Running text alone, {text['texts']} windows, {text['positions']:,} positions:", "",
                  *text_table(figures)]
    (args.out / "recall.md").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    slicing = steps.add_parser("slice")
    slicing.add_argument("--cases", required=True)
    slicing.add_argument("--every", type=int, default=1)
    slicing.set_defaults(step=slice_cases)
    tables = steps.add_parser("table")
    tables.add_argument("--model", required=True)
    tables.set_defaults(step=table)
    for one in (slicing, tables):
        one.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.step(args)


main()
