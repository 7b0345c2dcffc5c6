# SPDX-License-Identifier: Apache-2.0
"""Weights in files beside the model: no path may lead elsewhere, no number past the end."""

import json
import os
import subprocess
import time

import places
from box import INVALID, IO, LIMIT
from wire import FLOAT, external, floats, graph, model, node, simple, value


def add_w(*entries, dims=(4,)):
    w = external("w", dims, FLOAT, *entries)
    return simple(node("Add", ["x", "w"], ["y"]), x=dims, initializers=[w])


def place(box):
    """A folder with a model's weights, and a secret outside of it."""
    os.makedirs(box.path("m", "a"))
    box.write("m/w.bin", floats(1, 2, 3, 4))
    box.write("m/a/w.bin", floats(1, 2, 3, 4))
    box.write("secret.bin", bytes(16))
    return lambda *entries, **options: box.write("m/net.onnx", add_w(*entries, **options))


def paths(box):
    save = place(box)
    box.accepted("beside the model", save(("location", "w.bin")))
    box.accepted("in a folder below", save(("location", "a/w.bin")))
    box.accepted("./", save(("location", "./w.bin")))
    # What looks like a way out on other systems is only a name here.
    for name, location, codes in (
        ("../", "../secret.bin", INVALID),
        ("a/../../b", "a/../../secret.bin", INVALID),
        ("a/..", "a/../w.bin", INVALID),
        ("..", "..", INVALID),
        ("absolute", box.path("secret.bin"), INVALID),
        ("/proc entry", "/proc/self/mem", INVALID),
        ("empty", "", INVALID),
        ("zero byte inside", "w.bin\0.txt", INVALID),
        ("zero byte first", "\0", INVALID),
        ("too long", "w" * 5000, {INVALID, IO}),
        ("newline", "w\n.bin", IO),
        ("backslash", "..\\secret.bin", IO),
        ("drive letter", "C:\\secret.bin", IO),
        ("URL", "file:///etc/passwd", IO),
        ("missing", "gone.bin", IO),
        ("directory", "a", IO),
        ("this folder", ".", IO),
        ("memory address marker", "*/_ORT_MEM_ADDR_/*", {INVALID, IO}),
        ("memory address", "_ORT_MEM_ADDR_", {INVALID, IO}),
    ):
        box.refused(
            f"location {name}",
            save(("location", location), ("offset", "0"), ("length", "16")),
            codes,
            "'w'",
        )


def links(box):
    save = place(box)
    os.symlink(box.path("secret.bin"), box.path("m", "link.bin"))
    os.symlink("w.bin", box.path("m", "inner.bin"))
    os.symlink(box.folder, box.path("m", "up"))
    os.symlink("link.bin", box.path("m", "twice.bin"))
    os.symlink("loop.bin", box.path("m", "loop.bin"))
    os.symlink("/proc/self/environ", box.path("m", "proc.bin"))
    for name, location in (
        ("to a file outside", "link.bin"),
        ("to a neighbour", "inner.bin"),
        ("of a parent folder", "up/secret.bin"),
        ("to a link", "twice.bin"),
        ("to itself", "loop.bin"),
        ("to /proc", "proc.bin"),
    ):
        outcome = box.refused(
            f"link {name}", save(("location", location)), INVALID, "symbolic link"
        )
        box.report.check(f"link {name}, remedy", "--allow-links" in outcome.text, outcome.text)
    os.link(box.path("secret.bin"), box.path("m", "hard.bin"))
    box.refused("hard link", save(("location", "hard.bin")), INVALID, "hard link")
    os.unlink(box.path("m", "hard.bin"))
    box.accepted("after the hard link is gone", save(("location", "w.bin")))


