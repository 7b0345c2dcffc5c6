# SPDX-License-Identifier: Apache-2.0
"""Operators asked for what cannot be: at load where shapes tell, else in the run; never without a
bound on memory and time."""

import struct

from box import INVALID, LIMIT, NOMEM, SHAPE, UNSUPPORTED
from wire import BOOL, DOUBLE, FLOAT, INT32, INT64, UINT8, Tensor, floats, graph, int64s, ints
from wire import model, node, simple, tensor, value

ANY = {INVALID, SHAPE, UNSUPPORTED, LIMIT, NOMEM}
TOO_LARGE = {INVALID, SHAPE, LIMIT, NOMEM}
BOUND = ("--max-memory", "150M")
MAX = 2**63 - 1


def f32(name, dims, *values):
    return tensor(name, dims, FLOAT, floats(*values))


def zeros(name, dims):
    n = 1
    for dim in dims:
        n *= dim
    return tensor(name, dims, FLOAT, bytes(4 * n))


def one(op, attrs=(), x=(1, 1, 4, 4), more=(), version=17, outputs=("y",), dtype=FLOAT, domain=""):
    """A model of one node on the input x and constants."""
    names = ["x"] + [name for name, _ in more]
    tensors = [t for name, t in more if name]
    nodes = [node(op, names, list(outputs), attrs, domain)]
    return simple(*nodes, x=x, dtype=dtype, initializers=tensors, version=version)


def w(dims):
    return [("w", zeros("w", dims))]


def windows(box):
    for name, body in (
        (
            "Conv: kernel rank above input rank",
            one("Conv", x=(1, 3, 8, 8), more=w((4, 3, 3, 3, 3))),
        ),
        ("Conv: kernel rank below", one("Conv", x=(1, 3, 8, 8), more=w((4, 3, 3)))),
        ("Conv: stride 0", one("Conv", {"strides": [0, 0]}, more=w((1, 1, 1, 1)))),
        ("Conv: stride -1", one("Conv", {"strides": [-1, 1]}, more=w((1, 1, 1, 1)))),
        ("Conv: stride 2^62", one("Conv", {"strides": [1 << 62, 1 << 62]}, more=w((1, 1, 5, 5)))),
        ("Conv: dilation 0", one("Conv", {"dilations": [0, 1]}, more=w((1, 1, 1, 1)))),
        ("Conv: dilation 2^62", one("Conv", {"dilations": [1 << 62, 1]}, more=w((1, 1, 3, 3)))),
        ("Conv: one stride", one("Conv", {"strides": [1]}, more=w((1, 1, 1, 1)))),
        ("Conv: three pads", one("Conv", {"pads": [1, 1, 1]}, more=w((1, 1, 1, 1)))),
        ("Conv: pads 2^62", one("Conv", {"pads": [1 << 62] * 4}, more=w((1, 1, 1, 1)))),
        ("Conv: pads -9", one("Conv", {"pads": [-9] * 4}, more=w((1, 1, 1, 1)))),
        ("Conv: group 0", one("Conv", {"group": 0}, more=w((1, 1, 1, 1)))),
        ("Conv: group -1", one("Conv", {"group": -1}, more=w((1, 1, 1, 1)))),
        ("Conv: group 3 of 4", one("Conv", {"group": 3}, x=(1, 4, 4, 4), more=w((4, 1, 1, 1)))),
        ("Conv: 0 channels", one("Conv", x=(1, 1, 4, 4), more=w((1, 0, 1, 1)))),
        ("Conv: kernel_shape lies", one("Conv", {"kernel_shape": [3, 3]}, more=w((1, 1, 2, 2)))),
        ("ConvTranspose: group 0", one("ConvTranspose", {"group": 0}, more=w((1, 1, 1, 1)))),
        (
            "ConvTranspose: huge",
            one("ConvTranspose", {"strides": [1 << 40] * 2}, more=w((1, 1, 1, 1))),
        ),
        (
            "ConvTranspose: output -1",
            one("ConvTranspose", {"output_shape": [-1, 4]}, more=w((1, 1, 1, 1))),
        ),
        ("MaxPool: kernel 0", one("MaxPool", {"kernel_shape": [0, 0]})),
        ("MaxPool: kernel -1", one("MaxPool", {"kernel_shape": [-1, 1]})),
        ("MaxPool: kernel 2^62", one("MaxPool", {"kernel_shape": [1 << 62, 1]})),
        ("MaxPool: no kernel", one("MaxPool")),
        ("MaxPool: stride 0", one("MaxPool", {"kernel_shape": [1, 1], "strides": [0, 1]})),
        ("MaxPool: rank 2", one("MaxPool", {"kernel_shape": [1]}, x=(2, 2))),
        (
            "AveragePool: pads 2^62",
            one("AveragePool", {"kernel_shape": [1, 1], "pads": [1 << 62] * 4}),
        ),
    ):
        box.refused(name, body, ANY, name.split(":")[0], *BOUND)
    for name, body in (
        ("Conv: kernel larger", one("Conv", x=(1, 1, 2, 2), more=w((1, 1, 5, 5)))),
        ("LpPool: p 0", one("LpPool", {"kernel_shape": [1, 1], "p": 0})),
        (
            "MaxPool: pads larger than kernel",
            one("MaxPool", {"kernel_shape": [1, 1], "pads": [9] * 4}),
        ),
        (
            "MaxPool: dilated past the input",
            one("MaxPool", {"kernel_shape": [3], "dilations": [2], "strides": [2]}, x=(1, 1, 4)),
        ),
    ):
        box.survives(name, body, *BOUND)


