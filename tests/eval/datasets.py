# SPDX-License-Identifier: Apache-2.0
"""Data sets: every kind, items left out, and files that mean harm."""

import os
import pty
import signal
import struct
import subprocess
import sys
import time
import zlib

import places
from made import ingot, numpy
from places import command
from sandbox import DIGITS, INVALID, IO, MODEL, PARSE, SHAPE, SOME_FAILED, USAGE, UNSUPPORTED
from report import Skip


def digits(box, name="labels.tsv", extra=""):
    """A list of the ten committed digits, all of which the model knows."""
    lines = [f"{os.path.join(DIGITS, f'{d}.png')}\t{d}" for d in range(10)]
    return box.write(name, "# file, digit\n" + "\n".join(lines) + "\n" + extra)


def lists(box):
    """Comments, CR, empty lines, more columns; paths relative to the list; batches of all sizes."""
    seen = box.figures(MODEL, digits(box), "top1")
    box.near("ten digits", seen["top1"]["value"], 1)
    for d in range(10):
        with open(os.path.join(DIGITS, f"{d}.png"), "rb") as f:
            box.write(f"in/{d}.png", f.read())
    lines = "\r\n\r\n".join(f"in/{d}.png\t{d if d < 7 else 0}\tmore\tcolumns" for d in range(10))
    for n_batch in (1, 3, 10, 64):
        facts = box.eval(MODEL, box.write("l.tsv", lines), "-b", n_batch, "--metric", "top1")
        box.report.check("ten items", facts["items"] == 10, str(facts["items"]))
        box.near("seven of ten", facts["engines"][0]["metrics"]["top1"]["value"], 0.7)
    facts = box.eval(MODEL, box.path("l.tsv"), "--limit", "8", "-b", "3")
    box.near("the first eight", facts["engines"][0]["metrics"]["top1"]["value"], 7 / 8)
    wrong = box.path("wrong.tsv")
    box.eval(MODEL, box.path("l.tsv"), "--save-errors", wrong)
    with open(wrong) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    want = [[box.path(f"in/{d}.png"), "0", str(d), "ingot"] for d in (7, 8, 9)]
    box.report.check("--save-errors", rows == want, str(rows))
    facts = box.eval(MODEL, wrong)
    box.near("which is a list again", facts["engines"][0]["metrics"]["top1"]["value"], 0)


def folders(box):
    """A folder a class; other files in it do not count."""
    for d in range(10):
        with open(os.path.join(DIGITS, f"{d}.png"), "rb") as f:
            data = f.read()
        box.write(f"tree/{d}/a.png", data)
        box.write(f"tree/{9 - d}/c.png" if d < 3 else f"tree/{d}/b.png", data)
        box.write(f"tree/{d}/notes.md", "no picture")
    facts = box.eval(MODEL, box.path("tree"))
    box.report.check("twenty pictures", facts["items"] == 20, str(facts["items"]))
    box.near("of which 17 are right", facts["engines"][0]["metrics"]["top1"]["value"], 17 / 20)
    os.mkdir(box.path("empty"))
    box.fails("an empty folder", INVALID, "eval", MODEL, "--data", box.path("empty"), mention="labels.tsv")


