#!/usr/bin/env python3
"""Writes a GGUF file of a real model's exact shape with random weights, for measuring speed without a download.

Usage: make_model.py SHAPE MIX OUT.gguf [--layers N]
  SHAPE  qwen3-0.6b, llama3.2-1b, smollm2-135m, qwen2.5-7b (matrices of Qwen2.5-7B without the biases of its attention, and
         with a small vocabulary), or qwen3-8b-cache: layers, heads and head size of Qwen3-8B (the shape of
         its cache) with narrow feed-forward weights, so that attention over a long context dominates;
         or a shape of recent_shapes.py: qwen3.5-0.8b, qwen3.5-2b, qwen3.5-small, lfm2-1.2b, granite-4-h-tiny, gpt-oss-20b (experts in
         MXFP4), qwen3-30b-a3b, gemma-4-e2b
  MIX    F16, Q8_0, Q4_0 or Q4_K_M: which type each tensor gets, by the rules that files of these names usually follow

Codes are random bits; the scales are set so that the weights have about the size of trained ones and logits stay finite.
The vocabulary has the real size and is made of letters, their pairs and triples, with one merge for each.
"""
import argparse
import math
import struct
import sys

import numpy

import recent_shapes

SHAPES = {
    "qwen3-0.6b": dict(arch="qwen3", layers=28, hidden=1024, heads=16, kv=8, dim=128, ff=3072, vocab=151936,
                       base=1e6, pre="qwen2"),
    "llama3.2-1b": dict(arch="llama", layers=16, hidden=2048, heads=32, kv=8, dim=64, ff=8192, vocab=128256,
                        base=5e5, pre="llama-bpe"),
    "smollm2-135m": dict(arch="llama", layers=30, hidden=576, heads=9, kv=3, dim=64, ff=1536, vocab=49152,
                         base=1e5, pre="smollm"),
    "qwen2.5-7b": dict(arch="llama", layers=28, hidden=3584, heads=28, kv=4, dim=128, ff=18944, vocab=32768,
                       base=1e6, pre="qwen2"),
    "qwen3-8b-cache": dict(arch="qwen3", layers=36, hidden=1024, heads=32, kv=8, dim=128, ff=1024, vocab=32768,
                           base=1e6, pre="qwen2"),
}
MIXES = {"F16": 1, "Q4_0": 2, "Q8_0": 7, "Q4_K_M": 15}  # general.file_type
# type: number in GGUF, values per block, bytes per block, {offset of a half: factor of the largest code}
TYPES = {
    "F32": (0, 1, 4, {}),
    "F16": (1, 1, 2, {}),
    "Q4_0": (2, 32, 18, {0: 8}),
    "Q5_0": (6, 32, 22, {0: 16}),
    "Q8_0": (8, 32, 34, {0: 127}),
    "Q4_K": (12, 256, 144, {0: 15 * 63, 2: 63 * 2}),
    "Q6_K": (14, 256, 210, {208: 32 * 127}),
    "MXFP4": (39, 32, 17, {}),
}
MXFP4_EXPONENT = 121  # of two, plus 127: the largest code is then 6 / 64
NARROWER = {"Q4_K": "Q5_0", "Q6_K": "Q8_0"}  # for rows that are no whole number of blocks of 256
WEIGHT = 0.04  # size of a weight
ALIGNMENT = 32


def type_of(name, columns, mix, layers):
    """The type of a matrix in a mix."""
    if mix in ("F16", "Q8_0"):
        return mix
    chosen = "Q4_0" if mix == "Q4_0" else "Q4_K"
    if name == "token_embd.weight":
        chosen = "Q6_K"  # it is the output matrix too
    elif mix == "Q4_K_M" and ("attn_v" in name or "ffn_down" in name):
        layer = int(name.split(".")[1])
        first = layers // 8
        if layer < first or layer >= 7 * layers // 8 or (layer - first) % 3 == 2:
            chosen = "Q6_K"
    return chosen if columns % TYPES[chosen][1] == 0 else NARROWER[chosen]


