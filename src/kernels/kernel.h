/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h: what every kernel looks like to the planner, the tests and the benchmarks.
 *
 * A kernel computes part of an iteration space [0, n_work) from raw operands; what an index means
 * (row block, output tile, …) is the family's business. It is pure in its operands: the same
 * function serves one thread, many threads, tests and benchmarks, and the result does not depend on
 * how the space was split.
 */
#ifndef IG_KERNELS_KERNEL_H
#define IG_KERNELS_KERNEL_H

#include "base/cpu.h"
#include "base/team.h"

/* operands: inputs in the node's order (NULL where absent), then outputs, then scratch if the step
 * asked for some. params: the family's parameter struct, immutable. */
typedef void (*ig_kernel_fn)(const void *params, void *const *operands, ig_part part);

/* The activation at the end of a GEMM, convolution or elementwise kernel. */
typedef enum ig_act {
    IG_ACT_NONE = 0,
    IG_ACT_RELU,       /* max(x, 0) */
    IG_ACT_CLIP,       /* min(max(x, alpha), beta) */
    IG_ACT_LEAKY_RELU, /* x < 0 ? alpha*x : x */
    IG_ACT_SIGMOID,    /* 1 / (1 + exp(-x)) */
    IG_ACT_TANH,
    IG_ACT_HARD_SIGMOID, /* max(0, min(1, alpha*x + beta)) */
    IG_ACT_HARD_SWISH,   /* x * max(0, min(1, x/6 + 1/2)) */
    IG_ACT_SILU,         /* x * sigmoid(x) */
    IG_ACT_GELU,         /* x * (1 + erf(x / sqrt 2)) / 2 */
    IG_N_ACTS
} ig_act;

/* What happens to an accumulator before it is stored: y = act(acc + bias[n] + residual[m, n]). One
 * descriptor for all families; pointers to bias and residual are operands of the kernel, so they
 * are not here. */
typedef struct ig_epilogue {
    ig_act act;
    float alpha, beta;
} ig_epilogue;

#endif
