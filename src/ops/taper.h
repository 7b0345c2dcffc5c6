/* SPDX-License-Identifier: Apache-2.0 */
/* taper.h: what HannWindow, HammingWindow and BlackmanWindow share:
 * a0 - a1 cos(x) + a2 cos(2x), with x from 0 to 2 pi. */
#ifndef IG_OPS_TAPER_H
#define IG_OPS_TAPER_H

#include "ops/op.h"

ig_status ig_infer_taper(ig_infer *c);
ig_status ig_ref_taper(ig_call *c, double a0, double a1, double a2);

#endif
