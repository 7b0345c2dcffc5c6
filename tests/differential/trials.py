# SPDX-License-Identifier: Apache-2.0
"""One case or graph from its seed to a verdict."""

import functools
import zlib

import numpy as np

import again
import agree
import engines
import explained
import models
from draw import FLOATS, Draw, reals
from engines import Refused
from entries import ENTRIES


ORACLES = ("ort", "reference", "numpy", "newer")


class Verdict:
    """result: passed, failed, skipped, explained. text: why."""

    def __init__(self, result, text="", detail="", rule=None, oracle=""):
        self.result, self.text, self.detail = result, text, detail
        self.rule, self.oracle = rule, oracle

    def as_dict(self):
        return self.__dict__


class Trial:
    """A case of one operator, with what rules may ask about it."""

    def __init__(self, seed, index, key, left_out=()):
        self.seed, self.index, self.left_out = seed, index, left_out
        self.domain, self.operator = key
        self.entry = ENTRIES[key]
        salt = zlib.crc32(repr(key).encode())
        self.rng = np.random.default_rng([seed, index, salt])
        first, last = self.versions()
        self.opset = first if self.rng.random() < 0.5 else last
        self.d = Draw(self.rng, self.operator, self.domain, self.opset)
        self.case = self.entry.make(self.d)
        self.model, self.feeds = models.of_case(self.d, self.case)
        self.data = self.model.SerializeToString()
        self.wants = {}

    def versions(self):
        spans = self.entry.versions()
        return spans[int(self.rng.integers(len(spans)))]

    @property
    def name(self):
        prefix = self.domain + "::" if self.domain else ""
        return f"{prefix}{self.operator}-{self.opset} {self.seed}:{self.index}"

    def attribute(self, name, fallback=None):
        return self.case.attributes.get(name, fallback)

    def values(self, i):
        """Input i as array, None where absent."""
        inputs = self.case.inputs
        return inputs[i].values if i < len(inputs) and inputs[i] is not None else None

    def number(self, i):
        return self.case.inputs[i].number

    # ---- oracles ----

    def ask(self, oracle):
        """Outputs of an oracle, or Refused; remembered."""
        if oracle not in self.wants:
            try:
                if oracle == "ort":
                    self.wants[oracle] = engines.ort(self.data, self.feeds)
                elif oracle == "reference":
                    self.wants[oracle] = engines.reference(self.model, self.feeds)
                elif oracle == "newer":
                    self.wants[oracle] = self.newer()
                else:
                    with np.errstate(all="ignore"):
                        found = self.case.numpy()
                    found = found if isinstance(found, tuple) else (found,)
                    self.wants[oracle] = [np.asarray(x) for x in found]
            except Refused as e:
                self.wants[oracle] = e
            except Exception as e:
                self.wants[oracle] = Refused(f"{type(e).__name__}: {e}", False)
        found = self.wants[oracle]
        if isinstance(found, Refused):
            raise found
        return found

    def oracles(self):
        """Whom to ask, but for those that died of this case."""
        have = {"numpy": self.case.numpy, "newer": self.entry.newer}
        return [o for o in ORACLES if have.get(o, True) and o not in self.left_out]

    def newer(self):
        """What another version of the operator gives in float32, in the types of this one."""
        inputs = [x and (x.values if x.number not in FLOATS else reals(x)) for x in self.case.inputs]
        inputs = [x.astype(np.float32) if x is not None and x.dtype == np.float64 else x for x in inputs]
        found = engines.one_node(
            self.operator, inputs, self.case.attributes, self.entry.newer, self.case.n_out
        )
        kind = self.case.inputs[0].values.dtype
        return [y.astype(kind) if y.dtype == np.float32 else y for y in found]

    def magnitude(self):
        """The same with the absolute values of all numbers: how much was added up."""
        import onnx
        from onnx import numpy_helper

        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for t in model.graph.initializer:
            if t.data_type in (1, 10, 11):
                t.CopyFrom(numpy_helper.from_array(np.abs(numpy_helper.to_array(t)), t.name))
        for node in model.graph.node:
            for a in node.attribute:
                if a.name in ("alpha", "beta") and a.HasField("f"):
                    a.f = abs(a.f)
        feeds = {
            k: np.abs(v) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else v
            for k, v in self.feeds.items()
        }
        data = model.SerializeToString()
        for ask in (
            lambda: engines.ort(data, feeds),
            lambda: engines.reference(model, feeds),
            lambda: engines.ingot(data, feeds, "none", "ref"),
        ):
            try:
                return ask()
            except Refused:
                continue
        return None

    @functools.cached_property
    def narrow(self):
        """{output index: its type, where that is not the one it comes in}"""
        if self.domain or not self.d.schema:
            return {}
        outputs = [f"y{i}" for i in range(self.case.n_out)]
        return models.narrow_outputs(self.model, models.by_schema(self.d, outputs))

    def told(self, outputs):
        return self.case.told(outputs) if self.case.told else outputs

    def compare(self, got, want, oracle=""):
        if oracle == "newer":  # which computed in float32
            got, want = singles(got), singles(want)
        narrow = self.narrow
        magnitudes = None
        if len(got) != len(want):
            return "kind", f"{len(got)} outputs, not {len(want)}"
        for i, (g, w) in enumerate(zip(self.told(got), self.told(want))):
            found = agree.difference(g, w, self.entry.tolerance, narrow.get(i))
            if found and found[0] == "value" and self.entry.tolerance[0] == "sum":
                magnitudes = magnitudes or self.magnitude()
                if magnitudes:
                    found = agree.difference(
                        g, w, self.entry.tolerance, narrow.get(i), np.asarray(magnitudes[i])
                    )
            if found:
                return found[0], f"output {i}: {found[1]}"
        return None

    def compare_again(self, got, want):
        """As compare, in words; another shape is not worth finding out how much was added up."""
        narrow = self.narrow
        tolerance = self.entry.tolerance
        tolerance = ("loose", 1e-4) if tolerance[0] == "sum" else tolerance
        for i, (g, w) in enumerate(zip(self.told(got), self.told(want))):
            found = agree.difference(g, w, tolerance, narrow.get(i))
            if found and found[0] != "sign":
                return f"output {i}: {found[1]}"
        return None

    def judge(self, mark):
        return judge(self, mark)

    def save(self, folder):
        name = self.name.replace(" ", "-").replace(":", "-")
        models.save(folder, name, self.model, self.feeds)

    def detail(self):
        return models.text_of(self.model, self.feeds)


