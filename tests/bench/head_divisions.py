#!/usr/bin/env python3
"""Attention matching of one head beside the reference's variants, on other divisions of its queries.

Usage: head_divisions.py LACUNA [--head tests/golden/attention-matching] [--divisions 3] [--keep 256,128,64,32]

The golden head comes with queries to fit and queries to test. This shuffles both together and divides them anew, once
for each seed, so that a default is not judged by one division alone. Prints our default's error on the test queries, the
best of the reference's four variants as `lacuna fit-head` reproduces them, and their ratio. Needs python3-numpy.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy

VARIANTS = {
    "evict": ["selector=rms", "mass=none", "values=direct"],
    "highest attention": ["selector=rms", "mass=nnls", "values=ols"],
    "matching pursuit": ["selector=omp", "mass=nnls", "values=ols"],
    "matching pursuit by four": ["selector=omp_fast", "mass=nnls", "values=ols"],
}


def error(lacuna, folder, keep, settings=()):
    options = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([lacuna, "fit-head", str(folder), "--keep", str(keep), *options], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["relative_output_error_test"]


def divided(head, seed, folder):
    fit = numpy.load(head / "queries_fit.npy")
    queries = numpy.concatenate([fit, numpy.load(head / "queries_test.npy")])
    order = numpy.random.default_rng(seed).permutation(len(queries))
    for name in ("keys", "values"):
        numpy.save(folder / f"{name}.npy", numpy.load(head / f"{name}.npy"))
    numpy.save(folder / "queries_fit.npy", queries[order[:len(fit)]])
    numpy.save(folder / "queries_test.npy", queries[order[len(fit):]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("--head", type=pathlib.Path, default=pathlib.Path("tests/golden/attention-matching"))
    parser.add_argument("--divisions", type=int, default=3)
    parser.add_argument("--keep", default="256,128,64,32")
    args = parser.parse_args()
    print("| division | keys | ours | best variant of the reference | ratio |\n|---|---|---|---|---|")
    for seed in range(args.divisions):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            divided(args.head, seed, folder)
            for keep in map(int, args.keep.split(",")):
                ours = error(args.lacuna, folder, keep)
                best, which = min((error(args.lacuna, folder, keep, s), v) for v, s in VARIANTS.items())
                print(f"| {seed} | {keep} | {ours:.4f} | {best:.4f} ({which}) | {ours / best:.3f} |", flush=True)


main()