def tensors(s, mix):
    """Yields (name, type, sizes, value): the length of a row first; a number fills the tensor, None is random weights."""
    if "family" in s:
        yield from recent_shapes.tensors(s, lambda name, columns: type_of(name, columns, mix, s["layers"]))
        return

    def matrix(name, rows, columns):
        return name, type_of(name, columns, mix, s["layers"]), [columns, rows], None

    def ones(name, count):
        return name, "F32", [count], 1.0
    yield matrix("token_embd.weight", s["vocab"], s["hidden"])
    yield ones("output_norm.weight", s["hidden"])
    wide, narrow = s["heads"] * s["dim"], s["kv"] * s["dim"]
    for layer in range(s["layers"]):
        at = f"blk.{layer}."
        yield ones(at + "attn_norm.weight", s["hidden"])
        yield ones(at + "ffn_norm.weight", s["hidden"])
        if s["arch"] == "qwen3":
            yield ones(at + "attn_q_norm.weight", s["dim"])
            yield ones(at + "attn_k_norm.weight", s["dim"])
        yield matrix(at + "attn_q.weight", wide, s["hidden"])
        yield matrix(at + "attn_k.weight", narrow, s["hidden"])
        yield matrix(at + "attn_v.weight", narrow, s["hidden"])
        yield matrix(at + "attn_output.weight", s["hidden"], wide)
        yield matrix(at + "ffn_gate.weight", s["ff"], s["hidden"])
        yield matrix(at + "ffn_up.weight", s["ff"], s["hidden"])
        yield matrix(at + "ffn_down.weight", s["hidden"], s["ff"])


def bytes_of(kind, sizes):
    _, length, size, _ = TYPES[kind]
    return math.prod(sizes) // length * size