def shape_of(op, *values, attrs=(), x=(2, 3), **options):
    return one(op, attrs, x=x, more=[("s", ints("s", *values))], **options)


def shapes(box):
    axes = {"axis": 7}
    for name, body in (
        ("Reshape: two -1", shape_of("Reshape", -1, -1)),
        ("Reshape: -2", shape_of("Reshape", -2, 3)),
        ("Reshape: product", shape_of("Reshape", 5, 5)),
        ("Reshape: 0 past the rank", shape_of("Reshape", 2, 3, 0)),
        ("Reshape: 0 and -1, allowzero", shape_of("Reshape", 0, -1, attrs={"allowzero": 1})),
        ("Reshape: overflow", shape_of("Reshape", 1 << 32, 1 << 32)),
        ("Reshape: 9 dims", shape_of("Reshape", *[1] * 9)),
        ("Reshape: 10,000 dims", shape_of("Reshape", *[1] * 10000)),
        ("Expand: 2^40", shape_of("Expand", 1 << 40, 2, 3)),
        ("Expand: 2^62", shape_of("Expand", 1 << 62, 2, 3)),
        ("Expand: -1", shape_of("Expand", -1, 3)),
        ("Expand: no fit", shape_of("Expand", 7, 7)),
        ("Tile: 2^40", shape_of("Tile", 1 << 40, 1)),
        ("Tile: 2^62", shape_of("Tile", 1 << 62, 1 << 62)),
        ("Tile: -1", shape_of("Tile", -1, 1)),
        ("Tile: rank", shape_of("Tile", 1)),
        ("Concat: axis", simple(node("Concat", ["x", "x"], ["y"], axes))),
        ("Concat: axis -2^63", simple(node("Concat", ["x", "x"], ["y"], {"axis": -MAX - 1}))),
        ("Split: sum", shape_of("Split", 1, 5)),
        ("Split: negative", shape_of("Split", 3, -1, outputs=("y", "z"))),
        ("Split: axis", one("Split", axes, outputs=("y", "z"))),
        ("Split: no outputs", one("Split", {"num_outputs": 0}, version=18)),
        (
            "SplitToSequence: 0",
            one("SplitToSequence", more=[("s", tensor("s", [], INT64, int64s(0)))]),
        ),
        (
            "SplitToSequence: -1",
            one("SplitToSequence", more=[("s", tensor("s", [], INT64, int64s(-1)))]),
        ),
        ("Squeeze: axis", shape_of("Squeeze", 9)),
        ("Squeeze: not 1", shape_of("Squeeze", 0)),
        ("Unsqueeze: axis", shape_of("Unsqueeze", 9)),
        ("Unsqueeze: twice", shape_of("Unsqueeze", 0, 0)),
        ("Unsqueeze: 8 more", shape_of("Unsqueeze", *range(8))),
        ("Transpose: perm", one("Transpose", {"perm": [0, 0, 1, 2]})),
        ("Transpose: perm -1", one("Transpose", {"perm": [-1, 0, 1, 9]})),
        ("Flatten: axis", one("Flatten", {"axis": 9})),
        ("TopK: k", shape_of("TopK", 99, outputs=("y", "z"))),
        ("TopK: k -1", shape_of("TopK", -1, outputs=("y", "z"))),
        ("TopK: axis", shape_of("TopK", 1, attrs=axes, outputs=("y", "z"))),
        ("Gather: index", shape_of("Gather", 2)),
        ("Gather: index -2^63", shape_of("Gather", -MAX - 1)),
        ("Gather: axis", shape_of("Gather", 0, attrs=axes)),
        ("GatherElements: rank", shape_of("GatherElements", 0)),
        (
            "GatherND: index",
            one("GatherND", x=(2, 3), more=[("s", tensor("s", [1, 2], INT64, int64s(0, 9)))]),
        ),
        (
            "GatherND: depth",
            one("GatherND", x=(2, 3), more=[("s", tensor("s", [1, 3], INT64, int64s(0, 0, 0)))]),
        ),
        (
            "GatherND: batch_dims",
            one(
                "GatherND",
                {"batch_dims": 9},
                x=(2, 3),
                more=[("s", tensor("s", [1, 1], INT64, int64s(0)))],
            ),
        ),
        ("ReduceSum: axis", shape_of("ReduceSum", 9)),
        ("ArgMax: axis", one("ArgMax", axes)),
        ("Softmax: axis", one("Softmax", axes)),
        ("CumSum: axis", one("CumSum", x=(2, 3), more=[("s", tensor("s", [], INT64, int64s(9)))])),
        ("DepthToSpace: 0", one("DepthToSpace", {"blocksize": 0})),
        ("DepthToSpace: 2^62", one("DepthToSpace", {"blocksize": 1 << 62})),
        ("SpaceToDepth: -2", one("SpaceToDepth", {"blocksize": -2})),
        ("MatMul: inner", one("MatMul", x=(2, 3), more=w((4, 2)))),
        ("MatMul: scalar", one("MatMul", x=(2, 3), more=w(()))),
        ("Gemm: rank 1", one("Gemm", x=(3,), more=w((3, 2)))),
        ("Gemm: rank 3", one("Gemm", x=(1, 2, 3), more=w((3, 2)))),
        ("Add: no broadcast", one("Add", x=(2, 3), more=w((4, 3)))),
        ("EyeLike: rank", one("EyeLike", x=(2, 2, 2))),
        ("Trilu: rank", one("Trilu", x=(4,))),
        ("Pad: sizes", shape_of("Pad", 1, 1, 1)),
        ("Pad: 2^62", shape_of("Pad", 1 << 62, 0, 1 << 62, 0)),
        ("Pad: below nothing", shape_of("Pad", -9, 0, 0, 0)),
        ("Pad: mode", shape_of("Pad", 0, 0, 0, 0, attrs={"mode": "sideways"})),
        ("LayerNormalization: axis", one("LayerNormalization", axes, more=w((4,)))),
        (
            "GroupNormalization: 0 groups",
            one(
                "GroupNormalization",
                {"num_groups": 0},
                more=[*w((1,)), ("b", zeros("b", (1,)))],
                version=21,
            ),
        ),
        (
            "InstanceNormalization: scale",
            one("InstanceNormalization", more=[*w((7,)), ("b", zeros("b", (7,)))]),
        ),
        ("LRN: size 0", one("LRN", {"size": 0})),
        (
            "Shape of rank 4: Col2Im",
            one(
                "Col2Im",
                x=(1, 5, 5),
                more=[("s", ints("s", 5, 5)), ("k", ints("k", 0, 5))],
                version=18,
            ),
        ),
        (
            "RNN: rank",
            simple(
                node("RNN", ["x", "w", "r"], ["y"], {"hidden_size": 2}),
                x=(2, 3),
                initializers=[zeros("w", (1, 2, 3)), zeros("r", (1, 2, 2))],
            ),
        ),
        (
            "LSTM: hidden_size 2^40",
            simple(
                node("LSTM", ["x", "w", "r"], ["y"], {"hidden_size": 1 << 40}),
                x=(1, 1, 3),
                initializers=[zeros("w", (1, 8, 3)), zeros("r", (1, 8, 2))],
            ),
        ),
        (
            "GRU: direction",
            simple(
                node("GRU", ["x", "w", "r"], ["y"], {"hidden_size": 2, "direction": "up"}),
                x=(1, 1, 3),
                initializers=[zeros("w", (1, 6, 3)), zeros("r", (1, 6, 2))],
            ),
        ),
        (
            "Scan: axis",
            simple(
                node(
                    "Scan",
                    ["x"],
                    ["y"],
                    {
                        "body": graph(
                            [node("Relu", ["s"], ["t"])], [value("s", FLOAT)], [value("t")]
                        ),
                        "num_scan_inputs": 1,
                        "scan_input_axes": [9],
                    },
                )
            ),
        ),
        (
            "Scan: output axis",
            simple(
                node(
                    "Scan",
                    ["x"],
                    ["y"],
                    {
                        "body": graph(
                            [node("Relu", ["s"], ["t"])], [value("s", FLOAT)], [value("t")]
                        ),
                        "num_scan_inputs": 1,
                        "scan_output_axes": [9],
                    },
                )
            ),
        ),
        (
            "Slice: axis",
            one(
                "Slice",
                x=(2, 3),
                more=[("a", ints("a", 0)), ("b", ints("b", 1)), ("c", ints("c", 9))],
            ),
        ),
        (
            "Slice: step 0",
            one(
                "Slice",
                x=(2, 3),
                more=[
                    ("a", ints("a", 0)),
                    ("b", ints("b", 1)),
                    ("c", ints("c", 0)),
                    ("d", ints("d", 0)),
                ],
            ),
        ),
        (
            "BitShift: direction",
            one("BitShift", x=(2,), dtype=UINT8, more=[("s", tensor("s", [2], UINT8, b"\1\1"))]),
        ),
        (
            "BatchNormalization: sizes",
            one("BatchNormalization", more=[(n, zeros(n, (3,))) for n in "sbmv"]),
        ),
        ("PRelu: shape", one("PRelu", x=(2, 3), more=w((4, 1, 1)))),
        (
            "MaxUnpool: index",
            one(
                "MaxUnpool",
                {"kernel_shape": [2, 2]},
                x=(1, 1, 1, 1),
                more=[("s", tensor("s", [1, 1, 1, 1], INT64, int64s(99)))],
            ),
        ),
        (
            "ArrayFeatureExtractor",
            simple(
                node("ArrayFeatureExtractor", ["x", "s"], ["y"], domain="ai.onnx.ml"),
                x=(1, 3),
                initializers=[ints("s", -1)],
            ),
        ),
    ):
        op = name.split(":")[0] if "Col2Im" not in name else "Col2Im"
        box.refused(name, body, ANY, op, *BOUND)
    for name, body in (
        ("Tile: 4 GB", shape_of("Tile", 1 << 28, 1)),
        ("Pad: reflect, 4 GB", shape_of("Pad", 1 << 28, 0, 0, 0, attrs={"mode": "reflect"})),
    ):
        box.refused(name, body, LIMIT, "157286400 bytes allowed", *BOUND)
    box.survives("ReduceSum: axis twice", shape_of("ReduceSum", 0, 0))
    box.survives("Reshape: to nothing", shape_of("Reshape", 0, 3, attrs={"allowzero": 1}))
    box.accepted(
        "Slice: numbers past every end",
        one(
            "Slice",
            x=(2, 3),
            more=[
                ("a", ints("a", -MAX - 1, MAX)),
                ("b", ints("b", MAX, -MAX - 1)),
                ("c", ints("c", 0, 1)),
                ("d", ints("d", MAX, -MAX)),
            ],
        ),
    )
    box.survives("Tile: by nothing", shape_of("Tile", 0, 1 << 40), *BOUND)
    box.survives(
        "Pad: reflect larger than the dim",
        shape_of("Pad", 9, 9, 9, 9, attrs={"mode": "reflect"}),
        *BOUND,
    )


