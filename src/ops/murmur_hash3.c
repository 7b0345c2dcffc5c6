/* SPDX-License-Identifier: Apache-2.0 */
/* murmur_hash3.c: com.microsoft MurmurHash3: the 32-bit hash (x86 variant) of each element's bytes,
 * or of each string. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = ig_attr_int(c->node, "positive", 1) ? INGOT_UINT32 : INGOT_INT32;
    return INGOT_OK;
}

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static uint32_t scrambled(uint32_t k) { return rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u; }

static uint32_t hash(const uint8_t *p, size_t bytes, uint32_t seed)
{
    uint32_t h = seed, rest = 0;
    size_t i = 0;
    for (; i + 4 <= bytes; i += 4) {
        const uint32_t k = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8 | (uint32_t)p[i + 2] << 16 |
                           (uint32_t)p[i + 3] << 24;
        h = rotate(h ^ scrambled(k), 13) * 5 + 0xe6546b64u;
    }
    for (size_t b = bytes; b > i; b--) rest = rest << 8 | p[b - 1];
    if (i < bytes) h ^= scrambled(rest);
    h ^= (uint32_t)bytes;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    IG_TRY(ig_call_ready(c));
    const int64_t n = ig_tensor_count(x);
    const uint32_t seed = (uint32_t)ig_attr_int(c->node, "seed", 0);
    uint32_t *y = c->out[0]->data;
    if (x->dtype == INGOT_STRING) {
        const ingot_string *s = x->data;
        for (int64_t i = 0; i < n; i++) y[i] = hash((const uint8_t *)s[i].data, s[i].bytes, seed);
        return INGOT_OK;
    }
    const size_t bytes = ig_dtype_size(x->dtype);
    for (int64_t i = 0; i < n; i++)
        y[i] = hash((const uint8_t *)x->data + (size_t)i * bytes, bytes, seed);
    return INGOT_OK;
}

static const char *const cases[] = {
    "i32[2]{3,-4} seed=0 = u32[2]{847579505,3462397793}",
    "str{\"foo\",\"\",\"foo bar\",\"a\"}",
    "str{\"foo\"} positive=0 seed=42",
    "f32[2,3]",
    "f64[3]{0,1,-2}",
    "i64[3] positive=0",
    "u64[0]",
    "u32[]{7} seed=4294967295",
    "f16[2] ! float16",
    NULL,
};

const ig_op ig_op_murmur_hash3 = {
    .onnx = "MurmurHash3",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_INT32) | IG_T(INGOT_UINT32) | IG_T(INGOT_INT64) | IG_T(INGOT_UINT64) |
             IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
