/* SPDX-License-Identifier: Apache-2.0 */
/* act.h: the activations of an epilogue, on vectors and, for references, on doubles. */
#ifndef IG_KERNELS_ACT_H
#define IG_KERNELS_ACT_H

#include "base/simd_math.h"
#include "kernels/kernel.h"

/* All of them hand a NaN on. */
IG_INLINE vf vf_act(const ig_epilogue *e, vf x)
{
    const vf alpha = vf_set1(e->alpha), beta = vf_set1(e->beta);
    const vf zero = vf_zero(), one = vf_set1(1.0f);
    switch (e->act) {
    case IG_ACT_RELU: return vf_max(zero, x);
    case IG_ACT_CLIP: return vf_min(beta, vf_max(alpha, x));
    case IG_ACT_LEAKY_RELU: return vf_select(x < zero, alpha * x, x);
    case IG_ACT_SIGMOID: return vf_sigmoid(x);
    case IG_ACT_TANH: return vf_tanh(x);
    case IG_ACT_HARD_SIGMOID: return vf_min(one, vf_max(zero, alpha * x + beta));
    case IG_ACT_HARD_SWISH:
        return x * vf_min(one, vf_max(zero, x * vf_set1(1.0f / 6.0f) + vf_set1(0.5f)));
    case IG_ACT_SILU: return x * vf_sigmoid(x);
    case IG_ACT_GELU: return x * vf_set1(0.5f) * (one + vf_erf(x * vf_set1(0.70710678118654752f)));
    case IG_ACT_NONE:
    case IG_N_ACTS: break;
    }
    return x;
}

/* The bounds of none, ReLU and clip as one clamp, vf_min(hi, vf_max(lo, x)); false for others. */
static inline bool ig_act_as_clamp(const ig_epilogue *e, float *lo, float *hi)
{
    *lo = -INFINITY;
    *hi = INFINITY;
    if (e->act == IG_ACT_RELU) *lo = 0;
    if (e->act == IG_ACT_CLIP) *lo = e->alpha, *hi = e->beta;
    return e->act == IG_ACT_NONE || e->act == IG_ACT_RELU || e->act == IG_ACT_CLIP;
}

/* The same functions for reference kernels. */
static inline double ig_act_ref(const ig_epilogue *e, double x)
{
    const double alpha = (double)e->alpha, beta = (double)e->beta;
    double t;
    if (isnan(x)) return x;
    switch (e->act) {
    case IG_ACT_RELU: return x > 0 ? x : 0;
    case IG_ACT_CLIP: t = x > alpha ? x : alpha; return t < beta ? t : beta;
    case IG_ACT_LEAKY_RELU: return x < 0 ? alpha * x : x;
    case IG_ACT_SIGMOID: return 1 / (1 + exp(-x));
    case IG_ACT_TANH: return tanh(x);
    case IG_ACT_HARD_SIGMOID: return fmax(0, fmin(1, alpha * x + beta));
    case IG_ACT_HARD_SWISH: return x * fmax(0, fmin(1, x / 6 + 0.5));
    case IG_ACT_SILU: return x / (1 + exp(-x));
    case IG_ACT_GELU: return 0.5 * x * (1 + erf(x * 0.70710678118654752));
    case IG_ACT_NONE:
    case IG_N_ACTS: break;
    }
    return x;
}

#endif