def fed(
    op, *initializers, dims=("n",), dtype=INT64, inputs=("x",), outputs=("y",), attrs=(), version=17
):
    """The shape comes with the run: nothing is known before."""
    nodes = [node(op, list(inputs), list(outputs), attrs)]
    return simple(*nodes, x=dims, dtype=dtype, initializers=initializers, version=version)


def amounts(box):
    """What asks for more memory than there is allowed, told by constants or by the run."""
    huge = {
        "2^40": (1 << 40,),
        "2^62": (1 << 62,),
        "2^63 - 1": (MAX,),
        "2^32 x 2^32": (1 << 32, 1 << 32),
    }
    fill = simple(node("ConstantOfShape", ["s"], ["y"]), x=None, initializers=[ints("s", 1 << 30)])
    box.refused("ConstantOfShape of 4 GB", fill, LIMIT, "157286400 bytes allowed", *BOUND)
    for name, dims in huge.items():
        fill = simple(
            node("ConstantOfShape", ["s"], ["y"]), x=None, initializers=[ints("s", *dims)]
        )
        box.refused(f"ConstantOfShape {name}", fill, TOO_LARGE, "ConstantOfShape", *BOUND)
        for op in ("RandomNormal", "RandomUniform"):
            body = simple(node(op, [], ["y"], {"shape": list(dims)}), x=None)
            box.refused(f"{op} {name}", body, TOO_LARGE, op, *BOUND)
    fill = simple(node("ConstantOfShape", ["s"], ["y"]), x=None, initializers=[ints("s", -1)])
    box.refused("ConstantOfShape -1", fill, ANY, "ConstantOfShape")
    # Added to what a run makes up, which is 0 or 1.
    for name, op, extra in (
        ("ConstantOfShape", "ConstantOfShape", []),
        ("Expand", "Expand", ["one"]),
        ("Tile", "Tile", ["one"]),
        ("Reshape", "Reshape", ["one"]),
    ):
        for amount in (1 << 28, 1 << 40, 1 << 62):
            nodes = [node("Add", ["x", "k"], ["s"]), node(op, [*extra, "s"], ["y"])]
            body = simple(
                *nodes, x=(1,), dtype=INT64, initializers=[ints("k", amount), f32("one", [1], 1)]
            )
            box.refused(f"{name} of {amount} in a run", body, TOO_LARGE, name, *BOUND)
    for start, limit, delta in (
        (0, 1 << 40, 1),
        (0, MAX, 1),
        (-MAX, MAX, 1),
        (0, 10, 0),
        (MAX, -MAX, -1),
    ):
        scalars = [tensor(n, [], INT64, int64s(v)) for n, v in zip("abc", (start, limit, delta))]
        body = simple(node("Range", ["a", "b", "c"], ["y"]), x=None, initializers=scalars)
        box.refused(f"Range {start} {limit} {delta}", body, ANY, "Range", *BOUND)
    for start, limit, delta in (
        (0, 1e30, 1e-30),
        (0, float("inf"), 1),
        (0, float("nan"), 1),
        (0, 1, float("nan")),
    ):
        scalars = [f32(n, [], v) for n, v in zip("abc", (start, limit, delta))]
        body = simple(node("Range", ["a", "b", "c"], ["y"]), x=None, initializers=scalars)
        box.survives(f"Range {start} {limit} {delta}", body, *BOUND)
    for name, depth in (("negative", -5), ("2^40", 1 << 40), ("2^62", 1 << 62)):
        parts = [ints("d", depth), f32("v", [2], 0, 1)]
        body = simple(
            node("OneHot", ["x", "d", "v"], ["y"]), x=(3,), dtype=INT64, initializers=parts
        )
        box.refused(f"OneHot depth {name}", body, ANY, "OneHot", *BOUND)
    for name, scale in (
        ("0", 0.0),
        ("-1", -1.0),
        ("NaN", float("nan")),
        ("1e30", 1e30),
        ("inf", float("inf")),
    ):
        parts = [f32("s", [4], 1, 1, scale, 1)]
        body = simple(node("Resize", ["x", "", "s"], ["y"]), x=(1, 1, 4, 4), initializers=parts)
        box.refused(f"Resize by {name}", body, ANY, "Resize", *BOUND)
    for size in (-1, 1 << 40, 1 << 62):
        body = simple(
            node("Resize", ["x", "", "", "s"], ["y"]),
            x=(1, 1, 4, 4),
            initializers=[ints("s", 1, 1, size, 4)],
        )
        box.refused(f"Resize to {size}", body, ANY, "Resize", *BOUND)
    for n in (0, -2, 1 << 40):
        body = simple(
            node("DFT", ["x", "n"], ["y"]),
            x=(1, 4, 1),
            initializers=[tensor("n", [], INT64, int64s(n))],
        )
        box.refused(f"DFT of length {n}", body, ANY, "DFT", *BOUND)
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for n in (-1, 1 << 40):
            body = simple(
                node(op, ["n"], ["y"]), x=None, initializers=[tensor("n", [], INT64, int64s(n))]
            )
            box.refused(f"{op} of {n}", body, ANY, op, *BOUND)
    mel = [
        tensor(n, [], INT64, int64s(v)) for n, v in (("a", 1 << 30), ("b", 1 << 30), ("c", 16000))
    ]
    mel += [f32("d", [], 0), f32("e", [], 8000)]
    body = simple(node("MelWeightMatrix", list("abcde"), ["y"]), x=None, initializers=mel)
    box.refused("MelWeightMatrix 2^30 x 2^30", body, TOO_LARGE, "MelWeightMatrix", *BOUND)
    doubled = [
        node("Concat", [f"t{i - 1}" if i else "x"] * 2, [f"t{i}"], {"axis": 0}) for i in range(60)
    ]
    body = simple(*doubled, node("Relu", ["t59"], ["y"]))
    box.refused("60 doublings", body, TOO_LARGE, "", *BOUND)
    doubled = [node("NonZero", ["x"], ["z"]), node("Cast", ["z"], ["t"], {"to": FLOAT})]
    doubled += [
        node("Concat", [f"t{i - 1}" if i else "t"] * 2, [f"t{i}"], {"axis": 0}) for i in range(60)
    ]
    body = simple(*doubled, node("Relu", ["t59"], ["y"]))
    box.refused("60 doublings in a run", body, TOO_LARGE, "", *BOUND)


