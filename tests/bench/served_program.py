"""A server of OpenAI's completions as a child process: start, wait, request, end."""
import contextlib
import json
import socket
import subprocess
import time
import urllib.request


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def running(command, port):
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).read()
                break
            except OSError:
                if server.poll() is not None:
                    raise SystemExit(f"ended with {server.returncode}: {' '.join(command)}")
                time.sleep(0.1)
        yield server
    finally:
        server.terminate()
        server.wait()


def post(port, path, body):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=1200)


def streamed(port, prompt, tokens, **more):
    """Returns the seconds to the first token (None without one), the number of tokens reported by the server, and the text."""
    body = {"prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True, "ignore_eos": True, **more}
    begin = time.perf_counter()
    first, written, text = None, 0, ""
    with post(port, "/v1/completions", body) as reply:
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            said = chunk["choices"][0].get("text") if chunk.get("choices") else None
            if said and first is None:
                first = time.perf_counter() - begin
            text += said or ""
            if chunk.get("timings"):
                written = chunk["timings"]["predicted_n"]
    return first, written, text
