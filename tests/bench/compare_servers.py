#!/usr/bin/env python3
"""Throughput of `lacuna serve` compared with another server of OpenAI's completions, alternately on one model file.

    compare_servers.py MODEL --ours build/release/bin/lacuna --peer "llama-server -m {model} --port {port} -t {threads} \
        -np {clients} -c {context}" [--clients 1,4,16] [--rounds 3] [--tokens 64] [--threads 2]

Each round starts Lacuna and the peer for each number of clients and requests as many concurrent streamed completions, each
with its own prompt, greedy and without an end token. Prints the medians over rounds of the tokens per second of all clients
together and of the time to the first token (p50, p99 over requests), and the ratio of the two. Stores nothing.
"""
import argparse
import concurrent.futures
import math
import shlex
import statistics
import time

from served_program import free_port, running, streamed

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


def ask(port, number):
    words = " ".join(f"{number} ship{(number * 7 + i * 13) % 97}" for i in range(asked.words // 2))
    first, written, _ = streamed(port, f"Story {number}. {words} Once", asked.tokens, cache_prompt=False)
    return first or 0, written or asked.tokens


def measure(command, port, clients):
    with running(command, port):
        ask(port, 999)
        begin = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            results = list(pool.map(lambda i: ask(port, i), range(clients)))
        seconds = time.perf_counter() - begin
        return sum(tokens for _, tokens in results) / seconds, sorted(first for first, _ in results)


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