def loop(trip, body_nodes, state=(1,), condition="k"):
    """A Loop over one carried value."""
    head = [value("i", INT64, []), value("k", BOOL, []), value("s", FLOAT)]
    body = graph(
        body_nodes + [node("Identity", [condition], ["l"])], head, [value("l"), value("t")]
    )
    parts = [tensor("n", [], INT64, int64s(trip))]
    return simple(node("Loop", ["n", "", "x"], ["y"], {"body": body}), x=state, initializers=parts)


def loops(box):
    step = [node("Neg", ["s"], ["t"])]
    for trip in (MAX, 1 << 40):
        box.refused(
            f"Loop of {trip} with a bound",
            loop(trip, step),
            LIMIT,
            "--max-loop-steps",
            "--max-loop-steps",
            "10000",
        )
        box.refused(
            f"Loop of {trip} with a time", loop(trip, step), LIMIT, "--timeout", "--timeout", "0.2"
        )
    for trip in (-1, -MAX - 1, 0):
        box.survives(f"Loop of {trip}", loop(trip, step))
    box.refused(
        "a state that doubles",
        loop(MAX, [node("Concat", ["s", "s"], ["t"], {"axis": 0})]),
        TOO_LARGE,
        "Loop",
        *BOUND,
    )
    inner = graph(
        [node("Neg", ["s"], ["t"]), node("Identity", ["k"], ["l"])],
        [value("i", INT64, []), value("k", BOOL, []), value("s", FLOAT)],
        [value("l"), value("t")],
    )
    nested = [
        node("Constant", [], ["m"], {"value": Tensor(tensor("", [], INT64, int64s(1 << 40)))}),
        node("Loop", ["m", "", "s"], ["t"], {"body": inner}),
    ]
    box.refused(
        "Loop in a Loop",
        loop(1 << 40, nested),
        LIMIT,
        "--max-loop-steps",
        "--max-loop-steps",
        "10000",
    )
    outputs = graph(
        [
            node("Identity", ["k"], ["l"]),
            node("Identity", ["s"], ["t"]),
            node("Identity", ["s"], ["o"]),
        ],
        [value("i", INT64, []), value("k", BOOL, []), value("s", FLOAT)],
        [value("l"), value("t"), value("o")],
    )
    body = simple(
        node("Loop", ["n", "", "x"], ["z", "y"], {"body": outputs}),
        x=(1000,),
        initializers=[tensor("n", [], INT64, int64s(MAX))],
    )
    box.refused("scan outputs without end", body, TOO_LARGE, "Loop", *BOUND)
    head = [value("s", FLOAT, [])]
    scan = graph([node("Neg", ["s"], ["t"])], head, [value("t")])
    body = simple(node("Scan", ["x"], ["y"], {"body": scan, "num_scan_inputs": 1}), x=(100000,))
    box.refused(
        "Scan of 100,000 with a bound", body, LIMIT, "--max-loop-steps", "--max-loop-steps", "1000"
    )


