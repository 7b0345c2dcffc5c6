# SPDX-License-Identifier: Apache-2.0
"""Spreads trials over child processes, so that a crash or a hang of any engine costs one trial.

A child takes a batch, and writes a line before each engine and after each trial; the parent reads
them, ends a child that says nothing for too long, and starts another with the rest of the batch.
"""

import collections
import json
import os
import select
import signal
import subprocess
import sys
import time

import explained
import places
import tables
import trials

PATIENCE_S = 60
BATCH = 60
SHOWN_PER_OPERATOR = 3


class Child:
    """A forked process that works through a list of (kind, index, key, left_out): left_out names the
    engines that died of the case before."""

    def __init__(self, items, seed, save):
        self.items, self.done, self.stage = items, 0, "drawing"
        self.buffer = b""
        reader, writer = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reader)
            silence()
            work(items, seed, save, writer)
            os._exit(0)
        os.close(writer)
        self.pipe, self.heard = reader, time.monotonic()

    def lines(self):
        """Complete lines that have come; None at the end of the child."""
        data = os.read(self.pipe, 1 << 16)
        self.heard = time.monotonic()
        if not data:
            return None
        *whole, self.buffer = (self.buffer + data).split(b"\n")
        return [json.loads(line) for line in whole]

    def end(self):
        os.close(self.pipe)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def silence():
    """What engines print on the standard streams is nobody's business."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def trial_of(kind, seed, index, key, left_out):
    if kind == "graph":
        return graph_trial(seed, index, key, left_out)
    return trials.Trial(seed, index, tuple(key), left_out)


def graph_trial(seed, index, key, left_out):
    import graphs

    return graphs.GraphTrial(seed, index, key, left_out)


def work(items, seed, save, writer):
    """In the child."""

    def say(**what):
        os.write(writer, json.dumps(what).encode() + b"\n")

    for kind, index, key, left_out in items:
        say(stage="drawing")
        try:
            trial = trial_of(kind, seed, index, key, left_out)
            verdict = trial.judge(lambda stage: say(stage=stage))
            name = trial.name
            if verdict.result == "failed" and save:
                trial.save(save)
        except Exception as e:
            import traceback

            verdict = trials.Verdict("failed", f"the test itself: {type(e).__name__}: {e}")
            verdict.detail = traceback.format_exc()
            name = f"{key} {seed}:{index}"
        say(name=name, verdict=verdict.as_dict())


class Tally:
    """What came of all trials."""

    def __init__(self, report, verbose):
        self.report, self.verbose = report, verbose
        self.oracles, self.rules = collections.Counter(), collections.Counter()
        self.failures, self.skips = collections.Counter(), collections.Counter()
        self.deaths = collections.Counter()  # of other engines

    def add(self, key, name, verdict):
        result = verdict["result"]
        if result == "passed":
            self.oracles[verdict["oracle"]] += 1
            self.report.passed(name, verdict["oracle"])
        elif result == "explained":
            self.rules[verdict["rule"]] += 1
            self.report.passed(name, f"explained: {verdict['rule']}")
        elif result == "skipped":
            self.skips[key] += 1
            self.report.n_skipped += 1
            if self.verbose:
                print(f"skip  {name}: {verdict['text']}")
        else:
            self.failed(key, name, verdict)

    def failed(self, key, name, verdict):
        self.failures[key] += 1
        if self.failures[key] <= SHOWN_PER_OPERATOR or self.verbose:
            self.report.failed(name, verdict["text"])
            print(verdict.get("detail", ""))
        else:
            self.report.n_failed += 1

    def close(self):
        for rule in explained.RULES:
            if self.rules[rule.name]:
                self.report.note(
                    f"explained: {rule.name}", f"{self.rules[rule.name]} times, {rule.right} is right: {rule.why}"
                )
        if self.skips:
            total = sum(self.skips.values())
            listed = ", ".join(f"{key} {n}" for key, n in sorted(self.skips.items()))
            print(f"skip  {total} cases that no other engine answers: {listed} (-v: why)")
        for what, count in sorted(self.deaths.items()):
            self.report.note(f"died: {what}", f"{count} times; repeated without it, or alone")
        for key, count in self.failures.most_common():
            print(f"      {key}: {count} failed")
        print("agreed with " + ", ".join(f"{o}: {n}" for o, n in self.oracles.most_common()))


def batches(options):
    wanted = [w for w in options.ops.split(",") if w]
    keys = tables.keys(wanted)
    scale = 0.08 if options.quick else 1
    n_cases = int(5000 * scale) if options.cases is None else options.cases
    n_graphs = int(400 * scale) if options.graphs is None else options.graphs
    # counted for each operator, so that a new entry leaves the cases of the others as they are
    items = [("case", i // len(keys), keys[i % len(keys)], ()) for i in range(n_cases if keys else 0)]
    kinds = tables.graph_kinds(wanted)
    items += [("graph", i // len(kinds), kinds[i % len(kinds)], ()) for i in range(n_graphs if kinds else 0)]
    if options.case:
        at = int(options.case.split(":")[-1])
        items = [(kind, at, key, ()) for kind, _, key, _ in items]
        items = list(dict.fromkeys(items))
    return [items[i : i + BATCH] for i in range(0, len(items), BATCH)][::-1]


def implemented():
    """(domain, operator) of all that Ingot has a file for."""
    program = os.path.join(places.BUILD, "tests", "opcheck", "opcheck")
    if not os.access(program, os.X_OK):
        return []
    lines = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return {(c["domain"], c["op"]) for c in map(json.loads, lines.splitlines())}


def run(report, options):
    if ":" in options.case:
        options.seed = int(options.case.split(":")[0])
    tally, queue, children = Tally(report, options.verbose), batches(options), []
    jobs = options.jobs or len(os.sched_getaffinity(0))
    begin = time.monotonic()
    while queue or children:
        while queue and len(children) < jobs:
            children.append(Child(queue.pop(), options.seed, options.save))
        ready = select.select([c.pipe for c in children], [], [], 1)[0]
        for child in list(children):
            if child.pipe in ready:
                is_over = listen(child, tally)
            elif time.monotonic() - child.heard > PATIENCE_S:
                os.kill(child.pid, signal.SIGKILL)
                is_over = True
            else:
                continue
            if is_over:
                children.remove(child)
                finish(child, tally, queue, options.seed)
    tally.close()
    if not options.ops:
        missing = tables.without_entry(implemented())
        report.n_skipped += len(missing)
        if missing:
            print(f"skip  {len(missing)} operators without an entry: {', '.join(missing)}")
    report.note("time", f"{time.monotonic() - begin:.0f} s with {jobs} processes")


def listen(child, tally):
    lines = child.lines()
    if lines is None:
        return True
    for line in lines:
        if "stage" in line:
            child.stage = line["stage"]
        else:
            tally.add(label(child.items[child.done]), line["name"], line["verdict"])
            child.done += 1
    return False


def label(item):
    key = item[2]
    return "graph " + key if isinstance(key, str) else "::".join(k for k in key if k)


def finish(child, tally, queue, seed):
    """A child is over: if it did not reach the end, the trial it was at is judged, or goes back to
    the queue without the engine that died of it, or alone; and so does the rest."""
    status = child.end()
    if child.done >= len(child.items):
        return
    kind, index, key, left_out = item = child.items[child.done]
    rest = child.items[child.done + 1 :]
    if child.stage in trials.ORACLES and child.stage not in left_out:
        tally.deaths[child.stage + " on " + label(item)] += 1
        queue.append([(kind, index, key, (*left_out, child.stage)), *rest])
        return
    if child.done:  # an engine before it may have spoilt the process
        tally.deaths[f"{child.stage} behind others on {label(item)}"] += 1
        queue += [rest, [item]] if rest else [[item]]
        return
    how = "did not end" if status == -signal.SIGKILL else f"ended with {status}"
    text = f"{child.stage} {how}"
    result = "failed" if child.stage in ("ingot", "drawing") else "skipped"
    name = f"{label(item)} {seed}:{index}"
    tally.add(label(item), name, {"result": result, "text": text, "detail": ""})
    if rest:
        queue.append(rest)