def hub_cache(box):
    """The layout of hub caches: names in a snapshot folder, contents elsewhere, links between."""
    os.makedirs(box.path("snapshots", "1"))
    box.write("blobs/aaaa", add_w(("location", "net.data")))
    box.write("blobs/bbbb", floats(1, 2, 3, 4))
    for blob, name in (("aaaa", "net.onnx"), ("bbbb", "net.data")):
        os.symlink(f"../../blobs/{blob}", box.path("snapshots", "1", name))
    path = box.path("snapshots", "1", "net.onnx")
    box.refused("hub cache", path, INVALID, "--allow-links")
    box.accepted("hub cache when allowed", path, "--allow-links")
    save = place(box)
    os.symlink(box.path("secret.bin"), box.path("m", "link.bin"))
    box.refused(
        "../ stays refused", save(("location", "../secret.bin")), INVALID, "'w'", "--allow-links"
    )
    os.symlink("/dev/zero", box.path("m", "zero.bin"))
    box.refused(
        "a link to a device stays refused",
        save(("location", "zero.bin")),
        IO,
        "device",
        "--allow-links",
    )


def card_files(box):
    """What a model card names is no more trusted than what a model names."""
    path = box.write("m/net.onnx", simple(node("Relu", ["x"], ["y"]), x=(1, 3)))
    box.write("secret.txt", b"secret\n" * 3)
    box.write("m/labels.txt", b"a\nb\nc\n")
    os.symlink("../secret.txt", box.path("m", "link.txt"))
    for name, codes, mention in (
        ("../secret.txt", INVALID, ".."),
        (box.path("secret.txt"), INVALID, "absolute"),
        ("link.txt", INVALID, "symbolic link"),
        ("gone.txt", IO, "gone.txt"),
        (".", IO, "directory"),
    ):
        box.write("m/net.onnx.card.json", json.dumps({"labels": name}).encode())
        outcome, wrong = box.run(path, "--top", "1")
        box.report.check(
            f"card with labels {name.replace(box.folder, '')}",
            outcome.code == codes and mention in outcome.text and not wrong,
            f"exit code {outcome.code}, {wrong}: {outcome.text[:300]}",
        )
    box.write("m/net.onnx.card.json", json.dumps({"labels": "labels.txt"}).encode())
    box.accepted("card with labels beside it", path, "--top", "1")


def special_files(box):
    save = place(box)
    os.mkfifo(box.path("m", "pipe.bin"))
    box.refused("pipe", save(("location", "pipe.bin")), IO, "pipe")
    os.symlink("/dev/zero", box.path("m", "zero.bin"))
    box.refused("device", save(("location", "zero.bin")), {INVALID, IO}, "'w'")
    box.write("m/none.bin", b"")
    box.refused("empty file", save(("location", "none.bin")), INVALID, "outside")
    os.mkfifo(box.path("model.onnx"))
    box.refused("model that is a pipe", box.path("model.onnx"), IO, "pipe")
    for path in ("/dev/zero", "/dev/null", "/proc/self/mem", "/proc/version", box.folder):
        outcome, wrong = box.run(path)
        box.report.check(
            f"model {os.path.basename(path)}",
            not wrong and outcome.code,
            f"{wrong} {outcome.code} {outcome.text[:200]}",
        )


