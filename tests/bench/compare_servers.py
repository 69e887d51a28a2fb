#!/usr/bin/env python3
"""Throughput of `lacuna serve` next to another server of OpenAI's completions, on one model file, in turn.

    compare_servers.py MODEL --ours build/release/bin/lacuna --peer "llama-server -m {model} --port {port} -t {threads} \
        -np {clients} -c {context}" [--clients 1,4,16] [--rounds 3] [--tokens 64] [--threads 2]

Each round starts ours and the peer for each number of clients, asks as many streamed completions at once, each with a
prompt of its own, greedy and without an end token, and prints the medians over rounds of tokens a second of all clients
together and of the time to the first token (p50, p99 over requests), and the ratio of the two. Nothing is kept.
"""
import argparse
import concurrent.futures
import json
import math
import shlex
import socket
import statistics
import subprocess
import time
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--ours", default="build/release/bin/lacuna")
parser.add_argument("--peer", required=True)
parser.add_argument("--clients", default="1,4,16")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--tokens", type=int, default=64)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--words", type=int, default=100)
asked = parser.parse_args()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port, number):
    words = " ".join(f"{number} ship{(number * 7 + i * 13) % 97}" for i in range(asked.words // 2))
    body = {"prompt": f"Story {number}. {words} Once", "max_tokens": asked.tokens, "temperature": 0, "stream": True,
            "ignore_eos": True, "cache_prompt": False}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    begin = time.perf_counter()
    first, usage = None, 0
    with urllib.request.urlopen(request, timeout=600) as reply:
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            if first is None and chunk.get("choices") and chunk["choices"][0].get("text"):
                first = time.perf_counter() - begin
            if chunk.get("timings"):
                usage = chunk["timings"]["predicted_n"]
    return first or 0, usage or asked.tokens


def measure(command, port, clients):
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).read()
                break
            except OSError:
                time.sleep(0.1)
        ask(port, 999)
        begin = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            results = list(pool.map(lambda i: ask(port, i), range(clients)))
        seconds = time.perf_counter() - begin
        return sum(tokens for _, tokens in results) / seconds, sorted(first for first, _ in results)
    finally:
        server.terminate()
        server.wait()


for clients in map(int, asked.clients.split(",")):
    rates = {"ours": [], "peer": []}
    firsts = {"ours": [], "peer": []}
    for _ in range(asked.rounds):
        for side in ("ours", "peer"):
            port = free_port()
            context = 1024
            if side == "ours":
                command = [asked.ours, "serve", asked.model, "--port", str(port), "--slots", str(clients), "--set",
                           f"threads={asked.threads}", "--set", f"context={context}", "--set", "precision=fast"]
            else:
                command = shlex.split(asked.peer.format(model=asked.model, port=port, threads=asked.threads,
                                                        clients=clients, context=context * clients))
            rate, first = measure(command, port, clients)
            rates[side].append(rate)
            firsts[side] += first
    ratios = [a / b for a, b in zip(rates["ours"], rates["peer"])]
    for side in rates:
        times = sorted(firsts[side])
        print(f"{clients} clients, {side}: {statistics.median(rates[side]):.1f} tokens/s, first token p50 "
              f"{1000 * statistics.median(times):.0f} ms, p99 {1000 * times[math.ceil(0.99 * len(times)) - 1]:.0f} ms")
    print(f"{clients} clients, ours / peer by round: {', '.join(f'{one:.2f}' for one in ratios)}, median "
          f"{statistics.median(ratios):.2f}", flush=True)