def equations(box):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for name, equation, codes in (
        ("60 letters", letters + "abcdefgh", ANY),
        ("52 letters", letters, ANY),
        ("other letters", "i1->i1", ANY),
        ("no operand", "", ANY),
        ("an arrow alone", "->", ANY),
        ("two arrows", "ij->i->j", ANY),
        ("three operands", "ij,jk,kl->il", ANY),
        ("a result that no operand has", "ij->ik", ANY),
        ("a letter twice in the result", "ij->ii", ANY),
        ("dots", "i.j->i", ANY),
        ("two ellipses", "...i...->i", ANY),
        ("too few letters", "i->i", ANY),
        ("no text", b"\xff\xfe", ANY),
        ("100,000 commas", "," * 100000, ANY),
        ("2^20 letters", "i" * (1 << 20), ANY),
    ):
        body = simple(node("Einsum", ["x"], ["y"], {"equation": equation}), x=(2, 2))
        box.refused(f"Einsum: {name}", body, codes, "Einsum")
    # An outer product of 8 operands of 1000.
    equation = ",".join("abcdefgh") + "->abcdefgh"
    body = simple(node("Einsum", ["x"] * 8, ["y"], {"equation": equation}), x=(1000,))
    box.refused("Einsum: 1000^8", body, TOO_LARGE, "Einsum", *BOUND)