def random_rows(kind, count, random):
    """`count` bytes of whole blocks."""
    _, _, size, halves = TYPES[kind]
    if kind in ("F16", "F32"):
        numbers = random.standard_normal(count // size, dtype=numpy.float32) * WEIGHT
        return numbers.astype("<f2" if kind == "F16" else "<f4").tobytes()
    blocks = random.integers(0, 256, (count // size, size), dtype=numpy.uint8)
    if kind == "MXFP4":
        blocks[:, 0] = MXFP4_EXPONENT
    for offset, largest in halves.items():
        scales = (random.standard_normal(len(blocks)) * 0.3 + 1) * 2 * WEIGHT / largest
        blocks[:, offset:offset + 2] = scales.astype("<f2").view(numpy.uint8).reshape(-1, 2)
    return blocks.tobytes()


def write_tensor(out, kind, sizes, value, random):
    total = bytes_of(kind, sizes)
    if value is not None:
        out.write(numpy.full(math.prod(sizes), value, dtype="<f4").tobytes())
    else:
        # The same megabytes again: drawing all of them takes minutes. Rows of routers must differ.
        piece = total if kind == "F32" else TYPES[kind][2] * 32768
        block = random_rows(kind, min(piece, total), random)
        for at in range(0, total, piece):
            out.write(block[:min(piece, total - at)])
    out.write(b"\0" * (-total % ALIGNMENT))


def byte_letters():
    """The letters by which byte-level vocabularies write the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(other)) for b in range(256)]


def vocabulary(size, special):
    tokens, merges = byte_letters(), []
    size -= len(special) - 1
    letters = [chr(c) for c in range(97, 123)] + [chr(c) for c in range(65, 91)]
    words = letters
    while len(tokens) < size - 1:
        longer = []
        for word in words:
            for letter in letters:
                if len(tokens) + len(longer) < size - 1:
                    merges.append(f"{word} {letter}")
                    longer.append(word + letter)
        tokens += longer
        words = longer
    return tokens + special, merges


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


class Metadata:
    def __init__(self):
        self.count, self.data = 0, bytearray()

    def add(self, key, kind, data):
        self.count += 1
        self.data += text(key) + struct.pack("<I", kind) + data

    def number(self, key, value):
        self.add(key, 4, struct.pack("<I", value))

    def real(self, key, value):
        self.add(key, 6, struct.pack("<f", value))

    def string(self, key, value):
        self.add(key, 8, text(value))

    def flag(self, key, value):
        self.add(key, 7, struct.pack("<?", value))

    def flags(self, key, values):
        self.add(key, 9, struct.pack("<IQ", 7, len(values)) + struct.pack(f"<{len(values)}?", *values))

    def strings(self, key, values):
        self.add(key, 9, struct.pack("<IQ", 8, len(values)) + b"".join(text(v) for v in values))

    def integers(self, key, values):
        self.add(key, 9, struct.pack("<IQ", 5, len(values)) + struct.pack(f"<{len(values)}i", *values))


def plain_keys(m, s):
    a = s["arch"] + "."
    m.number(a + "block_count", s["layers"])
    m.number(a + "context_length", 40960)
    m.number(a + "embedding_length", s["hidden"])
    m.number(a + "feed_forward_length", s["ff"])
    m.number(a + "attention.head_count", s["heads"])
    m.number(a + "attention.head_count_kv", s["kv"])
    m.number(a + "attention.key_length", s["dim"])
    m.number(a + "attention.value_length", s["dim"])
    m.number(a + "rope.dimension_count", s["dim"])
    m.real(a + "rope.freq_base", s["base"])
    m.real(a + "attention.layer_norm_rms_epsilon", 1e-6)
    m.number(a + "vocab_size", s["vocab"])


def metadata(shape, s, mix):
    m = Metadata()
    m.string("general.architecture", s.get("family") or s["arch"])
    m.string("general.name", f"{shape} with random weights")
    m.number("general.file_type", MIXES[mix])
    m.number("general.quantization_version", 2)
    if "family" in s:
        recent_shapes.keys(m, s)
    else:
        plain_keys(m, s)
    special = (["<|im_start|>", "<|im_end|>"] if s.get("family") == "qwen35" else []) + ["<|endoftext|>"]
    tokens, merges = vocabulary(s["vocab"], special)
    m.string("tokenizer.ggml.model", "gpt2")
    m.string("tokenizer.ggml.pre", s.get("pre", "qwen2"))
    m.strings("tokenizer.ggml.tokens", tokens)
    m.integers("tokenizer.ggml.token_type", [1] * (len(tokens) - len(special)) + [3] * len(special))
    m.strings("tokenizer.ggml.merges", merges)
    m.number("tokenizer.ggml.bos_token_id", len(tokens) - 1)
    m.number("tokenizer.ggml.eos_token_id", len(tokens) - 1)
    return m


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=[*SHAPES, *recent_shapes.SHAPES])
    parser.add_argument("mix", choices=MIXES)
    parser.add_argument("out")
    parser.add_argument("--layers", type=int, help="fewer layers than the real model, for long contexts in little time")
    args = parser.parse_args()
    s = (SHAPES | recent_shapes.SHAPES)[args.shape] | ({"layers": args.layers} if args.layers else {})
    m = metadata(args.shape, s, args.mix)
    listed = list(tensors(s, args.mix))
    table, offset = bytearray(), 0
    for name, kind, sizes, _ in listed:
        table += text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        table += struct.pack("<IQ", TYPES[kind][0], offset)
        offset += -(-bytes_of(kind, sizes) // ALIGNMENT) * ALIGNMENT
    with open(args.out, "wb") as out:
        out.write(b"GGUF" + struct.pack("<IQQ", 3, len(listed), m.count) + m.data + table)
        out.write(b"\0" * (-out.tell() % ALIGNMENT))
        random = numpy.random.default_rng(1)
        for _, kind, sizes, value in listed:
            write_tensor(out, kind, sizes, value, random)
        print(f"{args.out}: {out.tell() / 2**20:.0f} MiB", file=sys.stderr)


if __name__ == "__main__":
    main()
