# SPDX-License-Identifier: Apache-2.0
"""Differences between engines that are understood. Each rule says who is right, and by what.

A rule applies where all of its conditions hold; each use is counted and printed. It is asked only
after all tolerances failed. "Ingot" is right where ONNX's text says so; "open" stands for what the
text leaves to the engines; "gap" for what Ingot refuses and should not.
"""

from onnx import TensorProto as TP

from draw import FLOATS, INTS, Operand


class Rule:
    """operators: names, or "" for all. oracle: "ort", "reference" or "" for both. kinds: kinds of
    difference as in agree.py, or "refused" (Ingot refuses). when: further condition on the Trial."""

    def __init__(self, name, operators, right, why, oracle="", kinds="", when=None):
        self.name, self.right, self.why = name, right, why
        self.operators, self.oracle = operators.split(), oracle
        self.kinds, self.when = kinds.split(), when

    def holds(self, trial, oracle, kind):
        return (
            (not self.operators or trial.operator in self.operators)
            and (not self.oracle or oracle == self.oracle)
            and (not self.kinds or kind in self.kinds)
            and (self.when is None or bool(self.when(trial)))
        )


# ---- conditions ----


def input_types(*numbers):
    return lambda t: any(x.number in numbers for x in operands(t))


def operands(t):
    flat = []
    for x in t.case.inputs:
        flat += x if isinstance(x, list) else [x]
    return [x for x in flat if isinstance(x, Operand)]


def has_text(t):
    return any(x.number == TP.STRING for x in operands(t))


def is_before(opset):
    return lambda t: t.opset < opset


def is_whole(t):
    return t.number(0) in INTS


def is_mixed(t):
    return len({x.number for x in operands(t) if x.number in FLOATS}) > 1


def same_with_gaps(t):
    """auto_pad SAME where windows leave gaps: the text's formula gives negative padding."""
    if not str(t.attribute("auto_pad", "")).startswith("SAME"):
        return False
    kernel = t.attribute("kernel_shape") or t.values(1).shape[2:]
    strides = t.attribute("strides") or [1] * len(kernel)
    dilations = t.attribute("dilations") or [1] * len(kernel)
    return any((k - 1) * d + 1 < s for k, d, s in zip(kernel, dilations, strides))


def has_any(*names):
    return lambda t: any(t.attribute(n) is not None for n in names)


def recurrent_extras(t):
    lengths = t.values(4) is not None
    extra = has_any("activations", "clip", "linear_before_reset", "output_sequence", "layout")
    return lengths or extra(t) or t.attribute("direction") not in (None, "forward")


def has_nan(t):
    return any(x.values.dtype.kind == "f" and bool((x.values != x.values).any()) for x in operands(t))


def beyond(values, limit):
    """Is the magnitude of some element above it?"""
    return any(abs(int(v)) > limit for v in values.ravel())


