# SPDX-License-Identifier: Apache-2.0
"""Models whose outputs are their inputs, so that every answer is known, and a scratch folder for them."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "e2e")]

from places import ingot  # noqa: E402
from sandbox import Sandbox, numpy, onnx  # noqa: E402


class Bench(Sandbox):
    """A sandbox that evaluates."""

    def model(self, ports, name="same.onnx", opset=13, nodes=None):
        """ports: (input, output, shape[, dtype]); each output is its input unless nodes says otherwise."""
        h = onnx().helper
        ports = [(*p, 1)[:4] for p in ports]
        inputs = [h.make_tensor_value_info(i, t, s) for i, _, s, t in ports]
        outputs = [h.make_tensor_value_info(o, t, s) for _, o, s, t in ports]
        made = [h.make_node("Identity", [i], [o]) for i, o, _, _ in ports]
        graph = h.make_graph(nodes(h) if nodes else made, "g", inputs, outputs)
        model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=8)
        return self.write(name, model.SerializeToString())

    def npz(self, name="data.npz", is_packed=False, **arrays):
        np = numpy()
        path = self.path(name)
        (np.savez_compressed if is_packed else np.savez)(path, **arrays)
        return path

    def eval(self, model, data, *flags, code=0, **options):
        """The report; None and a failed check where the command ends otherwise."""
        done = ingot("eval", model, "--data", data, "--json", *flags, **options)
        name = " ".join(["eval", *(str(f) for f in flags if "/" not in str(f))])
        if not self.report.check(
            f"{name}: exit code", done.returncode == code, f"{done.returncode}: {done.stderr[:300]}"
        ):
            return None
        return json.loads(done.stdout)

    def figures(self, model, data, metrics, *flags, **options):
        """{metric: {value, low, high}} of Ingot."""
        facts = self.eval(model, data, "--metric", metrics, *flags, **options)
        return facts["engines"][0]["metrics"] if facts else None

    def near(self, name, seen, wanted, tolerance=1e-12):
        self.report.check(
            name, seen is not None and abs(seen - wanted) <= tolerance, f"{seen}, expected {wanted}"
        )
