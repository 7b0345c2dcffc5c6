# SPDX-License-Identifier: Apache-2.0
"""All entries together: importing this fills the register."""

import attention  # noqa: F401
import bits  # noqa: F401
import caches  # noqa: F401
import composites  # noqa: F401
import contrib  # noqa: F401
import decoding  # noqa: F401
import elementwise  # noqa: F401
import graphs
import learned  # noqa: F401
import networks  # noqa: F401
import optimizers  # noqa: F401
import quantized  # noqa: F401
import shapes  # noqa: F401
import text  # noqa: F401
import trees  # noqa: F401
from entries import ENTRIES

NOT_COMPARED = {  # operator: why no other engine is asked
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike": "random",
    "Optional": "engines hand out optionals in different forms; its inputs are tested",
    "EltwiseChain": "made by passes; the graphs have it",
}
GRAPH_KINDS = sorted(graphs.KINDS)


def keys(wanted):
    """Keys of the register in a fixed order, so that an index names the same case everywhere."""
    found = sorted(ENTRIES)
    return [k for k in found if not wanted or k[1] in wanted]


def without_entry(operators):
    """Names of those (domain, operator) that no entry and no reason above speaks of."""
    reasons = {name for names in NOT_COMPARED for name in names.split()}
    return sorted({f"{d}::{o}" if d else o for d, o in operators if (d, o) not in ENTRIES and o not in reasons})


def graph_kinds(wanted):
    return [k for k in GRAPH_KINDS if not wanted or k in wanted]