def numbers(box):
    save = place(box)
    for offset, length, mention in (
        ("-1", "16", "offset"),
        ("0", "-1", "length"),
        ("-9223372036854775808", "16", "offset"),
        ("4", "16", "outside"),
        ("16", "16", "outside"),
        ("9223372036854775807", "16", "outside"),
        ("9223372036854775800", "16", "outside"),
        ("18446744073709551600", "16", "offset"),
        ("18446744073709551616", "16", "offset"),
        ("0", "9223372036854775807", "9223372036854775807"),
        ("0", "4611686018427387904", "4611686018427387904"),
        ("0", "15", "15"),
        ("0", "17", "17"),
        ("0", "0", "0"),
        ("zero", "16", "offset"),
        ("0x0", "16", "offset"),
        ("", "16", "offset"),
        (" 0", "16", "offset"),
        ("1e1", "16", "offset"),
        ("0", "16.0", "length"),
        ("0\n", "16", "offset"),
    ):
        entries = ("location", "w.bin"), ("offset", offset), ("length", length)
        box.refused(f"offset {offset!r}, length {length!r}", save(*entries), INVALID, mention)
    huge = save(("location", "w.bin"), dims=(1 << 40,))
    box.refused("2^40 elements of 16 bytes", huge, INVALID, "outside")
    box.refused("no location", save(("offset", "0")), INVALID, "location")
    box.refused("nothing at all", save(), INVALID, "location")
    two = save(("location", "gone.bin"), ("location", "w.bin"))
    box.refused("location twice", two, INVALID, "twice")
    box.accepted("unknown keys", save(("location", "w.bin"), ("foo", "bar"), ("checksum", "00")))
    box.accepted("offset 0 without length", save(("location", "w.bin"), ("offset", "0")))
    box.write("m/odd.bin", b"\0" + floats(1, 2, 3, 4))
    box.accepted("unaligned", save(("location", "odd.bin"), ("offset", "1"), ("length", "16")))


def many_tensors(box):
    """10,000 tensors of one file are one mapping; 2,000 files are too many."""
    save = place(box)
    save(("location", "w.bin"))
    n = 10000

    def sum_of(locations):
        weights = [
            external(f"w{i}", [4], FLOAT, ("location", location), ("length", "16"))
            for i, location in enumerate(locations)
        ]
        nodes = [
            node("Add", ["x", f"w{i}"], ["y" if i == 0 else f"t{i}"]) for i in range(len(weights))
        ]
        return model(graph(nodes, [value("x", FLOAT, [4])], [value("y")], weights))

    box.accepted("10,000 tensors of a file", box.write("m/many.onnx", sum_of(["w.bin"] * n)))
    for i in range(1100):
        box.write(f"m/f/{i}", floats(1, 2, 3, 4))
    files = box.write("m/files.onnx", sum_of([f"f/{i}" for i in range(1100)]))
    box.refused("1,100 files", files, LIMIT, "1024 files")
    spelled = ["w.bin", "./w.bin", "././w.bin"]
    box.accepted("one file by many names", box.write("m/names.onnx", sum_of(spelled)))


def shrunk(box):
    """A file that is cut while it is mapped: the pages behind its end are gone (SIGBUS)."""
    n = 1 << 20
    w = external("w", [n], FLOAT, ("location", "big.bin"))
    loop = graph(
        [node("Add", ["s", "w"], ["t"]), node("Identity", ["c"], ["d"])],
        [value("i", 7, []), value("c", 9, []), value("s", FLOAT, [n])],
        [value("d"), value("t")],
    )
    body = graph(
        [node("Loop", ["", "", "x"], ["y"], {"body": loop})],
        [value("x", FLOAT, [n])],
        [value("y")],
        [w],
    )
    path = box.write("m/net.onnx", model(body))
    data = box.write("m/big.bin", bytes(4 * n))
    process = subprocess.Popen(
        [places.command(), "run", path, "--random", "--out", box.path("out.npz"), "--threads", "1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not is_mapped(process.pid, data):
        time.sleep(0.01)
    time.sleep(0.2)
    os.truncate(data, 0)
    try:
        text, _ = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
    box.report.check(
        "a file that shrinks",
        process.returncode == IO and len(text.strip().splitlines()) == 1,
        f"exit code {process.returncode}: {text[:300]!r}",
    )
    box.report.check("a file that shrinks: cause", "shorter" in text, text[:300])
    box.report.check("no partial output", not os.path.exists(box.path("out.npz")))


def is_mapped(pid, path):
    try:
        with open(f"/proc/{pid}/maps") as f:
            return path in f.read()
    except OSError:
        return True


ALL = [paths, links, hub_cache, card_files, special_files, numbers, many_tensors, shrunk]
