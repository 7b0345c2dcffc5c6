/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: see random.h. */
#include "ops/random.h"

#include <math.h>
#include <string.h>

static void philox_round(uint32_t x[4], uint32_t k0, uint32_t k1)
{
    const uint64_t a = (uint64_t)0xd2511f53u * x[0], b = (uint64_t)0xcd9e8d57u * x[2];
    const uint32_t y[4] = { (uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b,
                            (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a };
    memcpy(x, y, sizeof y);
}

void ig_random_words(uint64_t key, uint64_t i, uint32_t out[4])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    out[0] = (uint32_t)i;
    out[1] = (uint32_t)(i >> 32);
    out[2] = out[3] = 0;
    for (int round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u)
        philox_round(out, k0, k1);
}

uint64_t ig_random_key(const ig_call *c)
{
    const ig_attr *seed = ig_node_attr(c->node, "seed");
    uint32_t bits;
    if (!seed) return c->seed;
    if (seed->kind == IG_ATTR_INT) return (uint64_t)seed->i; /* Dropout */
    if (seed->kind != IG_ATTR_FLOAT) return c->seed;
    memcpy(&bits, &seed->f, sizeof bits);
    return bits;
}

static double to_unit(uint32_t high, uint32_t low)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

double ig_random_uniform(uint64_t key, uint64_t i)
{
    uint32_t w[4];
    ig_random_words(key, i, w);
    return to_unit(w[0], w[1]);
}

double ig_random_normal(uint64_t key, uint64_t i)
{
    uint32_t w[4];
    ig_random_words(key, i, w);
    const double u = 1 - to_unit(w[0], w[1]); /* not 0 */
    return sqrt(-2 * log(u)) * cos(6.28318530717958647693 * to_unit(w[2], w[3]));
}

static ig_status fill(ig_call *c, ingot_dtype dtype, int rank, const int64_t *dims,
                      ig_random_number number, double offset, double factor)
{
    const uint64_t key = ig_random_key(c);
    const int64_t n = ig_count(rank, dims);
    IG_TRY(ig_call_output(c, 0, dtype, rank, dims));
    for (int64_t i = 0; c->out[0] && i < n; i++)
        ig_set_f64(dtype, c->out[0]->data, i, offset + factor * number(key, (uint64_t)i));
    return INGOT_OK;
}

/* Attribute dtype, else fallback; a float type or an error. */
static ig_status read_dtype(const ig_node *node, ingot_dtype fallback, ingot_dtype *out,
                            ig_error *err)
{
    const int64_t dtype = ig_attr_int(node, "dtype", fallback);
    *out = INGOT_FLOAT;
    if (dtype <= 0 || dtype >= INGOT_N_DTYPES || !(IG_T(dtype) & IG_T_FLOATS))
        return ig_fail(err, INGOT_ERR_INVALID, "dtype %lld is not a float type", (long long)dtype);
    *out = (ingot_dtype)dtype;
    return INGOT_OK;
}

/* Attribute shape. */
static ig_status read_shape(const ig_node *node, int *rank, int64_t dims[IG_MAX_RANK],
                            ig_error *err)
{
    size_t n;
    const int64_t *shape = ig_attr_ints(node, "shape", &n);
    *rank = 0;
    if (n > IG_MAX_RANK)
        return ig_fail(err, INGOT_ERR_LIMIT, "rank %zu, at most %d are supported", n, IG_MAX_RANK);
    for (size_t d = 0; d < n; d++) dims[d] = shape[d];
    if (ig_count((int)n, dims) < 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "attribute shape has a negative dimension or is "
                       "too large");
    *rank = (int)n;
    return INGOT_OK;
}

ig_status ig_random_infer(ig_infer *c)
{
    int64_t dims[IG_MAX_RANK];
    ingot_dtype dtype;
    int rank;
    IG_TRY(read_dtype(c->node, INGOT_FLOAT, &dtype, c->err));
    IG_TRY(read_shape(c->node, &rank, dims, c->err));
    ig_info_set_shape(&c->out[0], dtype, rank, dims);
    return INGOT_OK;
}

ig_status ig_random_ref(ig_call *c, ig_random_number number, double offset, double factor)
{
    int64_t dims[IG_MAX_RANK];
    ingot_dtype dtype;
    int rank;
    IG_TRY(read_dtype(c->node, INGOT_FLOAT, &dtype, c->err));
    IG_TRY(read_shape(c->node, &rank, dims, c->err));
    return fill(c, dtype, rank, dims, number, offset, factor);
}

/* The input's type unless it is none that can hold the numbers. */
static ig_status like_dtype(const ig_node *node, ingot_dtype input, ingot_dtype *out, ig_error *err)
{
    return read_dtype(node, (IG_T(input) & IG_T_FLOATS) ? input : INGOT_FLOAT, out, err);
}

ig_status ig_random_like_infer(ig_infer *c)
{
    ingot_dtype dtype;
    IG_TRY(like_dtype(c->node, c->in[0]->type.dtype, &dtype, c->err));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = dtype;
    return INGOT_OK;
}

ig_status ig_random_like_ref(ig_call *c, ig_random_number number, double offset, double factor)
{
    const ig_tensor *x = c->in[0];
    ingot_dtype dtype;
    IG_TRY(like_dtype(c->node, x->dtype, &dtype, c->err));
    return fill(c, dtype, x->rank, x->dims, number, offset, factor);
}
