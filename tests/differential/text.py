# SPDX-License-Identifier: Apache-2.0
"""Entries of tokens and their hashes."""

import numpy as np
from onnx import TensorProto as TP

from draw import WORDS, Case
from entries import close, entry

MS = {"domain": "com.microsoft", "opsets": [1]}


def counting_grams(d):
    """TfIdfVectorizer: a pool of n-grams over few tokens, so that many occur."""
    longest = d.int(1, 3)
    shortest = d.int(1, longest)
    is_text = d.chance(0.3)
    tokens = ["a", "B", "", "日本"] if is_text else [0, 1, 2, -5]
    pool, counts, n = [], [], 0
    for length in range(1, longest + 1):
        counts.append(len(pool))
        grams = {tuple(d.pick(tokens) for _ in range(length)) for _ in range(d.int(1, 4))}
        pool += [t for gram in sorted(grams) for t in gram]
        n += len(grams)
    attributes = {
        "mode": d.pick(["TF", "IDF", "TFIDF"]),
        "min_gram_length": shortest,
        "max_gram_length": longest,
        "max_skip_count": d.pick([0, 0, 1, 2, 5]),
        "ngram_counts": counts,
        "ngram_indexes": d.rng.permutation(n + d.pick([0, 2]))[:n].tolist(),
        "pool_strings" if is_text else "pool_int64s": pool,
        "weights": d.maybe([float(np.float32(v)) for v in d.rng.uniform(0.1, 3, n)]),
    }
    shape = (d.int(1, 12),) if d.chance(0.5) else (d.int(1, 3), d.int(1, 9))
    x = d.values(shape, TP.STRING if is_text else d.type("T", [TP.INT32, TP.INT64]))
    chosen = [d.pick(tokens) for _ in range(x.values.size)]
    x.values = np.array(chosen, dtype=x.values.dtype).reshape(shape)
    return Case([x], attributes)


SENTENCES = ["a b", " a  b ", "one,two;;three", "ab12cd", "", "x", "日本 語", "é-é", "tab\tin", "a,b c"]
CUTS = [[" "], [","], [",", ";"], [" ", ","], [""], ["[0-9]+"], ["\\s"], ["b|1"]]
PIECES = [".", "[a-z]+", "[a-z]*", "\\d", "a|ab", "[^ ]+"]


def cutting(d):
    shape = (d.int(1, 4),) if d.chance(0.6) else (d.int(1, 2), d.int(1, 3))
    x = d.values(shape, TP.STRING)
    x.values = np.array([d.pick(SENTENCES + WORDS) for _ in range(x.values.size)], dtype=object).reshape(shape)
    separators = d.maybe(d.pick(CUTS), 0.6)
    attributes = {
        "mark": d.int(0, 1),
        "pad_value": d.pick(["#", "", "pad"]),
        "mincharnum": 1 if separators == [""] else d.int(1, 3),
        "separators": separators,
        "tokenexp": None if separators else d.pick(PIECES),
    }
    if attributes["tokenexp"] == ".":
        attributes["mincharnum"] = 1
    return Case([x], attributes)


def hashing(d):
    number = d.pick([TP.INT32, TP.UINT32, TP.INT64, TP.UINT64, TP.FLOAT, TP.DOUBLE, TP.STRING])
    attributes = {"seed": d.maybe(d.int(0, 2**31)), "positive": d.pick([None, 0, 1])}
    return Case([d.values(d.shape(), number, special=0.3)], attributes)


def repeating(d):
    """NGramRepeatBlock."""
    batch, length, words = d.int(1, 3), d.size(0.03), d.int(2, 8)
    ids = d.values((batch, length), TP.INT64, low=0, high=words - 1)
    return Case([ids, d.float32((batch, words))], {"ngram_size": d.int(1, 4)})


entry("TfIdfVectorizer", counting_grams, close(1e-6))
entry("Tokenizer", cutting, **MS)
entry("MurmurHash3", hashing, **MS)
entry("NGramRepeatBlock", repeating, **MS)
