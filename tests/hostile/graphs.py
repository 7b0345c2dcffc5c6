# SPDX-License-Identifier: Apache-2.0
"""Graphs that refer to themselves, to nothing, to too much, or too deep."""

from box import INVALID, LIMIT, SHAPE, UNSUPPORTED
from wire import BOOL, FLOAT, INT64, Graph, Tensor, attribute, field, floats, function, graph
from wire import int64s, model, node, opset, repeated, simple, tensor, value

ANY = {INVALID, SHAPE, UNSUPPORTED}


def references(box):
    relu, y = node("Relu", ["x"], ["y"]), [value("y")]
    x = [value("x", FLOAT, [4])]
    for name, body, mention in (
        ("self edge", simple(node("Relu", ["y"], ["y"])), "cycle"),
        (
            "cycle of two",
            simple(node("Add", ["x", "b"], ["y"]), node("Relu", ["y"], ["b"])),
            "cycle",
        ),
        (
            "cycle off the way",
            simple(relu, node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["a"])),
            "cycle",
        ),
        ("output nobody makes", simple(node("Relu", ["x"], ["z"])), "'y'"),
        ("node input nobody makes", simple(node("Add", ["x", "ghost"], ["y"])), "'ghost'"),
        ("one name by two nodes", simple(relu, node("Neg", ["x"], ["y"])), "'y'"),
        ("one name twice of a node", simple(node("Split", ["x"], ["y", "y"])), "'y'"),
        ("a node makes an input", simple(relu, node("Neg", ["y"], ["x"])), "'x'"),
        ("two inputs of a name", model(graph([relu], x + x, y)), "'x'"),
        ("an output without name", model(graph([relu], x, [value("")])), "output"),
        ("an input without name", model(graph([relu], x + [value("")], y)), "input"),
        ("no output", model(graph([relu], x, [])), "no outputs"),
        (
            "two initializers of a name",
            simple(
                node("Add", ["x", "w"], ["y"]), initializers=[tensor("w", [], FLOAT, floats(1))] * 2
            ),
            "'w'",
        ),
        (
            "an initializer that a node makes",
            simple(relu, initializers=[tensor("y", [], FLOAT, floats(1))]),
            "'y'",
        ),
        ("an input without type", model(graph([relu], [field(1, "x")], y)), "'x'"),
        ("an input of type 99", model(graph([relu], [value("x", 99, [4])], y)), "'x'"),
        ("an input of 9 dims", model(graph([relu], [value("x", FLOAT, [1] * 9)], y)), "'x'"),
    ):
        box.refused(name, body, ANY | {LIMIT}, mention)
    box.survives("an input of -5 elements", model(graph([relu], [value("x", FLOAT, [-5])], y)))
    box.survives("one output twice", model(graph([relu], x, y + y)))
    box.accepted(
        "node names may repeat",
        simple(node("Relu", ["x"], ["a"], name="n"), node("Relu", ["a"], ["y"], name="n")),
    )
    odd = model(graph([relu], x, y, name="\x1b[2J\x07\r\0"))
    box.accepted("control characters in a name", odd, command="inspect")
    wild = b"\xff\xfe\n\x1b[2J"
    box.refused(
        "a domain that is no text", simple(node("Relu", ["x"], ["y"], domain=wild)), ANY, "Relu"
    )
    box.refused("an operator that is no text", simple(node(wild, ["x"], ["y"])), ANY, "node 0")
    long = "n" * 40000
    box.refused("a name of 40,000 bytes", simple(node("Relu", ["x"], [long])), LIMIT, "40000")


def missing(box):
    for name, nodes in (
        ("required input left out", [node("Add", ["x", ""], ["y"])]),
        ("no input at all", [node("Relu", [], ["y"])]),
        ("one input of two", [node("MatMul", ["x"], ["y"])]),
        ("too many inputs", [node("Relu", ["x", "x"], ["y"])]),
        ("too many outputs", [node("Relu", ["x"], ["y", "z"])]),
        ("no output at all", [node("Relu", ["x"], []), node("Neg", ["x"], ["y"])]),
        ("output left out", [node("Relu", ["x"], [""]), node("Neg", ["x"], ["y"])]),
    ):
        (
            box.survives(name, simple(*nodes))
            if "output" in name
            else box.refused(name, simple(*nodes), ANY, "node 0")
        )


