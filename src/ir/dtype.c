/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.c: element types: names, sizes, counts. */
#include <string.h>

#include "ir/dim.h"
#include "ir/tensor.h"

typedef struct dtype_row {
    const char *name, *onnx;
    int bits;
} dtype_row;

static const dtype_row rows[INGOT_N_DTYPES] = {
    [INGOT_UNDEFINED] = { "undefined", "UNDEFINED", 0 },
    [INGOT_FLOAT] = { "float32", "FLOAT", 32 },
    [INGOT_UINT8] = { "uint8", "UINT8", 8 },
    [INGOT_INT8] = { "int8", "INT8", 8 },
    [INGOT_UINT16] = { "uint16", "UINT16", 16 },
    [INGOT_INT16] = { "int16", "INT16", 16 },
    [INGOT_INT32] = { "int32", "INT32", 32 },
    [INGOT_INT64] = { "int64", "INT64", 64 },
    [INGOT_STRING] = { "string", "STRING", 0 },
    [INGOT_BOOL] = { "bool", "BOOL", 8 },
    [INGOT_FLOAT16] = { "float16", "FLOAT16", 16 },
    [INGOT_DOUBLE] = { "float64", "DOUBLE", 64 },
    [INGOT_UINT32] = { "uint32", "UINT32", 32 },
    [INGOT_UINT64] = { "uint64", "UINT64", 64 },
    [INGOT_COMPLEX64] = { "complex64", "COMPLEX64", 64 },
    [INGOT_COMPLEX128] = { "complex128", "COMPLEX128", 128 },
    [INGOT_BFLOAT16] = { "bfloat16", "BFLOAT16", 16 },
    [INGOT_FLOAT8E4M3FN] = { "float8e4m3fn", "FLOAT8E4M3FN", 8 },
    [INGOT_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", "FLOAT8E4M3FNUZ", 8 },
    [INGOT_FLOAT8E5M2] = { "float8e5m2", "FLOAT8E5M2", 8 },
    [INGOT_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", "FLOAT8E5M2FNUZ", 8 },
    [INGOT_UINT4] = { "uint4", "UINT4", 4 },
    [INGOT_INT4] = { "int4", "INT4", 4 },
    [INGOT_FLOAT4E2M1] = { "float4e2m1", "FLOAT4E2M1", 4 },
    [INGOT_FLOAT8E8M0] = { "float8e8m0", "FLOAT8E8M0", 8 },
    [INGOT_UINT2] = { "uint2", "UINT2", 2 },
    [INGOT_INT2] = { "int2", "INT2", 2 },
};

static bool is_dtype(ingot_dtype dtype) { return (unsigned)dtype < INGOT_N_DTYPES; }

const char *ingot_dtype_name(ingot_dtype dtype)
{
    return is_dtype(dtype) ? rows[dtype].name : "undefined";
}

int ingot_dtype_bits(ingot_dtype dtype) { return is_dtype(dtype) ? rows[dtype].bits : 0; }

ingot_dtype ingot_dtype_parse(const char *name)
{
    if (!name) return INGOT_UNDEFINED;
    for (int i = 0; i < INGOT_N_DTYPES; i++)
        if (!strcmp(name, rows[i].name) || !strcmp(name, rows[i].onnx)) return (ingot_dtype)i;
    if (!strcmp(name, "double")) return INGOT_DOUBLE;
    return strcmp(name, "float") ? INGOT_UNDEFINED : INGOT_FLOAT;
}

bool ig_dtype_bytes(ingot_dtype dtype, int64_t n, size_t *out)
{
    if (n < 0 || (uint64_t)n > SIZE_MAX) return false;
    if (dtype == INGOT_STRING) return ig_size_mul((size_t)n, sizeof(ingot_string), out);
    const size_t bits = (size_t)ingot_dtype_bits(dtype);
    if (bits >= 8) return ig_size_mul((size_t)n, bits / 8, out);
    if (bits == 0) return *out = 0, n == 0;
    const size_t per_byte = 8 / bits;
    *out = (size_t)n / per_byte + ((size_t)n % per_byte != 0);
    return true;
}

size_t ig_dtype_size(ingot_dtype dtype)
{
    if (dtype == INGOT_STRING) return sizeof(ingot_string);
    return (size_t)ingot_dtype_bits(dtype) / 8;
}

int64_t ig_count(int rank, const int64_t *dims)
{
    int64_t n = 1;
    bool is_zero = false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0 || dims[i] > IG_DIM_MAX) return -1;
        /* A zero anywhere makes the tensor empty, however large the other dimensions are. */
        if (dims[i] == 0) is_zero = true;
    }
    if (is_zero) return 0;
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(n, dims[i], &n)) return -1;
    return n;
}

bool ig_tensor_bytes(const ig_tensor *t, size_t *out)
{
    return ig_dtype_bytes(t->dtype, ig_tensor_count(t), out);
}
