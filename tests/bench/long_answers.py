#!/usr/bin/env python3
"""Long answers while the cache is compacted: word problems solved step by step, greedily, with the full cache and with
compactions during the answer. For each setting: problems solved, answers that a second question finds again, agreement with
the answers of the full cache, tokens before the first difference, and compactions.

Usage: long_answers.py LACUNA MODEL [--sets 5] [--problems 6] [--budgets 512 1024] [--policies tri_attention ...]
       [--results FILE.jsonl] [--set key=value ...]

A set is a conversation: two worked examples, several problems made from templates, whose names and numbers are drawn by seed and
whose answers the script computes, and a second question for the list of all answers. Each setting has a server of its own, which
answers several sets at a time. Every finished set is appended to the results file, so that a run that was stopped resumes.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import time
import urllib.request

from served_program import free_port, post, running

NAMES = ("Anna", "Ben", "Carla", "David", "Emma", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kira", "Liam", "Mona", "Nico")
THINGS = ("apples", "pencils", "stickers", "marbles", "postcards", "cookies", "books", "coins")
POLICIES = ("tri_attention", "accumulated_attention", "keydiff", "recent_only", "am")


def shop(r):
    name, thing = r.choice(NAMES), r.choice(THINGS)
    boxes, each, given = r.randint(4, 12), r.randint(5, 15), r.randint(3, 18)
    return (f"{name} buys {boxes} boxes with {each} {thing} each and gives {given} of the {thing} away. "
            f"How many {thing} does {name} have left?", boxes * each - given)


def wages(r):
    name = r.choice(NAMES)
    wage, hours, days, bonus = r.randint(9, 25), r.randint(4, 8), r.randint(3, 6), r.randint(10, 60)
    return (f"{name} earns {wage} dollars an hour and works {hours} hours a day for {days} days. At the end {name} gets a bonus "
            f"of {bonus} dollars. How many dollars does {name} earn in all?", wage * hours * days + bonus)


def trip(r):
    speed, hours, slow, later = r.randint(40, 90), r.randint(2, 5), r.randint(20, 39), r.randint(2, 4)
    return (f"A car drives {hours} hours at {speed} kilometers per hour and then {later} hours at {slow} kilometers per hour. "
            f"How many kilometers does it drive in all?", speed * hours + slow * later)


def farm(r):
    hens, eggs, days, carton = r.randint(6, 20), r.randint(1, 3), r.randint(4, 9), r.choice((2, 3, 4, 6))
    hens -= hens % carton
    hens = max(hens, carton)
    return (f"A farmer has {hens} hens, and each lays {eggs} eggs a day. The eggs of {days} days are packed into cartons of "
            f"{carton}. How many cartons are filled?", hens * eggs * days // carton)


def savings(r):
    first, second = r.sample(NAMES, 2)
    week, weeks, spent, times = r.randint(5, 20), r.randint(5, 12), r.randint(5, 24), r.randint(2, 4)
    return (f"{first} saves {week} dollars a week for {weeks} weeks and then spends {spent} dollars. {second} has {times} times "
            f"as much as {first} has left. How many dollars does {second} have?", (week * weeks - spent) * times)


def bakery(r):
    trays, each, sold, price = r.randint(3, 9), r.randint(8, 16), r.randint(10, 23), r.randint(2, 5)
    return (f"A bakery bakes {trays} trays of {each} rolls and sells all but {sold} of them for {price} dollars each. How many "
            f"dollars does it take in?", (trays * each - sold) * price)


def classes(r):
    rooms, seats, missing, teachers = r.randint(3, 8), r.randint(18, 30), r.randint(4, 15), r.randint(2, 6)
    return (f"A school has {rooms} classes of {seats} pupils. On Monday {missing} pupils are ill. The others and {teachers} "
            f"teachers go to the museum. How many people go to the museum?", rooms * seats - missing + teachers)


def tank(r):
    fill, hours, leak, start = r.randint(20, 60), r.randint(3, 8), r.randint(3, 12), r.randint(50, 200)
    return (f"A tank holds {start} liters. For {hours} hours {fill} liters an hour flow in and {leak} liters an hour leak out. "
            f"How many liters are in the tank then?", start + hours * (fill - leak))


TEMPLATES = (shop, wages, trip, farm, savings, bakery, classes, tank)


EXAMPLES = (
    "Problem 1: Tom has 3 bags with 4 balls each and loses 5 balls. How many balls are left?\n"
    "Problem 2: A pen costs 2 dollars. Eva buys 6 pens and a book for 9 dollars. How many dollars does she pay?",
    "Problem 1\nThere are 3 bags with 4 balls each, so Tom has 3 * 4 = 12 balls.\nHe loses 5 of the balls, so 12 - 5 = 7 balls "
    "are left.\nAnswer 1: 7\n\nProblem 2\nEva buys 6 pens for 2 dollars each, so the pens cost 6 * 2 = 12 dollars.\nThe book "
    "costs 9 dollars, so she pays 12 + 9 = 21 dollars.\nAnswer 2: 21")


def question(problems):
    return ("Solve these problems one after another. Write every step of the reasoning with its calculation.\n\n" + problems)


def problem_set(seed, count):
    """Returns the messages of the first request and the correct answers."""
    r = random.Random(seed)
    kinds = [TEMPLATES[i % len(TEMPLATES)] for i in range(count)]
    r.shuffle(kinds)
    problems = [kind(r) for kind in kinds]
    text = "\n".join(f"Problem {i + 1}: {words}" for i, (words, _) in enumerate(problems))
    asked = ((("user", question(EXAMPLES[0])), ("assistant", EXAMPLES[1]), ("user", question(text))))
    return [{"role": role, "content": content} for role, content in asked], [answer for _, answer in problems]


def numbers_of(text):
    """Returns the answers given in a text, by problem."""
    found = {}
    for number, value in re.findall(r"Answer\s*(\d+)\W*?[:=]\D{0,24}?(-?\d[\d,]*)", text):
        found.setdefault(int(number), int(value.replace(",", "").rstrip(",") or 0))
    return found


def compactions(port):
    """Returns the number of compactions so far, and their seconds."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
    rows = re.findall(r'^lacuna_compaction_total\{([^}]*)\} (\S+)', text, re.M)
    seconds = re.findall(r'^lacuna_compaction_seconds_sum(?:\{[^}]*\})? (\S+)', text, re.M)
    return sum(int(float(count)) for labels, count in rows if 'result="done"' in labels), sum(map(float, seconds))


