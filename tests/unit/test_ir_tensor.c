/* SPDX-License-Identifier: Apache-2.0 */
/* Element types, conversions, tensors. */
#include <math.h>

#include "check.h"
#include "ir/dim.h"
#include "ir/tensor.h"

static void names(void)
{
    for (int i = 1; i < INGOT_N_DTYPES; i++)
        CHECK(ingot_dtype_parse(ingot_dtype_name((ingot_dtype)i)) == (ingot_dtype)i);
    CHECK(ingot_dtype_parse("FLOAT") == INGOT_FLOAT && ingot_dtype_bits(INGOT_INT4) == 4);
    CHECK(ingot_dtype_parse("nothing") == INGOT_UNDEFINED && ingot_dtype_bits(INGOT_STRING) == 0);
    size_t bytes;
    CHECK(ig_dtype_bytes(INGOT_INT4, 5, &bytes) && bytes == 3);
    CHECK(ig_dtype_bytes(INGOT_UINT2, 5, &bytes) && bytes == 2);
    CHECK(!ig_dtype_bytes(INGOT_DOUBLE, INT64_MAX, &bytes));
    CHECK(ig_count(3, (int64_t[]){ 2, 3, 4 }) == 24 && ig_count(0, NULL) == 1);
    CHECK(ig_count(2, (int64_t[]){ INT64_MAX, 2 }) == -1 && ig_count(1, (int64_t[]){ -1 }) == -1);
    /* A zero makes a tensor empty, but no dimension may be what no graph can hold. */
    CHECK(ig_count(3, (int64_t[]){ IG_DIM_MAX, IG_DIM_MAX, 0 }) == 0);
    CHECK(ig_count(2, (int64_t[]){ 0, IG_DIM_MAX + 1 }) == -1);
}

/* Nearest 16-bit float by search over all of them, ties to even: the definition. */
static uint16_t nearest(float x, float (*decode)(uint16_t), uint16_t infinity)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double a = fabs((double)x);
    uint32_t low = 0, high = infinity;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if ((double)decode((uint16_t)middle) <= a)
            low = middle;
        else
            high = middle;
    }
    const double below = (double)decode((uint16_t)low);
    /* Infinity stands where the next finite number would. */
    const double above = high == infinity ? 2 * below - (double)decode((uint16_t)(low - 1))
                                          : (double)decode((uint16_t)high);
    const bool is_up = isinf(a) || a - below > above - a || (a - below == above - a && low % 2);
    return (uint16_t)(sign | (is_up ? high : low));
}

static void halves(void)
{
    bool f16 = true, bf16 = true, f16_round = true, bf16_round = true;
    for (uint32_t h = 0; h < 65536; h++) {
        const float x = ig_f16_to_f32((uint16_t)h), y = ig_bf16_to_f32((uint16_t)h);
        if (!isnan(x)) f16 &= ig_f32_to_f16(x) == h;
        if (!isnan(y)) bf16 &= ig_f32_to_bf16(y) == h;
        f16 &= !!isnan(x) == ((h & 0x7fff) > 0x7c00);
    }
    CHECK(f16 && bf16);
    uint32_t u = 12345;
    for (int i = 0; i < 300000; i++) {
        float x;
        u = u * 1664525u + 1013904223u;
        uint32_t bits = u;
        if (i % 2) bits = (bits & 0x80ffffffu) | (0x33000000u + (u >> 8 & 0x1f) * 0x00800000u);
        if (i % 7 == 0) bits &= ~0xfffu; /* ties */
        if (i % 11 == 0) bits = (bits & ~0x1fffu) | 0x1000u;
        if (i % 13 == 0) bits = (bits & ~0xffffu) | 0x8000u;
        memcpy(&x, &bits, sizeof x);
        if (isnan(x)) continue;
        f16_round &= ig_f32_to_f16(x) == nearest(x, ig_f16_to_f32, 0x7c00);
        bf16_round &= ig_f32_to_bf16(x) == nearest(x, ig_bf16_to_f32, 0x7f80);
    }
    CHECK(f16_round);
    CHECK(bf16_round);
    CHECK(isnan(ig_f16_to_f32(ig_f32_to_f16(NAN))) && isnan(ig_bf16_to_f32(ig_f32_to_bf16(NAN))));
    /* One rounding from double: 1 + 2^-11 + 2^-40 lies just above a tie that float would hit. */
    uint16_t h;
    ig_set_f64(INGOT_FLOAT16, &h, 0, 1 + 0x1p-11 + 0x1p-40);
    CHECK(h == 0x3c01);
}

static double through(ingot_dtype dtype, double x)
{
    uint64_t cell = 0;
    ig_set_f64(dtype, &cell, 0, x);
    return ig_get_f64(dtype, &cell, 0);
}

