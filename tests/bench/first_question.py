#!/usr/bin/env python3
"""Time from starting the window with a model to the first token of the answer to an immediately typed question.

usage: first_question.py LACUNA MODEL [--pairs N]

Every pair is one start without a known precision and one with the precision that the program measured before.
Needs Xvfb, openbox and xdotool. The seconds are those of the program's log (start to model loaded) plus the time to the
first token that it stores with the answer.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time

QUESTION = "What is the capital of France?"
DISPLAY = ":78"


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"{what} did not happen within {seconds} s")


def log_times(log):
    times = {}
    for line in log.read_text().splitlines() if log.exists() else []:
        stamp = datetime.datetime.fromisoformat(line.split(" ", 1)[0].replace("Z", "+00:00"))
        for event, text in (("start", " starts: "), ("loaded", " loaded in "), ("measured", "Precision from the next answer")):
            if text in line:
                times.setdefault(event, stamp)
    return times


def first_token(database):
    if not database.exists():
        return None
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        try:
            rows = connection.execute("select figures from messages where figures like '%first_token_seconds%'").fetchall()
        except sqlite3.OperationalError:  # the window has not made its tables yet
            rows = []
    return json.loads(rows[0][0])["first_token_seconds"] if rows else None


def once(program, model, cache, wait_for_precision):
    home = pathlib.Path(tempfile.mkdtemp(prefix="first-question-"))
    environment = dict(os.environ, DISPLAY=DISPLAY, HOME=str(home), XDG_DATA_HOME=str(home / "data"),
                       XDG_CONFIG_HOME=str(home / "config"), XDG_CACHE_HOME=str(cache))
    data = home / "data/lacuna/lacuna"
    window = subprocess.Popen([program, "window", model], env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    run = lambda *words: subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True).stdout
    try:
        found = wait_for(lambda: run("search", "--onlyvisible", "--name", "Lacuna").split(), 30, "the window")
        run("windowfocus", found[0])
        time.sleep(0.4)
        run("type", "--delay", "5", QUESTION)
        run("key", "Return")
        token = wait_for(lambda: first_token(data / "conversations.sqlite"), 300, "an answer")
        times = log_times(data / "lacuna.log")
        if wait_for_precision:
            wait_for(lambda: "measured" in log_times(data / "lacuna.log"), 600, "the measurement")
        return (times["loaded"] - times["start"]).total_seconds() + token
    finally:
        window.terminate()
        window.wait()
        shutil.rmtree(home, ignore_errors=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("model")
    options.add_argument("--pairs", type=int, default=5)
    given = options.parse_args()
    servers = [subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1280x800x24"], stderr=subprocess.DEVNULL)]
    time.sleep(1)
    servers.append(subprocess.Popen(["openbox"], env=dict(os.environ, DISPLAY=DISPLAY), stderr=subprocess.DEVNULL))
    known = pathlib.Path(tempfile.mkdtemp(prefix="first-question-cache-"))
    try:
        once(given.program, given.model, known, True)
        unmeasured, measured = [], []
        for _ in range(given.pairs):
            empty = pathlib.Path(tempfile.mkdtemp(prefix="first-question-cache-"))
            unmeasured.append(once(given.program, given.model, empty, False))
            shutil.rmtree(empty)
            measured.append(once(given.program, given.model, known, False))
        for name, values in (("precision unknown", unmeasured), ("precision known", measured)):
            print(f"{name}: median {statistics.median(values):.2f} s of", " ".join(f"{value:.2f}" for value in values))
        print(f"ratio of medians: {statistics.median(unmeasured) / statistics.median(measured):.2f}")
    finally:
        shutil.rmtree(known, ignore_errors=True)
        for server in reversed(servers):
            server.terminate()


if __name__ == "__main__":
    main()
