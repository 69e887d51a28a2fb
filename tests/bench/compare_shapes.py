#!/usr/bin/env python3
"""The shapes of recent_shapes.py beside a peer: one table with prefill of 512 tokens and decoding behind 0 and 4,096 tokens.

Usage: compare_shapes.py --ours BIN/lacuna-bench --peer BIN/llama-bench --models FOLDER [--pairs 5] [--threads 2] [--cpu]
                         [--decode 32] [--contexts 0,4096] [--peer-args "-fa 1"] [--peer-context -d] [--json OUT.json]
                         [SHAPE...]

Files with random weights that the folder lacks are written first (make_model.py; about 14 GiB for all shapes). Large models
have fewer layers, with the pattern of the whole. Programs run in turn, and the ratio is the median of the pairs (compare.py).
A shape that a program refuses is listed with what it said.
"""
import argparse
import json
import os
import subprocess
import sys

import compare

# mix and layers; None: all of the model
FILES = {
    "qwen3.5-0.8b": ("Q4_K_M", None),
    "qwen3.5-2b": ("Q4_K_M", None),
    "lfm2-1.2b": ("Q4_K_M", None),
    "granite-4-h-tiny": ("Q4_K_M", 20),
    "gpt-oss-20b": ("Q8_0", 6),
    "qwen3-30b-a3b": ("Q4_K_M", 8),
    "gemma-4-e2b": ("Q4_K_M", None),
}


def file_of(folder, shape):
    mix, layers = FILES[shape]
    name = os.path.join(folder, f"{shape}-{mix}{f'-{layers}-layers' if layers else ''}.gguf")
    if not os.path.exists(name):
        maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_model.py")
        subprocess.run([sys.executable, maker, shape, mix, name + ".part", *(["--layers", str(layers)] if layers else [])],
                       check=True)
        os.rename(name + ".part", name)
    return name


def tasks_of(args):
    """Tuples of prefill, decode and context, as compare.py takes them."""
    apart = [(512, 0, 0), (0, args.decode, 0)] if args.cpu else [(512, args.decode, 0)]
    contexts = [int(context) for context in args.contexts.split(",")]
    return (apart if 0 in contexts else []) + [(0, args.decode, context) for context in contexts if context]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--decode", type=int, default=32)
    parser.add_argument("--contexts", default="0,4096")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--peer-args", default="-fa 1")
    parser.add_argument("--peer-context", choices=["-gp", "-d"], default="-d")
    parser.add_argument("--json")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(FILES))
    args = parser.parse_args()
    if args.cpu:
        args.threads = 1
    os.makedirs(args.models, exist_ok=True)
    print(compare.heading("tok / processor s" if args.cpu else "tok/s"))
    results = []
    for shape in args.shapes or FILES:
        model = file_of(args.models, shape)
        for task in tasks_of(args):
            try:
                found = compare.measure(args, model, task)
            except SystemExit as refusal:
                said = str(refusal.code).strip().splitlines()
                print(f"| {shape} | refused: {said[0]} {said[-1]} | | | | | |", flush=True)
                break
            results += found
            print("\n".join(compare.row(one) for one in found), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