static void small_floats(void)
{
    static const ingot_dtype types[] = { INGOT_FLOAT8E4M3FN, INGOT_FLOAT8E4M3FNUZ, INGOT_FLOAT8E5M2,
                                         INGOT_FLOAT8E5M2FNUZ, INGOT_FLOAT8E8M0 };
    for (size_t t = 0; t < IG_COUNT(types); t++) {
        bool ok = true;
        for (int code = 0; code < 256; code++) {
            uint8_t byte = (uint8_t)code, back = 0;
            const double x = ig_get_f64(types[t], &byte, 0);
            if (isnan(x) || isinf(x)) continue;
            ig_set_f64(types[t], &back, 0, x);
            ok &= back == byte;
        }
        CHECK(ok);
        CHECK(isnan(through(types[t], (double)NAN)));
    }
    CHECK(through(INGOT_FLOAT8E4M3FN, 1e9) == 448 && through(INGOT_FLOAT8E4M3FNUZ, -1e9) == -240);
    CHECK(through(INGOT_FLOAT8E5M2, (double)INFINITY) == 57344);
    CHECK(through(INGOT_FLOAT8E4M3FN, 17) == 16 && through(INGOT_FLOAT8E4M3FN, 19) == 20);
    CHECK(through(INGOT_FLOAT8E4M3FN, 0x1p-10) == 0 &&
          through(INGOT_FLOAT8E4M3FN, 0x1.8p-10) == 0x1p-9);
    CHECK(through(INGOT_FLOAT4E2M1, 2.5) == 2 && through(INGOT_FLOAT4E2M1, -100) == -6);
    CHECK(through(INGOT_FLOAT8E8M0, 3) == 4 && through(INGOT_FLOAT8E8M0, 0.5) == 0.5);
}

static void integers(void)
{
    CHECK(through(INGOT_INT8, 1e9) == 127 && through(INGOT_INT8, -1e9) == -128);
    CHECK(through(INGOT_UINT8, -3) == 0 && through(INGOT_INT32, -2.9) == -2);
    CHECK(through(INGOT_INT64, (double)NAN) == 0 && through(INGOT_UINT4, 99) == 15);
    CHECK(through(INGOT_INT2, -5) == -2 && through(INGOT_BOOL, 0.5) == 1);
    CHECK(through(INGOT_UINT64, 1e30) == 0x1p64);
    uint8_t nibbles[2] = { 0 };
    for (int i = 0; i < 4; i++) ig_set_i64(INGOT_INT4, nibbles, i, i - 2);
    CHECK(nibbles[0] == 0xfe && nibbles[1] == 0x10);
    for (int i = 0; i < 4; i++) CHECK(ig_get_i64(INGOT_INT4, nibbles, i) == i - 2);
    uint8_t crumbs = 0;
    for (int i = 0; i < 4; i++) ig_set_i64(INGOT_UINT2, &crumbs, i, i);
    CHECK(crumbs == 0xe4 && ig_get_i64(INGOT_INT2, &crumbs, 3) == -1);
}

static void tensors(void)
{
    ig_alloc alloc;
    ig_alloc_init(&alloc, NULL, 0);
    ig_tensor *t = NULL, *copy = NULL;
    ig_error err = { 0 };
    char text[64];
    CHECK(!ig_tensor_create(&alloc, INGOT_MEM_VALUE, INGOT_STRING, 1, (int64_t[]){ 2 }, &t, &err));
    char *word = ig_alloc_get(&alloc, 3, 1, INGOT_MEM_VALUE);
    memcpy(word, "abc", 3);
    ((ingot_string *)t->data)[1] = (ingot_string){ word, 3 };
    CHECK(!ig_tensor_copy(&alloc, INGOT_MEM_OTHER, t, &copy, &err));
    CHECK(!memcmp(((ingot_string *)copy->data)[1].data, "abc", 3));
    ig_tensor_destroy(t);
    ig_tensor_destroy(copy);
    ig_tensor_destroy(NULL);
    for (int k = 1; k < 6; k++) {
        atomic_store(&alloc.fail_countdown, k);
        atomic_store(&alloc.is_failing, false);
        ig_error_clear(&err);
        if (!ig_tensor_create(&alloc, INGOT_MEM_VALUE, INGOT_FLOAT, 1, (int64_t[]){ 9 }, &t, &err))
            ig_tensor_destroy(t);
        else
            CHECK(err.status == INGOT_ERR_NOMEM && !t);
    }
    atomic_store(&alloc.fail_countdown, 0);
    atomic_store(&alloc.is_failing, false);
    CHECK(atomic_load(&alloc.total) == 0);
    ig_error_clear(&err);
    CHECK(ig_tensor_create(&alloc, INGOT_MEM_VALUE, INGOT_FLOAT, 2, (int64_t[]){ INT64_MAX, 9 }, &t,
                           &err) == INGOT_ERR_SHAPE);
    CHECK(ig_tensor_create(&alloc, INGOT_MEM_VALUE, INGOT_FLOAT, 99, NULL, &t, NULL) != INGOT_OK);
    CHECK_STRING(ig_shape_format(INGOT_FLOAT, 3, (int64_t[]){ 1, -1, 3 }, text, sizeof text),
                 "float32[1,?,3]");
    CHECK(strlen(ig_shape_format(INGOT_FLOAT, 3, (int64_t[]){ 1, -1, 3 }, text, 5)) == 4);
}

int main(void)
{
    names();
    halves();
    small_floats();
    integers();
    tensors();
    return check_report();
}
