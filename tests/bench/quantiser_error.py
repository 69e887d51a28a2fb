#!/usr/bin/env python3
"""Mean squared error of `lacuna quantize` relative to ggml's quantiser, tensor by tensor.

    quantiser_error.py LACUNA LIBGGML_BASE.so MODEL [TYPE...]

MODEL is a GGUF file with BF16 matrices (`lacuna convert DIR MODEL.gguf bf16`). Both results are decoded
by ggml. Prints, for each type and class of tensors, our error divided by ggml's: mean and worst. Needs numpy.
"""
import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

BLOCKS = {"Q8_0": (8, 32, 34), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22),
          "Q5_1": (7, 32, 24), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210)}
BF16 = 30
FIXED = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a metadata value


class Gguf:
    """Names, shapes, types and bytes of a file's tensors."""

    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        self.at = 8
        tensors, entries = self.take("<QQ")
        for _ in range(entries):
            self.text()
            self.skip(self.take("<I")[0])
        self.tensors = {}
        for _ in range(tensors):
            name = self.text()
            shape = self.take("<%dQ" % self.take("<I")[0])
            self.tensors[name] = (shape, *self.take("<IQ"))
        self.data = (self.at + 31) // 32 * 32

    def take(self, layout):
        values = struct.unpack_from(layout, self.bytes, self.at)
        self.at += struct.calcsize(layout)
        return values

    def text(self):
        length, = self.take("<Q")
        self.at += length
        return self.bytes[self.at - length:self.at].decode()

    def skip(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            element, count = self.take("<IQ")
            for _ in range(count):
                self.skip(element)
        else:
            self.at += FIXED[kind]

    def content(self, name, size):
        start = self.data + self.tensors[name][2]
        return np.frombuffer(self.bytes, np.uint8, size, start)


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def peer_encode(ggml, kind, x):
    number, length, size = BLOCKS[kind]
    out = np.zeros(x.size // length * size, np.uint8)
    ggml.ggml_quantize_chunk(number, pointer(x), pointer(out), ctypes.c_int64(0), ctypes.c_int64(x.shape[0]),
                             ctypes.c_int64(x.shape[1]), None)
    return out


def error(ggml, kind, encoded, x):
    decode = getattr(ggml, "dequantize_row_" + kind.lower().replace("_k", "_K"))
    out = np.zeros(x.size, np.float32)
    decode(pointer(np.ascontiguousarray(encoded)), pointer(out), ctypes.c_int64(x.size))
    return float(np.mean((out.astype(np.float64) - x.reshape(-1)) ** 2))


def main():
    program, library, model = sys.argv[1:4]
    ggml = ctypes.CDLL(library)
    source = Gguf(model)
    for kind in sys.argv[4:] or BLOCKS:
        number, length, size = BLOCKS[kind]
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "out.gguf")
            subprocess.run([program, "quantize", model, target, kind], check=True, stdout=subprocess.DEVNULL)
            made = Gguf(target)
        ratios = {}
        for name, (shape, stored, _) in made.tensors.items():
            if stored != number:
                continue
            count = int(np.prod(shape))
            assert source.tensors[name][1] == BF16, name
            halves = source.content(name, 2 * count).view(np.uint16).astype(np.uint32)
            x = np.ascontiguousarray((halves << 16).view(np.float32).reshape(-1, shape[0]))
            ours = error(ggml, kind, made.content(name, count // length * size), x)
            ratios.setdefault(re.sub(r"^blk\.\d+\.|\.weight$", "", name), []).append(
                ours / error(ggml, kind, peer_encode(ggml, kind, x), x))
        for tensor, values in ratios.items():
            print("%-5s %-12s mean %.4f worst %.4f" % (kind, tensor, np.mean(values), max(values)), flush=True)


main()
