# SPDX-License-Identifier: Apache-2.0
"""The interpreter's lock, sessions in several threads, futures, cancelling."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import ingot
import models
import numpy as np


def heavy(n=40, **options):
    session = ingot.Session(models.chain_of_products(n, 256), threads=1, **options)
    feeds = [np.eye(256, dtype=np.float32), np.eye(256, dtype=np.float32)]
    return session, feeds


def released(report):
    """Python goes on while a model runs."""
    session, feeds = heavy(100)
    session.run(feeds)
    spans = []

    def work():
        begin = time.perf_counter()
        session.run(feeds)
        spans.append((begin, time.perf_counter()))

    ticks = []
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
    thread.join()
    begin, end = spans[0]
    # Of the middle of the run: at its ends the lock is held.
    inside = [t for t in ticks if begin + (end - begin) / 4 < t < end - (end - begin) / 4]
    report.check("Python runs during a run", len(inside) > 10, f"{len(inside)} ticks in {(end - begin) * 1e3:.1f} ms")


def shared_session(report):
    """Many threads, one session, each gets its own answers."""
    session = ingot.Session(models.one_node("Relu", shape=("n",)), threads=1)

    def work(k):
        for i in range(300):
            x = np.full(1 + (k + i) % 7, k * 1000 + i, np.float32)
            if not np.array_equal(session(x), x):
                return f"thread {k}, run {i}"
        return ""

    with ThreadPoolExecutor(8) as pool:
        wrong = [text for text in pool.map(work, range(8)) if text]
    report.check("8 threads on one session", not wrong, str(wrong))


def shared_model(report):
    """Sessions of one model run at the same time, and outlive the one that opened it."""
    first, feeds = heavy(20)
    others = [ingot.Session(first, threads=1) for _ in range(3)]
    want = first.run(feeds)[0]
    bytes_of_one = first.memory["total"]
    report.check("memory is the model's", others[0].memory["total"][1] >= bytes_of_one[0])
    del first
    with ThreadPoolExecutor(3) as pool:
        got = list(pool.map(lambda session: session.run(feeds)[0], others * 4))
    report.check("3 sessions of one model", all(np.array_equal(y, want) for y in got))
    report.check("a session of a session", np.array_equal(ingot.Session(ingot.Session(others[0])).run(feeds)[0], want))
    try:
        ingot.Session(others[0], opt="none")
        report.failed("options of a model that is shared", "are taken")
    except ValueError as e:
        report.passed("options of a model that is shared", str(e))


def futures(report):
    session = ingot.Session(models.one_node("Relu"), threads=1)
    asked = [session.run_async({"x": np.full(4, i, np.float32)}) for i in range(50)]
    report.check("futures", [float(f.result(60)["y"][0]) for f in asked] == [float(i) for i in range(50)])
    report.check("a list for a list", isinstance(session.run_async([np.ones(4, np.float32)]).result(60), list))
    error = session.run_async([np.ones(3, np.float32)]).exception(60)
    report.check("a failing future", isinstance(error, ingot.ShapeError), repr(error))

    async def both():
        waits = [asyncio.wrap_future(session.run_async([np.full(4, i, np.float32)])) for i in (1, 2)]
        return [float(result[0][0]) for result in await asyncio.gather(*waits)]

    report.check("in coroutines", asyncio.run(both()) == [1, 2])


def stopped(report):
    session, feeds = heavy(2000)
    begin = time.perf_counter()
    future = session.run_async(feeds)
    while not future.done():
        session.cancel()
        time.sleep(0.01)
    error = future.exception()
    report.check("cancel", isinstance(error, ingot.CancelledError), f"{error!r} after {time.perf_counter() - begin:.2f} s")
    session, feeds = heavy(2000, timeout_ms=20)
    error = session.run_async(feeds).exception(120)
    report.check("timeout", isinstance(error, ingot.LimitError), repr(error))


def from_inside(report):
    """Reading an input may run Python code, which may use the session."""
    session = ingot.Session(models.one_node("Relu"), threads=1)
    x = np.float32([1, -1, 2, -2])

    class Curious:
        def __array__(self, *args, **kwargs):
            return session(x)

    report.check("a run in the midst of reading inputs", session(Curious()).tolist() == [1, 0, 2, 0])


ALL = [released, shared_session, shared_model, futures, stopped, from_inside]