def chain(n):
    nodes = (node("Neg", [f"t{i - 1}" if i else "x"], [f"t{i}"]) for i in range(n))
    body = repeated(11, [value("x", FLOAT, [1])]) + repeated(12, [value(f"t{n - 1}")])
    return model(b"".join(field(1, m) for m in nodes) + body)


def meeting(i):
    """Names that a hash of products takes to one number, unless it has a key of its own: the second
    word makes a factor zero."""
    return b"%08d" % i + 0x3C6EF372FE94F82B.to_bytes(8, "little")


def meeting_names(n):
    nodes = [node("Neg", [meeting(i - 1) if i else "x"], [meeting(i)]) for i in range(n)]
    return model(graph(nodes, [value("x", FLOAT, [1])], [value(meeting(n - 1))]))


def meeting_dims(n):
    inputs = [value(f"x{i}", FLOAT, [meeting(i)]) for i in range(n)]
    return model(graph([node("Relu", ["x0"], ["y"])], inputs, [value("y")]))


def one_dim(n):
    """n inputs whose dimensions have one name."""
    inputs = [value(f"x{i}", FLOAT, ["n"] * 8) for i in range(n)]
    return model(graph([node("Relu", ["x0"], ["y"])], inputs, [value("y")]))


def fan(n):
    """n nodes of one input, and one node of n inputs."""
    nodes = [node("LeakyRelu", ["x"], [f"t{i}"], {"alpha": float(i)}) for i in range(n)]
    nodes.append(node("Sum", [f"t{i}" for i in range(n)], ["y"]))
    return simple(*nodes, x=(1, 4, 2, 2))


def epilogues(n):
    w, b = tensor("w", [2, 2], FLOAT, floats(1, 0, 0, 1)), tensor("b", [2], FLOAT, floats(1, 2))
    nodes = []
    for i in range(n):
        x = f"t{i - 1}" if i else "x"
        nodes += [node("MatMul", [x, "w"], [f"a{i}"]), node("Add", [f"a{i}", "b"], [f"b{i}"])]
        nodes.append(node("Add", [f"b{i}", x], [f"t{i}"]))
    return simple(*nodes, node("Relu", [f"t{n - 1}"], ["y"]), x=(2, 2), initializers=[w, b])


def moves(n):
    nodes = [
        node("Transpose", [f"t{i - 1}" if i else "x"], [f"t{i}"], {"perm": [0, 2, 3, 1]})
        for i in range(n)
    ]
    return simple(*nodes, node("Identity", [f"t{n - 1}"], ["y"]), x=(1, 2, 3, 4))


def norms(n):
    ones = [tensor(name, [2], FLOAT, floats(1, 1)) for name in "sbmv"]
    nodes = [
        node("BatchNormalization", [f"t{i - 1}" if i else "x", *"sbmv"], [f"t{i}"])
        for i in range(n)
    ]
    return simple(*nodes, node("Identity", [f"t{n - 1}"], ["y"]), x=(1, 2, 3), initializers=ones)


def endless_outputs(n):
    nodes = [node("LeakyRelu", ["x"], [f"t{i}"], {"alpha": float(i)}) for i in range(n)]
    nodes += [node("Identity", [f"t{i}"], [f"o{i}"]) for i in range(n)]
    outputs = [value(f"o{i}") for i in range(n)]
    return model(graph(nodes, [value("x", FLOAT, [1])], outputs))


def ifs(n):
    then = graph([node("Relu", ["x"], ["b"])], [], [value("b")])
    inputs = [value("x", FLOAT, [1]), value("c", BOOL, [])]
    nodes = [
        node("If", ["c"], [f"t{i}"], {"then_branch": then, "else_branch": then}) for i in range(n)
    ]
    return model(graph(nodes, inputs, [value(f"t{n - 1}")]))


def growth(box):
    """Four times the nodes take about four times as long, whatever they are."""
    n = 1000 if box.is_quick else 4000
    for make in (
        chain,
        meeting_names,
        meeting_dims,
        one_dim,
        fan,
        epilogues,
        moves,
        norms,
        endless_outputs,
        ifs,
    ):
        for level in ("none", "all"):
            seconds = []
            for count in (n, 4 * n):
                path = box.write_apart(f"{make.__name__}.onnx", lambda: make(count))
                outcome = box.survives(
                    f"{count} {make.__name__}, {level}", path, "--opt", level
                )
                seconds.append(outcome.cpu_seconds)
            # 16 times is what a quadratic step would take; small numbers are noise.
            box.report.check(
                f"{make.__name__} grows like its file, {level}",
                seconds[1] < 8 * max(seconds[0], 0.05),
                f"{n} nodes take {seconds[0]:.2f} s, {4 * n} take {seconds[1]:.2f} s",
            )