def settings_of(policy, budget):
    """`policy` is full, am or a policy of evictions, with a note after a slash for a second run of the same."""
    if policy == "full":
        return ["method=none"]
    common = ["compaction_floor=0", f"budget={budget}"]
    if policy.partition("/")[0] == "am":
        return common + ["method=am", "am_ratio=1"]
    return common + ["method=l2", f"norm_policy={policy.partition('/')[0]}"]


def solve(arguments, port, slot, seed):
    """Runs one conversation: the problems, then the list of their answers."""
    messages, answers = problem_set(seed, arguments.problems)
    begin = time.perf_counter()

    def reply(tokens):
        body = {"messages": messages, "temperature": 0, "max_tokens": tokens, "logprobs": True, "id_slot": slot}
        found = json.load(post(port, "/v1/chat/completions", body))
        messages.append({"role": "assistant", "content": found["choices"][0]["message"]["content"]})
        return found

    solved = reply(arguments.tokens)
    messages.append({"role": "user", "content": f"List the numbers of all {len(answers)} answers again, one a line, in the form "
                                                f"\"Answer N: number\"."})
    reply(15 * len(answers))
    text, listed = messages[-3]["content"], messages[-1]["content"]
    given, again = numbers_of(text), numbers_of(listed)
    return {"seed": seed, "right": sum(given.get(i + 1) == answer for i, answer in enumerate(answers)),
            "listed": sum(i + 1 in given and again.get(i + 1) == given[i + 1] for i in range(len(answers))), "of": len(answers),
            "prompt": solved["usage"]["prompt_tokens"], "text": text, "list": listed,
            "tokens": [one["token"] for one in solved["choices"][0]["logprobs"]["content"]],
            "seconds": round(time.perf_counter() - begin, 1)}


