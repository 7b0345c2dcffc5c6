/* SPDX-License-Identifier: Apache-2.0 */
/* Random tile programs against a reference that evaluates element by element. */
#include "../tests/kernels/light.h"
#include "kernels/eltwise/eltwise.h"
#include "kernels/isa_table.h"

#define PRIM(what, n)                                                                              \
    IG_ISA_DECLARE(void, ig_k_eltwise_##what##_f32,                                                \
                   (float *, const float *, const float *, const float *, const float *, int64_t)) \
    static const ig_prim prim_##what = { .name = #what,                                            \
                                         .n_sources = (n),                                         \
                                         .fn = IG_ISA_TABLE(ig_k_eltwise_##what##_f32) };
PRIM(test_neg, 1)
PRIM(test_scale, 1)
PRIM(test_add, 2)
PRIM(test_mul, 2)
PRIM(test_max, 2)
PRIM(test_where, 3)
static const ig_prim *const prims[] = { &prim_test_neg, &prim_test_scale, &prim_test_add,
                                        &prim_test_mul, &prim_test_max,   &prim_test_where };

void ig_test_eltwise(void);

static float eval_prim(const ig_prim *prim, float a, float b, float c, const float *p)
{
    if (prim == &prim_test_neg) return -a;
    if (prim == &prim_test_scale) {
        const float product = a * p[0];
        return product + p[1];
    }
    if (prim == &prim_test_add) return a + b;
    if (prim == &prim_test_mul) return a * b;
    if (prim == &prim_test_max) return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
    return a != 0 ? b : c;
}

/* ---- element types, one at a time ---- */

static int dtype_bytes(ingot_dtype t)
{
    switch (t) {
    case INGOT_FLOAT:
    case INGOT_INT32: return 4;
    case INGOT_INT64: return 8;
    case INGOT_FLOAT16:
    case INGOT_BFLOAT16:
    case INGOT_UINT16:
    case INGOT_INT16: return 2;
    default: return 1;
    }
}

static float half_to_float(uint16_t h)
{
    const int e = h >> 10 & 31, f = h & 1023;
    const float s = h & 0x8000 ? -1.0f : 1.0f;
    if (e == 31) return f ? NAN : s * INFINITY;
    return s * (e ? ldexpf(1024.0f + (float)f, e - 25) : ldexpf((float)f, -24));
}
/* Nearest of all halves, even on ties: slow and obvious. */
static uint16_t float_to_half(float x)
{
    if (isnan(x)) return 0x7e00;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double a = fabs((double)x);
    if (a >= 65520) return sign | 0x7c00;
    int e;
    frexp(a, &e);
    if (e < -13) e = -13;
    const double unit = ldexp(1, e - 11);
    const double n = nearbyint(a / unit); /* 0 … 2048 */
    if (a == 0) return sign;
    return (uint16_t)(sign + (unsigned)(e + 13) * 1024 + (unsigned)n);
}

static float get(ingot_dtype t, const void *base, int64_t i)
{
    uint32_t bits;
    float f;
    switch (t) {
    case INGOT_FLOAT: return ((const float *)base)[i];
    case INGOT_FLOAT16: return half_to_float(((const uint16_t *)base)[i]);
    case INGOT_BFLOAT16:
        bits = (uint32_t)((const uint16_t *)base)[i] << 16;
        memcpy(&f, &bits, 4);
        return f;
    case INGOT_BOOL: return ((const uint8_t *)base)[i] != 0;
    case INGOT_UINT8: return ((const uint8_t *)base)[i];
    case INGOT_INT8: return ((const int8_t *)base)[i];
    case INGOT_UINT16: return ((const uint16_t *)base)[i];
    case INGOT_INT16: return ((const int16_t *)base)[i];
    case INGOT_INT32: return (float)((const int32_t *)base)[i];
    default: return (float)((const int64_t *)base)[i];
    }
}

/* Does element i of type t hold what storing x must give? */
static bool holds(ingot_dtype t, const void *base, int64_t i, float x)
{
    const float got = get(t, base, i);
    uint16_t h;
    uint32_t bits;
    double lo, hi;
    switch (t) {
    case INGOT_FLOAT: return isnan(x) ? isnan(got) : memcmp(&got, &x, 4) == 0;
    case INGOT_FLOAT16:
        h = ((const uint16_t *)base)[i];
        return isnan(x) ? isnan(got) : h == float_to_half(x);
    case INGOT_BFLOAT16:
        memcpy(&bits, &x, 4);
        if (isnan(x)) return isnan(got);
        bits += 0x7fff + (bits >> 16 & 1);
        return ((const uint16_t *)base)[i] == bits >> 16;
    case INGOT_BOOL: return ((const uint8_t *)base)[i] == (x != 0);
    case INGOT_UINT8: lo = 0, hi = 255; break;
    case INGOT_INT8: lo = -128, hi = 127; break;
    case INGOT_UINT16: lo = 0, hi = 65535; break;
    case INGOT_INT16: lo = -32768, hi = 32767; break;
    case INGOT_INT32:
        return ((const int32_t *)base)[i] == (x >= 2147483648.0f    ? INT32_MAX
                                              : x >= -2147483648.0f ? (int32_t)rintf(x)
                                                                    : INT32_MIN);
    default:
        return ((const int64_t *)base)[i] == (x >= 9223372036854775808.0f    ? INT64_MAX
                                              : x >= -9223372036854775808.0f ? (int64_t)rintf(x)
                                                                             : INT64_MIN);
    }
    const double want = isnan(x) ? 0 : fmin(fmax(nearbyint(x), lo), hi);
    return (double)got == want;
}

static void fill(ingot_dtype t, void *base, int64_t n)
{
    if (t == INGOT_FLOAT)
        for (int64_t i = 0; i < n; i++) ((float *)base)[i] = light_special();
    else if (t == INGOT_INT64)
        for (int64_t i = 0; i < n; i++)
            ((int64_t *)base)[i] = (int64_t)light_rng() >> light_int(0, 63);
    else
        for (int64_t i = 0; i < n * dtype_bytes(t); i++)
            ((uint8_t *)base)[i] = (uint8_t)light_rng();
}

/* ---- random programs ---- */

static const ingot_dtype dtypes[] = { INGOT_FLOAT, INGOT_FLOAT16, INGOT_BFLOAT16, INGOT_BOOL,
                                      INGOT_UINT8, INGOT_INT8,    INGOT_UINT16,   INGOT_INT16,
                                      INGOT_INT32, INGOT_INT64 };

static ingot_dtype random_dtype(void)
{
    return light_int(0, 2) ? INGOT_FLOAT : dtypes[light_int(0, (int64_t)IG_COUNT(dtypes) - 1)];
}

static void random_dims(int *rank, int64_t *dims)
{
    static const int64_t sizes[] = { 1, 1, 2, 3, 5, 7, 8, 16, 17, 33, 64, 100 };
    *rank = (int)light_int(0, 5);
    int64_t n = 1;
    for (int d = 0; d < *rank; d++) {
        dims[d] = sizes[light_int(0, (int64_t)IG_COUNT(sizes) - 1)];
        if (d == *rank - 1 && light_int(0, 3) == 0) dims[d] = light_int(1000, 9000);
        if (n * dims[d] > 30000) dims[d] = 1;
        n *= dims[d];
    }
    if (*rank > 0 && light_int(0, 60) == 0) dims[light_int(0, *rank - 1)] = 0;
}

static void random_program(ig_eltwise_program *p)
{
    *p = (ig_eltwise_program){ .n_in = (int)light_int(1, 4),
                               .n_out = (int)light_int(1, 3),
                               .n_instrs = (int)light_int(0, 8) };
    int rank;
    int64_t dims[INGOT_MAX_RANK];
    random_dims(&rank, dims);
    for (int i = 0; i < p->n_in; i++) {
        ig_eltwise_operand *o = &p->in[i];
        o->dtype = random_dtype();
        const int drop = light_int(0, 2) ? 0 : (int)light_int(0, rank);
        o->rank = rank - drop;
        const bool is_full = light_int(0, 1);
        for (int d = 0; d < o->rank; d++)
            o->dims[d] = !is_full && light_int(0, 1) ? 1 : dims[d + drop];
    }
    int n_regs = p->n_in;
    for (int i = 0; i < p->n_instrs; i++) {
        ig_eltwise_instr *in = &p->instrs[i];
        in->prim = prims[light_int(0, (int64_t)IG_COUNT(prims) - 1)];
        for (int s = 0; s < 3; s++)
            in->src[s] = s < in->prim->n_sources ? (int8_t)light_int(0, n_regs - 1) : (int8_t)-1;
        in->dst = (int8_t)light_int(0, n_regs);
        if (in->dst == n_regs) n_regs++;
        for (int k = 0; k < IG_PRIM_N_PARAMS; k++) in->params[k] = light_float(-2, 2);
    }
    for (int o = 0; o < p->n_out; o++) {
        p->out[o].dtype = random_dtype();
        p->out[o].rank = rank;
        memcpy(p->out[o].dims, dims, sizeof dims);
        p->out_reg[o] = (int8_t)light_int(0, n_regs - 1);
    }
}

static int64_t count(const ig_eltwise_operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->dims[d];
    return n;
}

static int64_t broadcast_index(const ig_eltwise_operand *o, const ig_eltwise_operand *out,
                               int64_t i)
{
    int64_t at = 0, stride = 1;
    for (int d = out->rank - 1, k = o->rank - 1; k >= 0; d--, k--) {
        const int64_t x = i % out->dims[d];
        i /= out->dims[d];
        if (o->dims[k] != 1) at += x * stride;
        stride *= o->dims[k];
    }
    return at;
}

static bool check_outputs(const ig_eltwise_program *p, void *const *in, void *const *out)
{
    const int64_t n = count(&p->out[0]);
    for (int64_t i = 0; i < n; i++) {
        float regs[IG_ELTWISE_MAX_REGS];
        for (int k = 0; k < p->n_in; k++)
            regs[k] = get(p->in[k].dtype, in[k], broadcast_index(&p->in[k], &p->out[0], i));
        for (int k = 0; k < p->n_instrs; k++) {
            const ig_eltwise_instr *s = &p->instrs[k];
            regs[s->dst] = eval_prim(s->prim, regs[s->src[0]], s->src[1] < 0 ? 0 : regs[s->src[1]],
                                     s->src[2] < 0 ? 0 : regs[s->src[2]], s->params);
        }
        for (int o = 0; o < p->n_out; o++)
            if (!light_check(
                    holds(p->out[o].dtype, out[o], i, regs[p->out_reg[o]]),
                    "eltwise: output %d type %d element %lld of %lld: got %g, stored from %.9g", o,
                    (int)p->out[o].dtype, (long long)i, (long long)n,
                    (double)get(p->out[o].dtype, out[o], i), (double)regs[p->out_reg[o]]))
                return false;
    }
    return true;
}

static void test_program(const ig_eltwise_program *p, ig_isa isa)
{
    void *in[IG_ELTWISE_MAX_OPERANDS], *operands[IG_ELTWISE_MAX_OPERANDS];
    const int64_t n = count(&p->out[0]);
    ig_eltwise_params *params = calloc(1, ig_eltwise_params_bytes(p));
    ig_error err = { 0 };
    int64_t n_work, grain;
    const ig_status status = ig_eltwise_plan(p, isa, params, &n_work, &grain, &err);
    if (!light_check(status == INGOT_OK && grain >= 1, "eltwise plan: %s", err.message)) {
        free(params);
        return;
    }
    for (int i = 0; i < p->n_in; i++) {
        const size_t bytes = (size_t)count(&p->in[i]) * (size_t)dtype_bytes(p->in[i].dtype);
        in[i] = light_alloc(bytes);
        fill(p->in[i].dtype, in[i], count(&p->in[i]));
        operands[i] = light_alloc(bytes);
        memcpy(operands[i], in[i], bytes);
    }
    const bool in_place = light_int(0, 1);
    bool is_taken[IG_ELTWISE_MAX_OPERANDS] = { false };
    for (int o = 0; o < p->n_out; o++) {
        const int bytes = dtype_bytes(p->out[o].dtype);
        operands[p->n_in + o] = NULL;
        for (int i = 0; in_place && i < p->n_in && !operands[p->n_in + o]; i++)
            if (!is_taken[i] && count(&p->in[i]) == n && dtype_bytes(p->in[i].dtype) == bytes)
                operands[p->n_in + o] = operands[i], is_taken[i] = true;
        if (!operands[p->n_in + o]) operands[p->n_in + o] = light_alloc((size_t)(n * bytes));
    }
    light_run(ig_k_eltwise, params, operands, n_work, light_int(0, 1));
    check_outputs(p, in, operands + p->n_in);
    for (int o = 0; o < p->n_out; o++) light_free(operands[p->n_in + o]);
    for (int i = 0; i < p->n_in; i++) {
        light_free(in[i]);
        if (!is_taken[i]) light_free(operands[i]);
    }
    free(params);
}

static void test_errors(ig_isa isa)
{
    ig_eltwise_program p = { .n_in = 2, .n_out = 1, .n_instrs = 1 };
    p.in[0] = (ig_eltwise_operand){ INGOT_FLOAT, 1, { 3 } };
    p.in[1] = (ig_eltwise_operand){ INGOT_FLOAT, 1, { 4 } };
    p.out[0] = (ig_eltwise_operand){ INGOT_FLOAT, 1, { 4 } };
    p.instrs[0] = (ig_eltwise_instr){ &prim_test_add, 2, { 0, 1, -1 }, { 0 } };
    p.out_reg[0] = 2;
    ig_eltwise_params *params = calloc(1, ig_eltwise_params_bytes(&p));
    int64_t n_work, grain;
    ig_error err = { 0 };
    light_check(ig_eltwise_plan(&p, isa, params, &n_work, &grain, &err) == INGOT_ERR_SHAPE,
                "eltwise: 3 must not broadcast to 4");
    p.in[0].dims[0] = 4, p.in[0].dtype = INGOT_DOUBLE, err = (ig_error){ 0 };
    light_check(ig_eltwise_plan(&p, isa, params, &n_work, &grain, &err) == INGOT_ERR_UNSUPPORTED,
                "eltwise: double must be refused");
    p.in[0].dtype = INGOT_FLOAT, p.instrs[0].src[1] = 7, err = (ig_error){ 0 };
    light_check(ig_eltwise_plan(&p, isa, params, &n_work, &grain, &err) == INGOT_ERR_INTERNAL,
                "eltwise: register 7 is not set");
    free(params);
}

void ig_test_eltwise(void)
{
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        test_errors(isa);
        for (int k = 0; k < 1500 && light_n_failed() < 20; k++) {
            ig_eltwise_program p;
            random_program(&p);
            test_program(&p, isa);
        }
    }
}