REFERENCE = {"oracle": "reference"}
RULES = [
    Rule(
        "zero of either sign",
        "Relu Max Min MaxPool MaxRoiPool GlobalMaxPool ReduceMax ReduceMin Clip Sum Mean ThresholdedRelu PRelu LeakyRelu Shrink",
        "open",
        "the text does not order -0 and 0",
        kinds="sign",
    ),
    Rule(
        "NaN among numbers",
        "MaxPool GlobalMaxPool ReduceMax ReduceMin Max Min ArgMax ArgMin",
        "open",
        "NaN wins wherever it is (docs/NUMERICS.md); elsewhere it depends on its place",
        kinds="nan value",
        when=has_nan,
    ),
    Rule(
        "maximum of minus infinities",
        "MaxPool",
        "Ingot",
        "the largest of pixels that are all -inf is -inf; ONNX Runtime begins with the least finite float",
        oracle="ort",
        kinds="infinity",
        when=lambda t: bool((t.values(0) == float("-inf")).any()),
    ),
    Rule(
        "sums in 16 bits",
        "ReduceL1 ReduceL2 ReduceSum ReduceSumSquare ReduceMean ReduceProd",
        "Ingot",
        "rounded once; onnx.reference adds up in the type of the data, where small terms are lost",
        kinds="value",
        when=input_types(TP.FLOAT16, TP.BFLOAT16),
        **REFERENCE,
    ),
    Rule(
        "global maximum of several dimensions",
        "GlobalMaxPool",
        "Ingot",
        "spatial dimensions are kept as 1; onnx.reference drops some",
        kinds="shape",
        **REFERENCE,
    ),
    Rule(
        "types of mixed floats",
        "RMSNormalization Gemm AffineGrid BatchNormalization LayerNormalization",
        "Ingot",
        "each output has the type of its variable in the schema; NumPy promotes",
        kinds="type",
        **REFERENCE,
    ),
    Rule(
        "square sum of small integers",
        "ReduceSumSquare ReduceL2 ReduceL1 ReduceSum ReduceProd",
        "Ingot",
        "output has the input's type T; NumPy's sum widens",
        kinds="type",
        when=is_whole,
        **REFERENCE,
    ),
    Rule(
        "mean of large integers",
        "ReduceMean",
        "Ingot",
        "the mean of the elements is one of the type; others take a sum that wraps, or one in float64",
        kinds="value",
        when=lambda t: is_whole(t) and beyond(t.values(0), 2**30),
    ),
    Rule(
        "stashed statistics",
        "LayerNormalization",
        "Ingot",
        "Mean and InvStdDev have stash_type (U), float by default",
        kinds="type",
        **REFERENCE,
    ),
    Rule(
        "mask of old Dropout",
        "Dropout",
        "open",
        "before opset 12 the text does not say what the mask of inference holds; ones, as since 12",
        kinds="value type",
        when=is_before(12),
    ),
    Rule(
        "error function in float32",
        "Erf",
        "Ingot",
        "onnx.reference rounds to float32 on the way",
        when=input_types(TP.DOUBLE),
        **REFERENCE,
    ),
    Rule(
        "slope of HardSwish",
        "HardSwish",
        "Ingot",
        "alpha is 1/6; the function body rounds it to float32 though x is double",
        when=input_types(TP.DOUBLE),
    ),
    Rule(
        "LRN near the border",
        "LRN",
        "Ingot",
        "onnx.reference leaves out channels of the window that the text's formula has",
        **REFERENCE,
    ),
    Rule(
        "flattening softmax",
        "Softmax LogSoftmax Hardmax",
        "Ingot",
        "before opset 13 the input is flattened at axis; onnx.reference has one axis only",
        when=is_before(13),
        **REFERENCE,
    ),
    Rule(
        "Unique along an axis, unsorted",
        "Unique",
        "Ingot",
        "outputs are subtensors along axis; onnx.reference takes them along axis 0",
        kinds="shape value",
        when=has_any("axis"),
        **REFERENCE,
    ),
    Rule(
        "Unique of nothing",
        "Unique",
        "Ingot",
        "without axis the input is flattened; onnx.reference leaves one without elements as it is",
        kinds="shape",
        when=lambda t: t.attribute("axis") is None and not t.values(0).size,
        **REFERENCE,
    ),
    Rule(
        "old average pooling",
        "AveragePool",
        "Ingot",
        "opset 7 added count_include_pad with 0 as what was before",
        when=is_before(7),
        **REFERENCE,
    ),
    Rule(
        "windows with gaps and SAME",
        "MaxPool AveragePool LpPool Conv",
        "open",
        "the formula gives negative padding; Ingot takes none",
        when=same_with_gaps,
    ),
    Rule(
        "storage_order",
        "MaxPool",
        "Ingot",
        "indices count through all of the input, column major with storage_order 1; onnx.reference does not read it",
        kinds="value",
        when=lambda t: t.case.n_out == 2,
        **REFERENCE,
    ),
    Rule(
        "recurrent nets' attributes",
        "RNN GRU LSTM",
        "Ingot",
        "onnx.reference does not read activations, clip, sequence_lens and the like",
        when=recurrent_extras,
        **REFERENCE,
    ),
    Rule(
        "beta of old Gemm",
        "Gemm",
        "Ingot",
        "onnx.reference adds C only with broadcast, and then without beta",
        when=is_before(7),
        **REFERENCE,
    ),
    Rule(
        "logarithm of integers",
        "ReduceLogSumExp ReduceLogSum",
        "Ingot",
        "the real number is truncated once; ONNX Runtime rounds parts of it",
        when=is_whole,
    ),
    Rule(
        "not a whole number",
        "Pow Shrink Cast CastLike",
        "open",
        "what is out of range of an integer type is open; Ingot saturates, NaN is 0",
        kinds="value",
        when=lambda t: t.case.inputs[0].number in INTS or t.operator.startswith("Cast"),
    ),
    Rule(
        "Gemm of integers by a fraction",
        "Gemm",
        "open",
        "the real number is truncated and saturates; onnx.reference lets the product wrap first",
        kinds="value",
        when=lambda t: is_whole(t) and any(f % 1 for f in (t.attribute("alpha") or 1, t.attribute("beta") or 1)),
    ),
    Rule(
        "text that is not there",
        "CenterCropPad Trilu Pad",
        "Ingot",
        "the zero of a string is the empty one, not the number 0",
        when=has_text,
        **REFERENCE,
    ),
    Rule(
        "off and on of OneHot",
        "OneHot",
        "Ingot",
        "values are moved; onnx.reference computes (on - off) + off, which rounds",
        kinds="value",
        **REFERENCE,
    ),
    Rule(
        "exponent in float32",
        "LpPool GlobalLpPool",
        "Ingot",
        "onnx.reference rounds the power to float32",
        when=input_types(TP.DOUBLE),
        **REFERENCE,
    ),
    Rule(
        "overflow of squares",
        "ReduceL2 LpNormalization",
        "Ingot",
        "the norm fits its type, only its square does not",
        kinds="infinity nan value",
        when=lambda t: max(float(abs(t.values(0).astype(float)).max(initial=0)), 1) > 1e9,
    ),
    Rule(
        "norm of large integers",
        "Normalizer",
        "Ingot",
        "the norm is a float; ONNX Runtime adds squares up in the type of the input, where they overflow",
        oracle="ort",
        when=lambda t: t.number(0) in INTS and beyond(t.values(0), 2**15),
    ),
    Rule(
        "norm of negative numbers",
        "LpNormalization",
        "Ingot",
        "the norm is of absolute values; onnx.reference adds x to the power p",
        when=lambda t: t.attribute("p") == 1,
        **REFERENCE,
    ),
    Rule(
        "dilations of average pooling",
        "AveragePool",
        "Ingot",
        "onnx.reference does not read dilations with auto_pad VALID",
        when=lambda t: t.attribute("dilations") is not None,
        **REFERENCE,
    ),
    Rule(
        "bool and text of Col2Im",
        "Col2Im",
        "gap",
        "the schema allows every type, though the operator adds",
        kinds="refused",
        when=lambda t: t.number(0) in (TP.BOOL, TP.STRING),
    ),
    Rule(
        "end before the begin",
        "Shape",
        "Ingot",
        "start and end are clamped to [0, rank]; onnx.reference slices with a negative end",
        kinds="shape",
        **REFERENCE,
    ),
    Rule(
        "places in 16 bits",
        "DeformConv",
        "Ingot",
        "places are computed in float32; onnx.reference rounds them to the type of the data",
        when=input_types(TP.FLOAT16, TP.BFLOAT16),
        **REFERENCE,
    ),
    Rule(
        "stop words",
        "StringNormalizer",
        "Ingot",
        "stop words match in any case by default, and empty strings stay; not so in onnx.reference",
        **REFERENCE,
    ),
    Rule(
        "scores in 16 bits",
        "Attention MultiHeadAttention",
        "open",
        "products of 16-bit floats are rounded to 16 bits before the softmax by the others",
        kinds="value",
        when=input_types(TP.FLOAT16, TP.BFLOAT16),
    ),
    Rule(
        "bias of groups",
        "ConvTranspose",
        "Ingot",
        "each output channel has its bias; onnx.reference adds the first group's to all",
        when=lambda t: (t.attribute("group") or 1) > 1 and t.values(2) is not None,
        **REFERENCE,
    ),
    Rule(
        "nearest at a tie",
        "Resize Upsample",
        "open",
        "coordinates are float32, as ONNX Runtime's; onnx.reference has float64, and other ties",
        when=lambda t: t.attribute("mode") in (None, "nearest"),
        **REFERENCE,
    ),
    Rule(
        "one element of pytorch_half_pixel",
        "Resize",
        "Ingot",
        "the text maps an output of length 1 to 0, onnx.reference to -0.5",
        kinds="value",
        when=lambda t: t.attribute("coordinate_transformation_mode") == "pytorch_half_pixel",
        **REFERENCE,
    ),
    Rule(
        "variance of nothing but rounding",
        "MeanVarianceNormalization InstanceNormalization GroupNormalization LayerNormalization",
        "open",
        "the variance is that of one or of equal numbers: what is left is rounding",
        kinds="nan",
    ),
    Rule(
        "16 bits of old normalization",
        "InstanceNormalization",
        "Ingot",
        "sums are taken in float32; onnx.reference takes them in the type of the data",
        when=input_types(TP.FLOAT16, TP.BFLOAT16),
        **REFERENCE,
    ),
    Rule(
        "backwards to the far end",
        "Slice",
        "Ingot",
        "with a negative step an end beyond the dimension is its last index: nothing is left, as in "
        "NumPy; ONNX Runtime takes the largest int32 for the begin",
        kinds="shape",
        when=lambda t: t.values(4) is not None and (t.values(4) < 0).any(),
    ),
    Rule(
        "no iteration",
        "Loop",
        "open",
        "scan outputs of no iterations: Ingot keeps the shape that the body's inference knows",
        oracle="ort",
        kinds="shape",
    ),
    Rule(
        "base of a target without a leaf",
        "TreeEnsembleRegressor",
        "Ingot",
        "base_values are added to the final scores; ONNX Runtime leaves out targets without a leaf",
        oracle="ort",
        kinds="value",
        when=lambda t: t.attribute("base_values") and (t.attribute("n_targets") or 1) > 1,
    ),
    Rule(
        "output of a regression",
        "TreeEnsembleRegressor LinearRegressor",
        "Ingot",
        "the output is float32 whatever the input; onnx.reference adds up in the input's type",
        kinds="type value",
        when=lambda t: t.number(0) != TP.FLOAT,
        **REFERENCE,
    ),
    Rule(
        "white space",
        "StringSplit",
        "Ingot",
        "without a delimiter any white space separates; ONNX Runtime takes blanks alone",
        when=lambda t: not t.attribute("delimiter") and "\t" in "".join(t.values(0).ravel()),
    ),
]


def explanation(trial, oracle, kind):
    return next((rule for rule in RULES if rule.holds(trial, oracle, kind)), None)