def ask(arguments, policy, budget, seeds, done, file):
    """Runs the sets that are not in the results yet."""
    missing = [seed for seed in seeds if (policy, budget, seed) not in done]
    if not missing:
        return
    port = free_port()
    command = [arguments.lacuna, "serve", arguments.model, "--port", str(port), "--slots", str(arguments.at_once), "--set",
               "prefix_cache=0"]
    for one in settings_of(policy, budget) + arguments.set:
        command += ["--set", one]
    with running(command, port), concurrent.futures.ThreadPoolExecutor(arguments.at_once) as threads:
        for first in range(0, len(missing), arguments.at_once):
            before, spent = compactions(port)
            part = missing[first:first + arguments.at_once]
            rows = list(threads.map(lambda pair: solve(arguments, port, *pair), enumerate(part)))
            count, seconds = (now - then for now, then in zip(compactions(port), (before, spent)))
            for row in rows:
                row |= {"policy": policy, "budget": budget, "compactions": count / len(rows),
                        "compaction_ms": round(1000 * seconds / max(count, 1), 1)}
                done[policy, budget, row["seed"]] = row
                file.write(json.dumps(row) + "\n")
            file.flush()
            print(f"{policy} {budget}, seeds {part}: {sum(row['right'] for row in rows)} right, {count} compactions, "
                  f"{sum(len(row['tokens']) for row in rows)} tokens in {max(row['seconds'] for row in rows)} s", flush=True)


def common_start(one, other):
    for i, (a, b) in enumerate(zip(one, other)):
        if a != b:
            return i
    return min(len(one), len(other))


def table(done, seeds, cells):
    print("\n| policy | budget | solved | answers as the full cache's | found again | tokens before the first difference | equal "
          "texts | tokens | compactions | ms each |\n|---|---|---|---|---|---|---|---|---|---|")
    for policy, budget in cells:
        rows = [done[policy, budget, seed] for seed in seeds if (policy, budget, seed) in done]
        pairs = [(row, done["full", 0, row["seed"]]) for row in rows if ("full", 0, row["seed"]) in done]
        if not pairs:
            continue
        total = collections.Counter()
        starts = []
        for row, full in pairs:
            given, wanted = numbers_of(row["text"]), numbers_of(full["text"])
            total += collections.Counter(
                right=row["right"], listed=row["listed"], of=row["of"], tokens=len(row["tokens"]), same=row["text"] == full["text"],
                fires=row["compactions"], equal=sum(given.get(number) == value for number, value in wanted.items()),
                wanted=len(wanted))
            starts.append(common_start(row["tokens"], full["tokens"]))
        starts.sort()
        print(f"| {policy} | {budget or ''} | {total['right']} of {total['of']} | {total['equal']} of {total['wanted']} | "
              f"{total['listed']} | {starts[0]} to {starts[-1]}, median {starts[len(starts) // 2]} | {total['same']} of {len(pairs)} | "
              f"{total['tokens']} | {total['fires']:.0f} | {rows[-1].get('compaction_ms', 0):.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("model")
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--problems", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=1400, help="of an answer at most")
    parser.add_argument("--budgets", type=int, nargs="+", default=(512, 1024, 2048))
    parser.add_argument("--policies", nargs="+", default=POLICIES)
    parser.add_argument("--at-once", type=int, default=5, help="sets answered at a time")
    parser.add_argument("--results", default="long_answers.jsonl")
    parser.add_argument("--set", action="append", default=[], help="key=value of every run, the full cache's too")
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.results)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    done = {(row["policy"], row["budget"], row["seed"]): row for row in rows}
    seeds = range(arguments.seed, arguments.seed + arguments.sets)
    cells = [("full", 0)] + [(policy, budget) for budget in arguments.budgets for policy in arguments.policies if policy != "full"]
    with path.open("a", encoding="utf-8") as file:
        for policy, budget in cells:
            ask(arguments, policy, budget, seeds, done, file)
    table(done, seeds, cells)


if __name__ == "__main__":
    main()
