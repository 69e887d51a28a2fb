#!/usr/bin/env python3
"""Writes case.json: expected results of transform coding, computed with NumPy only.

Rows of keys whose rotation is undone at positions from 5000 on with a base of 1e6, in both pairings
and with rotated and other numbers in a head; principal components of their covariance; the best
plan of bits by trying budgets in another order than the program does. Needs python3-numpy."""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(20261123)
HEADS, DIM, PAIRS, BASE, FIRST, TOKENS = 2, 12, 4, 1e6, 5000, 96
LENGTHS = (1, 16, 64, 256, 1024)
BITS = {0: 0, 1: 2, 2: 4, 3: 8}


def rotated(rows, positions, interleaved):
    """rows [tokens, heads, dim]; complex numbers for pairs, so nothing like the program's loops."""
    out = rows.copy()
    frequency = BASE ** (-2.0 * np.arange(PAIRS) / (2 * PAIRS))
    phase = np.exp(1j * positions[:, None] * frequency)[:, None, :]
    if interleaved:
        pairs = (rows[..., 0:2 * PAIRS:2] + 1j * rows[..., 1:2 * PAIRS:2]) * phase
        out[..., 0:2 * PAIRS:2], out[..., 1:2 * PAIRS:2] = pairs.real, pairs.imag
    else:
        pairs = (rows[..., :PAIRS] + 1j * rows[..., PAIRS:2 * PAIRS]) * phase
        out[..., :PAIRS], out[..., PAIRS:2 * PAIRS] = pairs.real, pairs.imag
    return out


def bytes_of(length, code):
    return 0 if code == 0 else (length * BITS[code] + 7) // 8 + 4


def best_plan_error(variances, budget):
    """Memoised from the front, where the program fills a table towards the end."""
    sums = np.concatenate([[0.0], np.cumsum(variances)])
    memo = {}

    def least(first, left):
        if first == len(variances):
            return 0.0
        if (first, left) not in memo:
            found = np.inf
            for length in LENGTHS:
                if first + length > len(variances):
                    break
                part = sums[first + length] - sums[first]
                for code, bits in BITS.items():
                    cost = bytes_of(length, code)
                    if cost <= left:
                        found = min(found, part * 4.0 ** -bits + least(first + length, left - cost))
            memo[first, left] = found
        return memo[first, left]

    return least(0, budget)


mixing = rng.normal(size=(5, HEADS * DIM)) * np.array([8, 4, 2, 1, 0.5])[:, None]
plain = rng.normal(size=(TOKENS, 5)) @ mixing + 0.05 * rng.normal(size=(TOKENS, HEADS * DIM))
plain += rng.normal(size=HEADS * DIM)
plain = plain.astype(np.float32).astype(np.float64)
positions = FIRST + np.arange(TOKENS)
rows = plain.reshape(TOKENS, HEADS, DIM)

centred = plain - plain.mean(axis=0)
values, vectors = np.linalg.eigh(centred.T @ centred / TOKENS)
order = np.argsort(values)[::-1][:6]
basis = vectors[:, order].T
basis *= np.sign(basis[np.arange(6), np.abs(basis).argmax(axis=1)])[:, None]

variances = np.sort(np.exp(2 * rng.normal(size=90)))[::-1]
case = {
    "heads": HEADS, "dim": DIM, "pairs": PAIRS, "base": BASE, "first": FIRST,
    "plain": plain.ravel().tolist(),
    "halves": rotated(rows, positions, False).ravel().astype(np.float32).tolist(),
    "interleaved": rotated(rows, positions, True).ravel().astype(np.float32).tolist(),
    "covariance": (centred.T @ centred / TOKENS).ravel().tolist(),
    "eigenvalues": values[order].tolist(),
    "basis": basis.ravel().tolist(),
    "reconstruction_error": float(values[np.argsort(values)[:-6]].sum()),
    "variances": variances.tolist(),
    "budgets": {str(b): best_plan_error(variances, b) for b in (0, 5, 9, 17, 40, 77, 130, 400)},
}
path = pathlib.Path(__file__).parent / "case.json"
path.write_text(json.dumps(case) + "\n")
