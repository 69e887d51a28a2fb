#!/usr/bin/python3
"""Vectors for the sampler, computed with NumPy in float64 from float32 logits."""
import json
import sys

import numpy as np


def ordered(logits):
    """Ids, larger logit first, lower id on ties."""
    return np.lexsort((np.arange(len(logits)), -logits))


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def case(name, rng, **o):
    n = 64
    logits = np.round(rng.normal(0, 3, n), 3).astype(np.float32)
    if o.get("ties"):
        logits[[3, 9, 40]] = logits.max() + 1
    history = [int(t) for t in rng.integers(0, n, 30)]
    bias = o.get("bias", [])
    base = logits.astype(np.float64)
    for token, value in bias:
        base[token] = -np.inf if value <= -100 else np.float32(base[token] + value)
    logprobs = base - base[np.isfinite(base)].max()
    logprobs = logprobs - np.log(np.exp(logprobs).sum())
    x = base.copy()
    penalty, last, answered = o.get("repeat_penalty", 1.0), o.get("repeat_last_n", 64), 12
    if penalty != 1.0 and last > 0:
        for token in set(history[-last:]):
            x[token] = x[token] / penalty if x[token] > 0 else x[token] * penalty
    presence, frequency = o.get("presence_penalty", 0.0), o.get("frequency_penalty", 0.0)
    for token in set(history[-answered:]):
        x[token] -= presence + frequency * history[-answered:].count(token)
    t = o.get("temperature", 1.0)
    ids = ordered(x)
    if t == 0:
        kept = ids[:1]
    else:
        kept = ids[: o["top_k"]] if o.get("top_k", 0) else ids
        kept = kept[np.isfinite(x[kept])]
        if o.get("top_p", 1.0) < 1:
            kept = kept[: int(np.searchsorted(np.cumsum(softmax(x[kept])), o["top_p"])) + 1]
        if o.get("min_p", 0.0) > 0:
            p = softmax(x[kept])
            kept = kept[p >= o["min_p"] * p[0]]
    p = softmax(x[kept] / (t or 1))
    top = [i for i in ordered(base)[:5] if np.isfinite(base[i])]
    return {"name": name, "logits": [float(v) for v in logits], "history": history, "answered": answered,
            "bias": bias, "temperature": t, "top_k": o.get("top_k", 0), "top_p": o.get("top_p", 1.0),
            "min_p": o.get("min_p", 0.0), "repeat_penalty": penalty, "repeat_last_n": last,
            "presence_penalty": presence, "frequency_penalty": frequency,
            "logprobs": [None if np.isinf(v) else float(v) for v in logprobs],
            "top": [[int(i), float(logprobs[i])] for i in top],
            "candidates": [[int(i), float(q)] for i, q in zip(kept, p)]}


rng = np.random.default_rng(20261121)
cases = [
    case("plain", rng),
    case("greedy with ties", rng, temperature=0.0, ties=True),
    case("biases", rng, bias=[[3, 4.5], [7, -100], [20, -2.25]]),
    case("repetition", rng, repeat_penalty=1.3, repeat_last_n=20, temperature=0.7),
    case("presence", rng, presence_penalty=0.6),
    case("frequency", rng, frequency_penalty=0.4, temperature=1.7),
    case("negative penalties", rng, presence_penalty=-1.5, frequency_penalty=-0.75, top_k=9),
    case("everything", rng, bias=[[1, 3.0], [2, -100]], repeat_penalty=1.2, presence_penalty=0.3,
         frequency_penalty=0.2, top_k=30, top_p=0.9, min_p=0.02, temperature=0.8),
]
json.dump(cases, open(sys.argv[1], "w"), separators=(",", ":"))