def contents(box):
    """Numbers that come with the run or from constants, and mean no place in a tensor."""
    nan, inf = float("nan"), float("inf")
    boxes = f32("b", [1, 3, 4], 0, 0, 1, 1, nan, nan, inf, -inf, 0, 0, 1, 1)
    scores = f32("s", [1, 1, 3], nan, inf, -inf)
    parts = [boxes, scores, ints("m", MAX), f32("i", [1], nan), f32("t", [1], nan)]
    nms = simple(
        node("NonMaxSuppression", ["b", "s", "m", "i", "t"], ["y"]), x=None, initializers=parts
    )
    box.survives("NonMaxSuppression of NaN", nms)
    for name, numbers in (("NaN", [nan] * 8), ("inf", [inf, -inf] * 4), ("2.5e38", [2.5e38] * 8)):
        for mode in ("linear", "nearest", "cubic"):
            for padding in ("zeros", "border", "reflection"):
                attrs = {"mode": mode, "padding_mode": padding}
                body = one(
                    "GridSample",
                    attrs,
                    x=(1, 1, 3, 3),
                    more=[("g", f32("g", [1, 2, 2, 2], *numbers))],
                    version=20,
                )
                box.accepted(f"GridSample {mode} {padding} at {name}", body)
    rois = f32("r", [1, 4], nan, inf, -inf, 1e30)
    align = simple(
        node("RoiAlign", ["x", "r", "b"], ["y"]),
        x=(1, 1, 3, 3),
        initializers=[rois, ints("b", 0)],
        version=16,
    )
    box.survives("RoiAlign of NaN", align, *BOUND)
    align = simple(
        node("RoiAlign", ["x", "r", "b"], ["y"]),
        x=(1, 1, 3, 3),
        initializers=[f32("r", [1, 4], 0, 0, 1, 1), ints("b", 99)],
        version=16,
    )
    box.refused("RoiAlign of another batch", align, ANY, "RoiAlign")
    for name, indices, fine in (
        ("twice", (1, 1), True),
        ("negative", (-1, -2), True),
        ("past the end", (3, 0), False),
        ("before the begin", (-4, 0), False),
        ("2^63 - 1", (MAX, 0), False),
    ):
        places = tensor("i", [2, 1], INT64, int64s(*indices))
        flat = tensor("i", [2], INT64, int64s(*indices))
        for op, at in (("ScatterND", places), ("ScatterElements", flat)):
            body = simple(
                node(op, ["x", "i", "u"], ["y"]),
                x=(3,),
                initializers=[at, f32("u", [2], 5, 6)],
                version=16,
            )
            if fine:
                box.accepted(f"{op}: index {name}", body)
            else:
                box.refused(f"{op}: index {name}", body, ANY, op)
        body = simple(node("GatherElements", ["x", "i"], ["y"]), x=(3,), initializers=[flat])
        if fine:
            box.accepted(f"GatherElements: index {name}", body)
        else:
            box.refused(f"GatherElements: index {name}", body, ANY, "GatherElements")
    for op in ("Div", "Mod"):
        for dtype in (INT32, INT64, UINT8):
            wide = {INT32: 4, INT64: 8, UINT8: 1}[dtype]
            zero = tensor("z", [1], dtype, bytes(wide))
            box.survives(
                f"{op} by 0 of type {dtype}",
                simple(node(op, ["x", "z"], ["y"]), x=(1,), dtype=dtype, initializers=[zero]),
            )
            both = simple(node(op, ["z", "z"], ["y"]), x=None, initializers=[zero])
            box.survives(f"{op} 0 by 0 of type {dtype}, folded", both)
    for dtype, low in ((INT32, b"\0\0\0\x80"), (INT64, bytes(7) + b"\x80")):
        parts = [tensor("a", [1], dtype, low), tensor("b", [1], dtype, b"\xff" * len(low))]
        for op in ("Div", "Mod"):
            body = simple(node(op, ["a", "b"], ["y"]), x=None, initializers=parts)
            box.accepted(f"{op}: the lowest of type {dtype} by -1", body)
    for to in (INT32, INT64, UINT8, BOOL):
        parts = [tensor("a", [4], DOUBLE, struct.pack("<4d", nan, inf, -inf, 1e300))]
        box.accepted(
            f"Cast of NaN to type {to}",
            simple(node("Cast", ["a"], ["y"], {"to": to}), x=None, initializers=parts),
        )
    shift = tensor("s", [1], UINT8, b"\xff")
    box.accepted(
        "BitShift by 255",
        simple(
            node("BitShift", ["x", "s"], ["y"], {"direction": "LEFT"}),
            x=(1,),
            dtype=UINT8,
            initializers=[shift],
        ),
    )
    lens = [tensor("l", [2], INT64, int64s(-1, 99))]
    box.refused(
        "ReverseSequence: lengths",
        simple(node("ReverseSequence", ["x", "l"], ["y"]), x=(3, 2), initializers=lens),
        ANY,
        "ReverseSequence",
    )
    box.survives(
        "Compress of a longer mask",
        simple(
            node("Compress", ["x", "c"], ["y"]),
            x=(2,),
            initializers=[tensor("c", [9], BOOL, b"\1" * 9)],
        ),
    )
    box.survives(
        "Multinomial of NaN",
        simple(
            node("Multinomial", ["a"], ["y"], {"sample_size": 1 << 20}),
            x=None,
            initializers=[f32("a", [1, 2], nan, -inf)],
        ),
        *BOUND,
    )
    box.refused(
        "Multinomial of 2^40",
        simple(
            node("Multinomial", ["a"], ["y"], {"sample_size": 1 << 40}),
            x=None,
            initializers=[f32("a", [1, 2], 0, 0)],
        ),
        ANY,
        "Multinomial",
        *BOUND,
    )
    for at in (5, -6, MAX):
        nodes = [node("SequenceConstruct", ["x"], ["q"]), node("SequenceAt", ["q", "i"], ["y"])]
        box.refused(
            f"SequenceAt {at}",
            simple(*nodes, initializers=[tensor("i", [], INT64, int64s(at))]),
            ANY,
            "SequenceAt",
        )


ALL = [windows, shapes, amounts, loops, equations, contents]