def sizes(box):
    """What a graph may have of everything."""
    n = 10**5 if box.is_quick else 10**6
    for rank in (1, 4):
        wide = box.write_apart(
            "wide.onnx", lambda: simple(node("Sum", ["x"] * n, ["y"]), x=(1,) * rank)
        )
        box.survives(f"{n} inputs of a node, rank {rank}", wide)
    path = box.write_apart("chain.onnx", lambda: chain(200000))
    box.refused("200,000 nodes", path, LIMIT, "--max-nodes", "--max-nodes", "100000")
    path = box.write_apart("chain.onnx", lambda: chain(150000))
    box.accepted("150,000 nodes are fine", path, "--opt", "none")
    for make in (chain, fan):
        path = box.write_apart("many.onnx", lambda: make(100000))
        for level in ("none", "all"):
            box.accepted(f"100,000 nodes, {make.__name__}, {level}", path, "--opt", level)
            box.accepted(
                f"100,000 nodes inspected, {make.__name__}, {level}",
                path,
                "--opt",
                level,
                command="inspect",
            )
    attrs = [attribute(f"a{i}", 1) for i in range(1000)]
    many = simple(node("Relu", ["x"], ["y"], raw_attrs=attrs))
    box.refused("1,000 attributes", many, LIMIT, "Relu")
    imports = [opset(1, f"d{i}") for i in range(1000)]
    many = simple(node("Relu", ["x"], ["y"]), opsets=imports)
    box.refused("1,000 opset imports", many, LIMIT, "opset")


def opsets(box):
    relu = graph([node("Relu", ["x"], ["y"])], [value("x", FLOAT, [4])], [value("y")])
    for name, imports, fine in (
        ("missing", [], None),
        ("0", [opset(0)], None),
        ("999", [opset(999)], None),
        ("-1", [opset(-1)], False),
        ("2^31", [opset(1 << 31)], False),
        ("twice the same", [opset(17), opset(17)], None),
        ("twice, 9 and 17", [opset(9), opset(17)], False),
        ("twice, as ai.onnx", [opset(9), opset(17, "ai.onnx")], False),
    ):
        if fine is False:
            box.refused(f"opset {name}", model(relu, imports), INVALID, "opset")
        else:
            box.survives(f"opset {name}", model(relu, imports))
    odd = simple(node("Relu", ["x"], ["y"], domain="nobody.knows"))
    box.refused("unknown domain", odd, UNSUPPORTED, "nobody.knows")
    box.refused(
        "unknown operator", simple(node("Frobnicate", ["x"], ["y"])), UNSUPPORTED, "Frobnicate"
    )
    for version in (0, -1, 1 << 62):
        box.survives(f"IR version {version}", model(relu, ir_version=version))


def branch(nodes=(), out="b", initializers=(), inputs=()):
    return graph(nodes, inputs, [value(out)], initializers)


def if_node(then, otherwise, outputs=("y",)):
    return node(
        "If", ["c"], list(outputs), {"then_branch": Graph(then), "else_branch": Graph(otherwise)}
    )


def with_if(then, otherwise, outputs=("y",), initializers=()):
    inputs = [value("x", FLOAT, [4]), value("c", BOOL, [])]
    return model(graph([if_node(then, otherwise, outputs)], inputs, [value("y")], initializers))