WAYS = [("all", None, 1), ("none", None, 1), ("all", "ref", 1), ("all", "portable", 2)]


def answers(trial):
    """[(way, outputs or Refused)] of Ingot: rewritten, as it is, and a weaker instruction set."""
    ways = WAYS[:2] + [WAYS[2 + trial.index % 2]]
    for opt, cpu, threads in ways:
        name = f"{opt}/{cpu or 'best'}"
        try:
            yield name, engines.ingot(trial.data, trial.feeds, opt, cpu, threads)
        except Refused as e:
            yield name, e


def judge(trial, mark=lambda stage: None):
    """The verdict on a trial; mark(stage) is told who runs next."""
    mark("ingot")
    found = list(answers(trial))
    mark("ort")
    refusals = []
    disagreement = None
    for oracle in trial.oracles():
        mark(oracle)
        try:
            want = trial.ask(oracle)
        except Refused as e:
            refusals.append((oracle, e))
            if e.has_kernel and all(isinstance(got, Refused) for _, got in found):
                return Verdict("passed", oracle="both refuse")
            continue
        problem = next(filter(None, (against(trial, way, got, want, oracle) for way, got in found)), None)
        if problem is None and oracle == "ort":
            wrong = again.problem(trial, trial.rng, mark, trial.compare_again, True)
            if wrong:
                return Verdict("failed", wrong, trial.detail(), oracle=oracle)
        if problem is None:
            return Verdict("passed", oracle=oracle)
        rule = explained.explanation(trial, oracle, problem[0])
        if rule and problem[0] == "type":  # the numbers must still agree
            rough = roughly(found[0][1], want)
            if rough and not explained.explanation(trial, oracle, rough[0]):
                rule, problem = None, rough
        if rule:
            return Verdict("explained", problem[1], rule=rule.name, oracle=oracle)
        disagreement = disagreement or (oracle, problem)
    if disagreement:
        oracle, problem = disagreement
        others = [o for o in trial.wants if o != oracle]
        text = f"{oracle}: {problem[1]}" + "".join(f"; {o}: {second(trial, o, found)}" for o in others)
        return Verdict("failed", f"[{problem[0]}] {text}", trial.detail(), oracle=oracle)
    return unanswered(trial, found, refusals)


def roughly(got, want):
    """Difference of outputs whose types are not the same: by the narrowest floats there are."""
    for i, (g, w) in enumerate(zip(got, want)):
        if isinstance(w, np.ndarray) and w.dtype.kind in "fiu":
            tolerance = ("loose", 2e-2) if w.dtype.kind == "f" else ("ulp", 0)
            found = agree.difference(g, w.astype(g.dtype), tolerance)
            if found:
                return found[0], f"output {i}, types apart: {found[1]}"
    return None


def singles(outputs):
    return [y.astype(np.float32) if getattr(y, "dtype", None) == np.float64 else y for y in outputs]


def against(trial, way, got, want, oracle):
    if isinstance(got, Refused):
        return "refused", f"{way} refuses: {got}"
    problem = trial.compare(got, want, oracle)
    return problem and (problem[0], f"{way}: {problem[1]}")


def second(trial, oracle, found):
    """What another oracle says, in a few words."""
    want = trial.wants[oracle]
    if isinstance(want, Refused):
        return f"refuses ({str(want)[:120]})"
    return next(filter(None, (against(trial, w, g, want, oracle) for w, g in found)), ("", "agrees"))[1]


def unanswered(trial, found, refusals):
    """No oracle has an answer. Ingot's own ways must still agree."""
    first = found[0][1]
    for way, got in found[1:]:
        if isinstance(got, Refused) != isinstance(first, Refused):
            text = f"{found[0][0]} and {way} do not both refuse: {first!s:.200} | {got!s:.200}"
            return Verdict("failed", "[levels] " + text, trial.detail())
        if not isinstance(got, Refused):
            problem = trial.compare(got, first)
            if problem:
                return Verdict("failed", f"[levels] {way}: {problem[1]}", trial.detail())
    if isinstance(first, Refused) and any(e.has_kernel for _, e in refusals):
        return Verdict("passed", oracle="both refuse")
    what = f"Ingot refuses: {first}" if isinstance(first, Refused) else "Ingot answers"
    why = refusals[0][1] if refusals else "all died"
    return Verdict("skipped", f"no oracle ({why!s:.100}); {what}")
