"""The server under load: load.py [--program P] [--model M] [--seconds 60].

Prints the figures of the goals: the statuses that 64 connections get (hey, Debian package of the same name), the latency of
/health while two answers are written, the time until the slot of an aborted answer is free, memory growth, and the time
after which slow senders are cut off. Exit status 0 if every goal is met.
"""
import argparse
import json
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import threading
import time
import urllib.request

root = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--program", default=root / "build/release/bin/lacuna")
parser.add_argument("--model", default=root / "resources/models/pilot-29m-q8_0.gguf")
parser.add_argument("--seconds", type=int, default=60)
asked = parser.parse_args()
server = subprocess.Popen(
    [asked.program, "serve", asked.model, "--port", "0", "--slots", "2", "--set", "precision=fast"],
    stdout=subprocess.PIPE, text=True,
)
address = re.search(r"http://\S+", server.stdout.readline()).group(0)
port = int(address.rsplit(":", 1)[1])
missed = []


def goal(what, value, met):
    print(f"{what}: {value}{'' if met else '  MISSED'}", flush=True)
    if not met:
        missed.append(what)


def resident():
    for line in pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024


def get(path):
    with urllib.request.urlopen(address + path, timeout=30) as reply:
        return json.loads(reply.read())


def begin(tokens):
    """Starts a streamed answer on its own connection and returns after its first word."""
    body = json.dumps({"prompt": "Once upon a time", "max_tokens": tokens, "stream": True, "ignore_eos": True}).encode()
    client = socket.create_connection(("127.0.0.1", port))
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)
    seen = b""
    while b'"text"' not in seen:
        seen += client.recv(65536)
    return client


def busy():
    return sum(slot["is_processing"] for slot in get("/slots"))


def drain(client):
    try:
        while client.recv(65536):
            pass
    except OSError:
        pass


try:
    # --- /health while two answers are written ---
    answers = [begin(1500) for _ in range(2)]
    for one in answers:
        threading.Thread(target=drain, args=(one,), daemon=True).start()
    times = []
    while len(times) < 400 and busy() == 2:
        start = time.perf_counter()
        get("/health")
        times.append(1000 * (time.perf_counter() - start))
    for one in answers:
        one.shutdown(socket.SHUT_RDWR)
    if len(times) >= 20:
        p99 = sorted(times)[int(0.99 * (len(times) - 1))]
        goal(f"/health while two answers are written, {len(times)} times, median and p99 ms (goal 20)",
             f"{statistics.median(times):.1f}, {p99:.1f}", p99 <= 20)
    # --- an abort frees the slot ---
    freed = []
    for _ in range(20):
        while busy():
            time.sleep(0.01)
        client = begin(1500)
        start = time.perf_counter()
        client.close()
        while busy():
            pass
        freed.append(1000 * (time.perf_counter() - start))
    goal("aborted answers, ms until the slot is free, median and most (goal 200)",
         f"{statistics.median(freed):.0f}, {max(freed):.0f}", max(freed) < 200)
    # --- many connections ---
    if shutil.which("hey"):
        warm = ["hey", "-c", "64", "-m", "POST", "-T", "application/json", "-d",
                '{"prompt":"Once upon a time","max_tokens":8,"cache_salt":"load"}']
        subprocess.run(warm + ["-z", "5s", address + "/v1/completions"], capture_output=True)
        before = resident()
        out = subprocess.run(warm + ["-z", f"{asked.seconds}s", address + "/v1/completions"], capture_output=True, text=True).stdout
        statuses = {int(code): int(count) for code, count in re.findall(r"\[(\d{3})\]\s+(\d+) responses", out)}
        errors = re.findall(r"^\s+\[\d+\]\s+(?!\d+ responses)(.*)$", out, re.M)
        fine = statuses and all(code // 100 == 2 or code in (429, 503) for code in statuses) and not errors
        goal(f"64 connections, {asked.seconds} s, statuses (goal: 2xx, 429, 503)", f"{statuses} {errors[:2]}", fine)
        grown = resident() - before
        goal("resident memory grown meanwhile, MiB (goal 32)", f"{grown:.1f}", grown <= 32)
    else:
        print("many connections: not tried, hey is not installed")
    # --- slow senders ---
    def cut(first, drip):
        client = socket.create_connection(("127.0.0.1", port))
        client.settimeout(0.5)
        start = time.perf_counter()
        client.sendall(first)
        while time.perf_counter() - start < 60:
            try:
                client.sendall(drip)
                if not client.recv(4096):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.perf_counter() - start
    host = f"Host: 127.0.0.1:{port}\r\n"
    head = cut(f"GET /health HTTP/1.1\r\n{host}".encode(), b"X: a\r\n")
    goal("a head that trickles is cut off after s (deadline 10)", f"{head:.1f}", 9 < head < 13)
    idle = cut(b"", b"")
    goal("a connection that says nothing is cut off after s (deadline 15)", f"{idle:.1f}", 14 < idle < 18)
    body = cut(f"POST /tokenize HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n".encode(), b" ")
    goal("a body that trickles is cut off after s (deadline 31)", f"{body:.1f}", 29 < body < 34)
finally:
    server.terminate()
    server.wait()
raise SystemExit(1 if missed else 0)