def subgraphs(box):
    good = branch([node("Relu", ["x"], ["b"])])
    w = tensor("w", [4], FLOAT, floats(1, 2, 3, 4))
    box.accepted("If", with_if(good, good))
    for name, body, mention in (
        ("a name that no scope has", branch([node("Relu", ["gone"], ["b"])]), "'gone'"),
        ("an output that no scope has", branch([], "gone"), "'gone'"),
        ("a cycle inside", branch([node("Relu", ["b"], ["b"])]), "cycle"),
        ("no output", graph([node("Relu", ["x"], ["b"])], [], []), "If"),
        ("an input", branch([node("Relu", ["p"], ["b"])], inputs=[value("p", FLOAT, [4])]), "If"),
        ("uses the node's own output", branch([node("Relu", ["y"], ["b"])]), ""),
    ):
        box.refused(f"branch: {name}", with_if(body, good), ANY, mention)
    inner = branch(
        [node("Add", ["x", "w"], ["b"])], initializers=[tensor("w", [4], FLOAT, floats(5, 6, 7, 8))]
    )
    box.survives(
        "a branch's initializer shadows an outer one", with_if(inner, good, initializers=[w])
    )
    shadow = branch([node("Neg", ["c"], ["x"]), node("Relu", ["x"], ["b"])])
    box.survives("a branch's node shadows an input", with_if(shadow, good))
    box.accepted("a branch that is an outer value", with_if(branch([], "x"), good))
    lone = node("If", ["c"], ["y"], {"then_branch": Graph(good)})
    inputs = [value("x", FLOAT, [4]), value("c", BOOL, [])]
    box.survives("If without else", model(graph([lone], inputs, [value("y")])))
    as_text = node("If", ["c"], ["y"], {"then_branch": "no graph", "else_branch": Graph(good)})
    box.refused(
        "a branch that is a string",
        model(graph([as_text], inputs, [value("y")])),
        ANY,
        "then_branch",
    )
    for op in ("Loop", "Scan"):
        for name, body in (
            ("no inputs and outputs", graph([], [], [])),
            ("outputs alone", branch([node("Relu", ["x"], ["b"])])),
            ("a body without body", b""),
        ):
            attrs = {"body": Graph(body)}
            if op == "Scan":
                attrs["num_scan_inputs"] = 1
            loop = node(op, ["", "", "x"] if op == "Loop" else ["x"], ["y"], attrs)
            box.refused(f"{op}: {name}", simple(loop), ANY, op)
    for n in (-1, 0, 2, 2**62):
        body = graph([node("Relu", ["s"], ["t"])], [value("s", FLOAT)], [value("t")])
        scan = node("Scan", ["x"], ["y"], {"body": body, "num_scan_inputs": n})
        box.refused(f"Scan of {n} inputs", simple(scan), ANY, "Scan")


def deep(box):
    """Nested control flow: refused beyond a depth, and never slower than the file is long."""

    def ifs(depth):
        body = branch([node("Relu", ["x"], ["b"])])
        for _ in range(depth):
            body = branch([if_node(body, branch([node("Neg", ["x"], ["b"])]), ["b"])])
        return with_if(body, branch([node("Relu", ["x"], ["b"])]))

    def loops(depth):
        head = [value("i", INT64, []), value("k", BOOL, []), value("s", FLOAT, [4])]
        keep = node("Identity", ["k"], ["l"])
        body = graph([node("Relu", ["s"], ["t"]), keep], head, [value("l"), value("t")])
        for _ in range(depth):
            inner = node("Loop", ["n", "", "s"], ["t"], {"body": body})
            body = graph([inner, keep], head, [value("l"), value("t")])
        outer = node("Loop", ["n", "", "x"], ["y"], {"body": body})
        return simple(outer, initializers=[tensor("n", [], INT64, int64s(1))])

    for n in (300, 1000):
        box.refused(f"{n} Ifs in each other", ifs(n), LIMIT, "nested")
        box.refused(f"{n} Loops in each other", loops(n), LIMIT, "nested")
    for n in (10, 20, 28):
        box.survives(f"{n} Ifs in each other", ifs(n))
        box.survives(f"{n} Loops in each other", loops(n))


def call(name, inputs=("x",), outputs=("y",), attrs=(), raw_attrs=()):
    return node(name, list(inputs), list(outputs), attrs, "local", raw_attrs=raw_attrs)


