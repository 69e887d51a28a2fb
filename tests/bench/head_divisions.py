#!/usr/bin/env python3
"""Attention matching of one head compared with the reference's variants, on other divisions of its queries and other heads.

Usage: head_divisions.py LACUNA_BENCH [--head tests/golden/attention-matching] [--divisions 3] [--generated 3] [--first 0]
                                [--keep 256,128,64,32]

The golden head has queries to fit and queries to test. This script shuffles both together and divides them again, once
for each seed, so that a default is not judged by one division only; the published division comes first. Generated heads
are of three kinds: clustered keys, near copies, and unrelated keys. Prints the error of the default on the test
queries, that of the coverage order alone, that of the best of the reference's four variants as reproduced by `lacuna-bench
fit-head` (the best on these test queries), and the ratio of the default to it. Needs python3-numpy.
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


def write(folder, keys, values, fit, test):
    for name, rows in (("keys", keys), ("values", values), ("queries_fit", fit), ("queries_test", test)):
        numpy.save(folder / f"{name}.npy", rows.astype(numpy.float32))


def divided(head, seed, folder):
    """Returns the golden head with its queries shuffled; without a seed, as published."""
    keys, values, fit, test = (numpy.load(head / f"{name}.npy")
                               for name in ("keys", "values", "queries_fit", "queries_test"))
    if seed is not None:
        queries = numpy.concatenate([fit, test])
        queries = queries[numpy.random.default_rng(seed).permutation(len(queries))]
        fit, test = queries[:len(fit)], queries[len(fit):]
    write(folder, keys, values, fit, test)


KINDS = {"clustered": (96, .35, 1.2), "near copies": (80, .02, 1.2), "unrelated": (1024, 1., 0.)}


def generated(kind, seed, folder):
    """1,024 keys of 64 numbers in groups of unequal size with small variations; each query matches a key. 768 queries to
    fit, and 2,048 to test, which is enough to distinguish a selection of keys from chance."""
    groups, jitter, size = KINDS[kind]
    random = numpy.random.default_rng([seed, list(KINDS).index(kind)])
    slots, dim = 1024, 64
    centres, answers = random.normal(size=(2, groups, dim))
    shares = numpy.exp(random.normal(size=groups))
    of = random.choice(groups, size=slots, p=shares / shares.sum())
    keys = size * centres[of] + jitter * random.normal(size=(slots, dim))
    values = (answers[of] if size else 0) + (.05 if kind == "near copies" else .4) * random.normal(size=(slots, dim))
    aim = 1.44 if size else 1.92
    fit, test = (aim * keys[random.integers(slots, size=count)] + random.normal(size=(count, dim))
                 for count in (768, 2048))
    write(folder, keys, values, fit, test)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("--head", type=pathlib.Path, default=pathlib.Path("tests/golden/attention-matching"))
    parser.add_argument("--divisions", type=int, default=3)
    parser.add_argument("--generated", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--keep", default="256,128,64,32")
    args = parser.parse_args()
    heads = [("as published", lambda folder: divided(args.head, None, folder))]
    heads += [(f"division {seed}", lambda folder, seed=seed: divided(args.head, seed, folder))
              for seed in range(args.first, args.first + args.divisions)]
    heads += [(f"{kind} {seed}", lambda folder, kind=kind, seed=seed: generated(kind, seed, folder))
              for kind in KINDS for seed in range(args.first, args.first + args.generated)]
    lost = cells = 0
    print("| head | keys | ours | coverage alone | best variant of the reference | ratio |\n|---|---|---|---|---|---|")
    for label, make in heads:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            make(folder)
            for keep in map(int, args.keep.split(",")):
                ours = error(args.lacuna, folder, keep)
                alone = error(args.lacuna, folder, keep, ["selector=coverage"])
                best, which = min((error(args.lacuna, folder, keep, s), v) for v, s in VARIANTS.items())
                lost += ours >= best
                cells += 1
                print(f"| {label} | {keep} | {ours:.4f} | {alone:.4f} | {best:.4f} ({which}) | {ours / best:.3f} |",
                      flush=True)
    print(f"\nlower in {cells - lost} of {cells}")


main()
