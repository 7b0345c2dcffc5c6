/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h: element types and run-time values. */
#ifndef IG_IR_TENSOR_H
#define IG_IR_TENSOR_H

#include "base/arena.h"

#define IG_MAX_RANK INGOT_MAX_RANK

/* A run-time value: what the public API calls ingot_value. One type from the API down to kernels.
 */
struct ingot_value {
    ingot_kind kind : 8;
    ingot_dtype dtype : 8; /* tensors: element type; sequences, optionals: of their tensors; maps:
                              of the values */
    ingot_mem_tag tag : 8; /* purpose under which owner counts struct, data, strings and items */
    bool owns_strings : 1; /* each ingot_string was allocated from owner */
    bool borrows_data : 1; /* data belongs to the caller even though owner is set */
    int16_t rank;
    int64_t dims[IG_MAX_RANK];
    void *data; /* tensors; row-major, contiguous; sub-byte types packed, low bits first; strings:
                   ingot_string[] */
    /* sequences, maps (keys, values), optionals */
    struct ingot_value **items;
    size_t n_items, cap_items;
    /* memory that ig_tensor_destroy gives back; NULL: borrowed */
    ig_alloc *owner;
    size_t data_bytes; /* owned bytes of data */
};
typedef struct ingot_value ig_tensor;

/* 27 bits, one an ingot_dtype. */
typedef uint32_t ig_dtype_set;
#define IG_T(dtype) ((ig_dtype_set)1 << (dtype))
#define IG_T_FLOATS                                                                                \
    (IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16))
#define IG_T_SIGNED (IG_T(INGOT_INT8) | IG_T(INGOT_INT16) | IG_T(INGOT_INT32) | IG_T(INGOT_INT64))
#define IG_T_UNSIGNED                                                                              \
    (IG_T(INGOT_UINT8) | IG_T(INGOT_UINT16) | IG_T(INGOT_UINT32) | IG_T(INGOT_UINT64))
#define IG_T_INTS (IG_T_SIGNED | IG_T_UNSIGNED)
#define IG_T_NUMERIC (IG_T_FLOATS | IG_T_INTS)
#define IG_T_BOOL IG_T(INGOT_BOOL)
#define IG_T_STRING IG_T(INGOT_STRING)
#define IG_T_COMPLEX (IG_T(INGOT_COMPLEX64) | IG_T(INGOT_COMPLEX128))
#define IG_T_ALL (~(ig_dtype_set)0 & ~IG_T(INGOT_UNDEFINED))

/* Bytes of n elements (rounded up for sub-byte types; sizeof(ingot_string) for strings); false on
 * overflow. */
bool ig_dtype_bytes(ingot_dtype dtype, int64_t n, size_t *out);
/* Size of an element in bytes; 0 for types below a byte. */
size_t ig_dtype_size(ingot_dtype dtype);
/* Type of the numbers that an element consists of, and how many: two of complex ones, real part
 * first; otherwise one of the type itself. */
static inline ingot_dtype ig_dtype_parts(ingot_dtype dtype, int *n)
{
    *n = IG_T(dtype) & IG_T_COMPLEX ? 2 : 1;
    if (dtype == INGOT_COMPLEX64) return INGOT_FLOAT;
    return dtype == INGOT_COMPLEX128 ? INGOT_DOUBLE : dtype;
}
/* Number of elements; -1 when a dimension is negative or above IG_DIM_MAX, or the product
 * overflows. */
int64_t ig_count(int rank, const int64_t *dims);
static inline int64_t ig_tensor_count(const ig_tensor *t) { return ig_count(t->rank, t->dims); }
/* Large constants stay where they are in the model file, at any address. Who reads one as an array
 * of its type asks first; packers, references and kernels are given aligned ones. Constants
 * smaller than this are always aligned. */
#define IG_MISALIGNED_MIN_BYTES 4096
bool ig_tensor_is_aligned(const ig_tensor *t);
bool ig_tensor_bytes(const ig_tensor *t, size_t *out);

/* Any element as a double / int64 and back, converting as a C cast does (saturating for integers;
 * NaN to integer is 0). Slow: for attributes, indices and references. Not for strings. */
double ig_get_f64(ingot_dtype dtype, const void *data, int64_t i);
int64_t ig_get_i64(ingot_dtype dtype, const void *data, int64_t i);
void ig_set_f64(ingot_dtype dtype, void *data, int64_t i, double x);
void ig_set_i64(ingot_dtype dtype, void *data, int64_t i, int64_t x);

/* IEEE half and bfloat16, round to nearest even. */
float ig_f16_to_f32(uint16_t h);
uint16_t ig_f32_to_f16(float x);
float ig_bf16_to_f32(uint16_t h);
uint16_t ig_f32_to_bf16(float x);

/* Tensor that owns zeroed memory from alloc. dims are checked (>= 0, product). */
ig_status ig_tensor_create(ig_alloc *alloc, ingot_mem_tag tag, ingot_dtype dtype, int rank,
                           const int64_t *dims, ig_tensor **out, ig_error *err) IG_MUST_USE;
/* Tensor in an arena, never destroyed singly. data NULL: zeroed memory of its own, else borrowed.
 */
ig_status ig_tensor_in_arena(ig_arena *arena, ingot_dtype dtype, int rank, const int64_t *dims,
                             void *data, ig_tensor **out, ig_error *err) IG_MUST_USE;
/* Values of any kind; items recursively. Accepts NULL. */
void ig_tensor_destroy(ig_tensor *t);
ig_status ig_tensor_copy(ig_alloc *alloc, ingot_mem_tag tag, const ig_tensor *src, ig_tensor **out,
                         ig_error *err) IG_MUST_USE;

/* "float32[1,3,224,224]" into buf (at most bytes, always terminated); returns buf. Unknown dims
 * print as "?". */
char *ig_shape_format(ingot_dtype dtype, int rank, const int64_t *dims, char *buf, size_t bytes);

#endif