def functions(box):
    def fn(name, *nodes, **options):
        return function(name, nodes, **options)

    relu = node("Relu", ["x"], ["y"])
    in_if = branch([call("f", ["x"], ["b"])], "b")
    cond = node("Constant", [], ["c"], {"value": Tensor(tensor("", [], BOOL, b"\1"))})
    long = [fn(f"f{i}", call(f"f{i + 1}")) for i in range(200)] + [fn("f200", relu)]
    wide = [
        fn(f"f{i}", call(f"f{i + 1}", ["x"], ["t"]), call(f"f{i + 1}", ["t"], ["y"]))
        for i in range(40)
    ]
    for name, start, functions_, codes, mention in (
        ("calls itself", "f", [fn("f", call("f"))], INVALID, "itself"),
        ("calls its caller", "f", [fn("f", call("g")), fn("g", call("f"))], INVALID, "itself"),
        (
            "calls itself in a branch",
            "f",
            [fn("f", cond, if_node(in_if, in_if))],
            INVALID,
            "itself",
        ),
        ("chain of 200", "f0", long, LIMIT, "nested"),
        ("2^40 calls", "f0", wide + [fn("f40", relu)], LIMIT, ""),
        ("not defined", "ghost", [fn("f", relu)], UNSUPPORTED, "ghost"),
        ("defined twice", "f", [fn("f", relu), fn("f", relu)], INVALID, "twice"),
        ("without output", "f", [fn("f", node("Relu", ["x"], ["z"]))], INVALID, "'y'"),
        ("with a cycle", "f", [fn("f", node("Add", ["x", "y"], ["y"]))], INVALID, "cycle"),
        ("uses an outer name", "f", [fn("f", node("Relu", ["w"], ["y"]))], INVALID, "'w'"),
        ("one formal twice", "f", [fn("f", relu, inputs=["x", "x"])], INVALID, "twice"),
        ("a formal without name", "f", [fn("f", relu, inputs=["x", ""])], INVALID, "name"),
    ):
        body = simple(
            call(start), functions=functions_, initializers=[tensor("w", [], FLOAT, floats(1))]
        )
        box.refused(f"function: {name}", body, codes, mention)
    for name, node_ in (
        ("too many inputs", call("f", ["x", "x"])),
        ("too many outputs", call("f", ["x"], ["y", "z"])),
    ):
        box.refused(f"function: {name}", simple(node_, functions=[fn("f", relu)]), INVALID, "'f'")
    same = fn("f", inputs=["a"], outputs=["a"])
    for name, nodes in (
        ("is its own input", [call("f", ["y"], ["y"])]),
        ("is its own input, and used", [call("f", ["t"], ["t"]), node("Relu", ["t"], ["y"])]),
    ):
        box.refused(f"function: {name}", simple(*nodes, functions=[same]), INVALID, "cycle")
    box.refused(
        "function: too few inputs", simple(call("f", []), functions=[fn("f", relu)]), ANY, "Relu"
    )
    loop_free = fn(
        "f",
        node(
            "Constant",
            [],
            ["y"],
            raw_attrs=[field(1, "value_float") + field(20, 1) + field(21, "alpha")],
        ),
    )
    box.refused(
        "function: attribute that the call lacks",
        simple(call("f", []), functions=[loop_free]),
        ANY,
        "Constant",
    )


def attributes(box):
    def relu(*attrs):
        return simple(node("LeakyRelu", ["x"], ["y"], raw_attrs=attrs))

    box.refused(
        "attribute twice",
        relu(attribute("alpha", 0.5), attribute("alpha", 0.5)),
        INVALID,
        "'alpha'",
    )
    box.refused("attribute without name", relu(attribute("", 0.5)), INVALID, "without a name")
    for name, wrong in (
        ("int for float", 1),
        ("string for float", "half"),
        ("list for float", [0.5, 0.5]),
        ("graph for float", graph([], [], [])),
        ("tensor for float", Tensor(tensor("", [], FLOAT, floats(1)))),
    ):
        box.refused(name, relu(attribute("alpha", wrong)), ANY, "attribute alpha")
    box.refused("type 99", relu(field(1, "alpha") + field(2, 0.5) + field(20, 99)), ANY, "'alpha'")
    # Declared as a float, but the field is an integer's.
    box.survives("type and field differ", relu(field(1, "alpha") + field(3, 7) + field(20, 1)))
    outside = field(1, "alpha") + field(20, 1) + field(21, "beta")
    box.refused("reference outside of a function", relu(outside), INVALID, "'alpha'")
    for op, attrs, mention in (
        ("Concat", {"axis": "one"}, "axis"),
        ("Concat", {"axis": [0]}, "axis"),
        ("Concat", {}, "axis"),
        ("Transpose", {"perm": 0}, "perm"),
        ("Transpose", {"perm": [0.0]}, "perm"),
        ("Cast", {"to": "FLOAT"}, "to"),  # names were for opsets before 9
        ("Cast", {}, "to"),
        ("Flatten", {"axis": 0.5}, "axis"),
        ("Conv", {"auto_pad": 1}, "Conv"),
        ("If", {"then_branch": 1, "else_branch": 2}, "If"),
    ):
        box.refused(f"{op} {attrs}", simple(node(op, ["x"], ["y"], attrs)), ANY, mention)


ALL = [references, missing, growth, sizes, opsets, subgraphs, deep, functions, attributes]