def gray_png(rows):
    """A picture of 8-bit gray pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def fixed_batch(box):
    """A model that wants four pictures at once: the last ones are copies; stored outputs, too."""
    np = numpy()
    model = box.model([("x", "y", [4, 1, 1, 3])])
    lines = ["", ""]
    for i in range(6):
        row = [10 * i + (9 if k == i % 3 else 0) for k in range(3)]
        box.write(f"{i}.png", gray_png([row]))
        np.save(box.path(f"{i}.npy"), np.array([[[row]]], np.float32) + (i == 5))
        lines[0] += f"{i}.png\t{i % 3 if i else 2}\n"
        lines[1] += f"{i}.png\t{i}.npy\n"
    flags = ["--scale", "1", "--layout", "nchw"]
    facts = box.eval(model, box.write("l.tsv", lines[0]), *flags)
    box.report.check("six items", facts["items"] == 6, str(facts))
    box.near("five are right", facts["engines"][0]["metrics"]["top1"]["value"], 5 / 6)
    seen = box.figures(model, box.write("l.tsv", lines[1]), "rms,max", *flags)
    box.near("one output of six is off by one", seen["rms"]["value"], (1 / 6) ** 0.5)


def other_files(box):
    """Lists of arrays, archives and sounds; stored outputs as files."""
    np = numpy()
    import wave

    model = box.model([("x", "y", [1, "n"])])
    for i, row in enumerate(([3, 1, 0], [0, 1, 0], [1, 0, 5])):
        np.save(box.path(f"{i}.npy"), np.array([row], np.float32))
        np.savez(box.path(f"{i}.npz"), x=np.array([row], np.float32))
    for kind in ("npy", "npz"):
        data = box.write("l.tsv", "".join(f"{i}.{kind}\t{c}\n" for i, c in enumerate([0, 1, 0])))
        seen = box.figures(model, data, "top1")
        box.near(f"lists of .{kind}", seen["top1"]["value"], 2 / 3)
    data = box.write("l.tsv", "0.npy\t1.npy\n1.npy\t1.npz\n")
    # The .npz calls its array x, which is no output.
    box.fails("an archive without outputs", INVALID, "eval", model, "--data", data, "--metric", "rms", mention="line 2")
    np.savez(box.path("1.npz"), y=np.array([[0, 1, 0]], np.float32))
    seen = box.figures(model, data, "rms,max")
    box.near("stored outputs", seen["rms"]["value"], (9 / 6) ** 0.5)
    box.near("largest error", seen["max"]["value"], 3)
    with wave.open(box.path("a.wav"), "wb") as w:
        w.setparams((1, 2, 16000, 0, "NONE", ""))
        w.writeframes(np.array([0, 100, 30000, -5], np.int16).tobytes())
    seen = box.figures(model, box.write("s.tsv", "a.wav\t2\n"), "top1")
    box.near("a sound", seen["top1"]["value"], 1)


def arrays(box):
    """Types, scales, shapes, padded batches, pictures as arrays, several inputs."""
    np = numpy()
    rng = np.random.default_rng(0)
    x = rng.integers(0, 255, (30, 6)).astype(np.uint8)
    labels = x.argmax(1)
    for name, shape, flags in (
        ("free batch", ["n", 6], []),
        ("batch of one", [1, 6], []),
        ("batch of four, the last padded", [4, 6], []),
        ("another shape", ["n", 1, 6, 1], []),
        ("scaled", ["n", 6], ["--scale", "1/255", "--mean", "0.5", "--std", "0.2"]),
    ):
        model = box.model([("x", "y", shape)])
        seen = box.figures(model, box.npz(pixels=x, label=labels), "top1", *flags)
        box.near(name, seen["top1"]["value"], 1)
    seen = box.figures(model, box.npz(pixels=x, y=(x / 255 - 0.5) / 0.2), "max", *flags, "--truth", "y")
    box.report.check("scaled numbers are right", seen["max"]["value"] < 1e-6, str(seen["max"]))
    model = box.model([("x", "y", ["n", 3, 4, 5])])
    pictures = rng.integers(0, 255, (9, 4, 5, 3)).astype(np.uint8)
    want = pictures.transpose(0, 3, 1, 2).astype(np.float32)
    seen = box.figures(model, box.npz(images=pictures, truth=want), "max", "--scale", "1")
    box.near("pictures as arrays, channels first", seen["max"]["value"], 0)
    model = box.model([("a", "p", ["n", 2]), ("b", "q", ["n", 3])])
    a, b = rng.random((7, 2), np.float32), rng.random((7, 3), np.float32)
    seen = box.figures(model, box.npz(a=a, b=b, p=a, q=b + 1), "max")
    box.near("two inputs, two outputs", seen["max"]["value"], 1, 1e-6)
    seen = box.figures(model, box.npz(a=a, b=b, p=a, q=b + 1), "max", "--output", "p")
    box.near("one of them", seen["max"]["value"], 0)


def larger_than_memory(box):
    """48 MB of rows, stored and packed, under a bound of 4 MB."""
    np = numpy()
    x = np.zeros((1500, 8192), np.float32)
    x[np.arange(1500), np.arange(1500) % 7] = 1
    labels = np.arange(1500) % 7
    labels[:150] += 1
    model = box.model([("x", "y", ["n", 8192])])
    for is_packed in (False, True):
        data = box.npz(is_packed=is_packed, x=x, labels=labels)
        seen = box.figures(model, data, "top1", "--max-memory", "4M", timeout=300)
        box.near(f"packed {is_packed}", seen["top1"]["value"], 0.9)


def left_out(box):
    """--keep-going names what fails, counts it, and judges the rest."""
    broken = box.write("broken.png", b"\x89PNG\r\n\x1a\n and no more")
    data = digits(box, extra=f"{broken}\t1\nmissing.png\t2\n{DIGITS}/3.png\t77\nno tab here\n")
    for name, code in (("broken.png", PARSE), ("missing.png", IO)):
        lines = digits(box, "one.tsv", f"{name}\t1\n")
        box.fails(name, code, "eval", MODEL, "--data", lines, mention="one.tsv: line 12")
    done = ingot("eval", MODEL, "--data", data, "--keep-going", "--json")
    box.report.check(
        "four are left out",
        done.returncode == SOME_FAILED and "4 of 14 items were left out" in done.stderr,
        f"{done.returncode} {done.stderr}",
    )
    box.report.check(
        "each is named with its line",
        all(f"labels.tsv: line {n}:" in done.stderr for n in (12, 13, 14, 15)),
        done.stderr,
    )
    facts = box.eval(MODEL, data, "--keep-going", code=SOME_FAILED)
    box.report.check("the rest counts", facts["items"] == 10 and len(facts["left_out"]) == 4, str(facts["left_out"]))
    nothing = box.write("nothing.tsv", "a\t1\nb\t2\n")
    done = ingot("eval", MODEL, "--data", nothing, "--keep-going")
    box.report.check("nothing left", done.returncode == INVALID and not done.stdout, str(done))


def refused(box):
    np = numpy()
    model = box.model([("x", "y", ["n", 3])])
    x, labels = np.ones((4, 3), np.float32), np.zeros(4, int)
    good = box.npz("good.npz", x=x, labels=labels)
    with open(good, "rb") as f:
        whole = f.read()
    damaged = bytearray(whole)
    damaged[whole.index(b"\x00\x00\x80\x3f") + 2] ^= 1

    def case(name, code, data, *flags, mention):
        box.fails(name, code, "eval", model, "--data", data, *flags, mention=mention)

    case("no file", IO, box.path("none.npz"), mention="none.npz")
    case("an empty list", INVALID, box.write("e.tsv", ""), mention="no items")
    case("comments alone", INVALID, box.write("e.tsv", "# nothing\n\n"), mention="no items")
    case("no tab", PARSE, box.write("e.tsv", "a.npy 1\n"), mention="e.tsv: line 1")
    case("a NUL byte", PARSE, box.write("e.tsv", b"a\0.npy\t1\n"), mention="line 1")
    case("a number is no file", IO, box.write("e.tsv", "5\t1\n"), mention="e.tsv: line 1")
    case("half an archive", PARSE, box.write("h.npz", whole[: len(whole) // 2]), mention="cut off")
    case("a damaged byte", PARSE, box.write("d.npz", bytes(damaged)), mention="checksum")
    case("no labels", INVALID, box.npz(x=x), mention="--truth")
    case("no such labels", INVALID, box.npz(x=x, y=labels), "--truth", "z", mention="'z'")
    case("too many labels", SHAPE, box.npz(x=x, labels=np.zeros(5, int)), mention="5 rows")
    case("wrong rows", SHAPE, box.npz(x=np.ones((4, 5), np.float32), labels=labels), mention="[5]")
    case("no input", INVALID, box.npz(p=x, q=x, labels=labels), mention="'x'")
    case("no rows", INVALID, box.npz(x=x[:0], labels=labels[:0]), mention="no items")
    case("a label beyond", INVALID, box.npz(x=x, labels=labels + [0, 0, 3, 0]), mention="row 2: label 3 is out of range")
    case("a negative label", INVALID, box.npz(x=x, labels=labels - 1), mention="row 0")
    case("half a label", INVALID, box.npz(x=x, labels=labels + 0.5), mention="row 0")
    case("an unknown name", INVALID, box.npz(x=x, labels=np.array(["cat"] * 4)), mention="'cat'")
    case("column-major", UNSUPPORTED, box.npz(x=np.asfortranarray(x), labels=labels), mention="C order")
    case("big-endian", UNSUPPORTED, box.npz(x=x.astype(">f4"), labels=labels), mention="big-endian")
    case("no stored outputs", INVALID, box.npz(x=x), "--metric", "rms", mention="output")
    case("other outputs", SHAPE, box.npz(x=x, y=np.ones((4, 2))), "--metric", "rms", "--truth", "y", mention="row 0")
    case("no text", SHAPE, good, "--metric", "wer", mention="--ctc")
    case("no boxes", SHAPE, good, "--metric", "map", mention="labels")
    case("an unknown metric", USAGE, good, "--metric", "top3", mention="help metrics")
    case("one twice", USAGE, good, "--metric", "top1,top1", mention="twice")
    case("an empty name", USAGE, good, "--metric", "top1,", mention="''")
    case("labels of two kinds", USAGE, good, "--metric", "top1,wer", mention="different labels")
    case("an unknown output", USAGE, good, "--output", "z", mention="'z'")
    case("no classes", USAGE, good, "--metric", "rms", "--per-class", mention="rms")
    case("no folder for the errors", IO, box.path("none.npz"), "--save-errors", box.path("no/x"), mention="--save-errors")
    case("a folder for the errors", IO, good, "--save-errors", box.folder, mention=box.folder)
    box.fails("no data", USAGE, "eval", model, mention="--data")
    box.fails("no model", USAGE, "eval", mention="no model")
    boxes = box.model([("b", "boxes", [1, "k", 4]), ("s", "scores", [1, "k"])])
    for text in ("1,2,3,4", "x,0,0,1,1", "0,5,0,1,1", "0,0,0,1,1x", "0,nan,0,1,1"):
        np.savez(box.path("one.npz"), b=np.zeros((1, 1, 4), np.float32), s=np.ones((1, 1), np.float32))
        lines = box.write("b.tsv", f"one.npz\t{text}\n")
        box.fails(f"box {text}", INVALID, "eval", boxes, "--data", lines, "--metric", "map", mention="b.tsv: line 1")


def every_cut(box):
    """An archive that ends anywhere is an error of one line, or whole."""
    np = numpy()
    model = box.model([("x", "y", ["n", 3])])
    for is_packed in (False, True):
        with open(box.npz(is_packed=is_packed, x=np.ones((4, 3), np.float32), labels=np.zeros(4, int)), "rb") as f:
            whole = f.read()
        bad = []
        for n in range(0, len(whole), 29):
            for data in (whole[:n], whole[:n] + bytes([whole[n] ^ 0x55]) + whole[n + 1 :]):
                done = ingot("eval", model, "--data", box.write("c.npz", data))
                if done.returncode not in (0, 5, 6, 7, 8) or len(done.stderr.splitlines()) > 1:
                    bad.append((n, done.returncode, done.stderr[:100]))
        box.report.check(f"cut and changed everywhere, packed {is_packed}", not bad, str(bad[:3]))


def streams(box):
    """A reader that goes away, a terminal, Ctrl-C."""
    data = digits(box)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([command(), "eval", MODEL, "--data", data], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    box.report.check("a closed pipe", done.returncode in (0, IO) or done.returncode < 0, str(done))
    box.report.check("without a word", not done.stderr, str(done.stderr))
    done = ingot("eval", MODEL, "--data", data)
    box.report.check("no progress line without a terminal", not done.stderr, done.stderr)
    master, slave = pty.openpty()
    env = dict(os.environ, TERM="xterm")
    done = subprocess.run([command(), "eval", MODEL, "--data", data, "-b", "1"], stdout=subprocess.PIPE, stderr=slave, env=env)
    os.close(slave)
    text = os.read(master, 100000).decode()
    os.close(master)
    box.report.check("one on a terminal, with rate", "of 10" in text and "/s" in text, repr(text))
    box.report.check("gone in the end", text.rstrip("\r\n").endswith("\x1b[K"), repr(text[-40:]))


def interrupted(box):
    """Ctrl-C: 130 at once, and no file of errors."""
    data = box.write("many.tsv", f"{DIGITS}/3.png\t3\n" * 200000)
    wrong = box.path("wrong.tsv")
    process = subprocess.Popen(
        [command(), "eval", MODEL, "--data", data, "--save-errors", wrong],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(1)
    if process.poll() is not None:
        raise Skip("the machine is too fast")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    box.report.check("exit code 130", process.returncode == 130, f"{process.returncode} {err}")
    box.report.check("nothing is said or written", not out and not os.path.exists(wrong), str(out))


def card(box):
    """A card says how pictures are read, which metric, and how labels are counted."""
    model = box.copy_model("net.onnx")
    with open(MODEL + ".card.json") as f:
        text = f.read()
    shifted = "".join(f"{DIGITS}/{d}.png\t{d + 1}\n" for d in range(10))
    data = box.write("l.tsv", shifted)
    box.write("net.onnx.card.json", text.rstrip().rstrip("}") + ', "evaluate": {"metric": "accuracy,top1", "truth_shift": -1}}')
    facts = box.eval(model, data)
    seen = facts["engines"][0]["metrics"]
    box.report.check("metric and shift of the card", list(seen) == ["accuracy", "top1"] and seen["top1"]["value"] == 1, str(seen))
    ingot("card", model, "--top", "3")
    with open(box.path("net.onnx.card.json")) as f:
        box.report.check("ingot card keeps them", '"truth_shift": -1' in f.read())
    box.write("net.onnx.card.json", text.rstrip().rstrip("}") + ', "evaluate": {"metric": 5}}')
    box.fails("a wrong member", INVALID, "eval", model, "--data", data, mention="metric")


def page(box):
    """The examples of docs/eval.md that need nothing but the repository."""
    with open(os.path.join(places.ROOT, "docs", "eval.md"), encoding="utf-8") as f:
        lines = [line.strip().removeprefix("$ ") for line in f if line.startswith(("    $ ingot", "      "))]
    lines = [line for line in lines if line.startswith(("ingot eval examples", "python3 -c"))]
    os.symlink(os.path.join(places.ROOT, "examples"), box.path("examples"))
    folder, program = os.path.dirname(command()), os.path.dirname(sys.executable)
    env = dict(os.environ, PATH=os.pathsep.join([folder, program, os.environ["PATH"]]))
    for line in lines:
        done = subprocess.run(line, shell=True, cwd=box.folder, env=env, capture_output=True, text=True)
        box.report.check(line[:60], done.returncode == 0, done.stderr)
    box.report.check("there are three", len(lines) == 3, str(lines))


ALL = [
    page, lists, folders, fixed_batch, other_files, arrays, larger_than_memory, left_out, refused, every_cut, streams, interrupted, card,
]
