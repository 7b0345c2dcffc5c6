/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unique.c: each different element (or slice along `axis`) once, sorted or in order of first
 * occurrence; with the index of the first occurrence, the inverse map, and counts. All NaNs count
 * as one value, above all numbers; -0 equals 0. Complex numbers are sorted by their real parts,
 * equal ones by the imaginary parts.
 */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    const bool has_axis = ig_node_attr(c->node, "axis") != NULL;
    const ig_dim n = ig_dim_born(c->dims);
    ig_dim dims[IG_MAX_RANK], n_all;
    int axis;
    for (int i = 1; i < c->n_out; i++) ig_info_set_shape(&c->out[i], INGOT_INT64, 1, &n);
    if (!has_axis) ig_info_set_shape(&c->out[0], in->type.dtype, 1, &n);
    if (in->rank < 0) {
        n_all = ig_dim_born(c->dims);
    } else if (has_axis) {
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
        for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
        n_all = dims[axis];
        dims[axis] = n;
        ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    } else {
        n_all = ig_info_count(c->dims, in);
    }
    if (c->n_out > 2) ig_info_set_shape(&c->out[2], INGOT_INT64, 1, &n_all);
    return INGOT_OK;
}

/* n slices of m numbers (elements, or parts of complex ones); slice s, number j: keys[s * m + j],
 * or strings. */
typedef struct slices {
    int64_t n, m, outer, inner;
    const uint64_t *keys;
    const ingot_string *strings;
} slices;

static int compare_strings(ingot_string a, ingot_string b)
{
    const size_t n = a.bytes < b.bytes ? a.bytes : b.bytes;
    const int order = n ? memcmp(a.data, b.data, n) : 0;
    return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int compare(const slices *s, int64_t a, int64_t b)
{
    for (int64_t j = 0; j < s->m; j++) {
        if (s->strings) {
            const int64_t at = j / s->inner * s->n * s->inner + j % s->inner;
            const int order =
                compare_strings(s->strings[at + a * s->inner], s->strings[at + b * s->inner]);
            if (order) return order;
        } else if (s->keys[a * s->m + j] != s->keys[b * s->m + j]) {
            return s->keys[a * s->m + j] < s->keys[b * s->m + j] ? -1 : 1;
        }
    }
    return 0;
}

/* Stable merge sort of indices; both arrays have s->n entries. Returns the one with the result. */
static int64_t *sort(const slices *s, int64_t *order, int64_t *other)
{
    for (int64_t width = 1; width < s->n; width *= 2) {
        for (int64_t low = 0; low < s->n; low += 2 * width) {
            const int64_t mid = low + width < s->n ? low + width : s->n;
            const int64_t high = low + 2 * width < s->n ? low + 2 * width : s->n;
            for (int64_t i = low, a = low, b = mid; i < high; i++) {
                const bool from_a = a < mid && (b >= high || compare(s, order[a], order[b]) <= 0);
                other[i] = from_a ? order[a++] : order[b++];
            }
        }
        int64_t *swap = order;
        order = other;
        other = swap;
    }
    return order;
}

static ig_status make_slices(ig_call *c, slices *s)
{
    const ig_tensor *in = c->in[0];
    int axis = 0, n_parts;
    const ingot_dtype part = ig_dtype_parts(in->dtype, &n_parts);
    s->n = ig_tensor_count(in);
    s->outer = s->inner = 1;
    if (ig_node_attr(c->node, "axis")) {
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
        s->n = in->dims[axis];
        s->outer = ig_count(axis, in->dims);
        s->inner = ig_count(in->rank - axis - 1, in->dims + axis + 1);
    }
    s->m = s->outer * s->inner * n_parts;
    const int64_t row = s->inner * n_parts;
    if (in->dtype == INGOT_STRING) {
        s->strings = in->data;
        return INGOT_OK;
    }
    uint64_t *keys = ig_arena_array(c->scratch, (size_t)(s->n * s->m), sizeof *keys);
    if (!keys) return IG_NOMEM(c->err, (size_t)(s->n * s->m) * sizeof *keys);
    s->keys = keys;
    for (int64_t k = 0; k < s->n; k++)
        for (int64_t o = 0; o < s->outer; o++)
            if (!ig_sort_keys(part, in->data, (o * s->n + k) * row, 1, row,
                              keys + k * s->m + o * row))
                return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                               ingot_dtype_name(in->dtype));
    return INGOT_OK;
}

/* Number the groups of equal slices: group[s] of each slice, first[g] and count[g] of each group;
 * returns their number. */
static int64_t number_groups(const slices *s, const int64_t *order, bool sorted, int64_t *group,
                             int64_t *first, int64_t *count, int64_t *renamed)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (i == 0 || compare(s, order[i - 1], order[i]) != 0) {
            first[n] = order[i]; /* the sort is stable: the lowest index */
            count[n++] = 0;
        }
        group[order[i]] = n - 1;
        count[n - 1]++;
    }
    if (sorted) return n;
    int64_t next = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (first[group[i]] == i) renamed[group[i]] = next++;
    for (int64_t i = 0; i < s->n; i++) group[i] = renamed[group[i]];
    for (int64_t i = 0; i < n; i++) count[i] = 0;
    for (int64_t i = s->n - 1; i >= 0; i--) {
        first[group[i]] = i;
        count[group[i]]++;
    }
    return n;
}

static ig_status write_values(ig_call *c, const slices *s, const int64_t *first, int64_t n)
{
    const ig_tensor *in = c->in[0];
    int64_t dims[IG_MAX_RANK] = { n };
    int rank = 1, axis = 0;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    if (ig_node_attr(c->node, "axis")) {
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
        rank = in->rank;
        for (int d = 0; d < rank; d++) dims[d] = d == axis ? n : in->dims[d];
    }
    IG_TRY(ig_call_output(c, 0, in->dtype, rank, dims));
    if (!c->out[0]) return INGOT_OK;
    const size_t row = (size_t)s->inner * bytes;
    for (int64_t o = 0; o < s->outer && row > 0; o++)
        for (int64_t g = 0; g < n; g++)
            memcpy((char *)c->out[0]->data + (size_t)(o * n + g) * row,
                   (const char *)in->data + (size_t)(o * s->n + first[g]) * row, row);
    return INGOT_OK;
}

static ig_status write_ints(ig_call *c, int i, const int64_t *v, int64_t n)
{
    if (i >= c->n_out || !c->out[i]) return INGOT_OK;
    IG_TRY(ig_call_output(c, i, INGOT_INT64, 1, &n));
    if (n > 0) memcpy(c->out[i]->data, v, (size_t)n * sizeof *v);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    slices s = { 0 };
    IG_TRY(make_slices(c, &s));
    int64_t *work = ig_arena_array(c->scratch, (size_t)s.n, 6 * sizeof *work);
    if (!work) return IG_NOMEM(c->err, (size_t)s.n * 6 * sizeof *work);
    for (int64_t i = 0; i < s.n; i++) work[i] = i;
    const int64_t *order = sort(&s, work, work + s.n);
    int64_t *group = work + 2 * s.n, *first = group + s.n, *count = first + s.n;
    const bool sorted = ig_attr_int(c->node, "sorted", 1) != 0;
    const int64_t n = number_groups(&s, order, sorted, group, first, count, count + s.n);
    IG_TRY(write_values(c, &s, first, n));
    IG_TRY(write_ints(c, 1, first, n));
    IG_TRY(write_ints(c, 2, group, s.n));
    return write_ints(c, 3, count, n);
}

static const char *const cases[] = {
    "f32{2,1,1,3,4,3} -> 4 = f32{1,2,3,4} i64{1,0,3,4} i64{1,0,0,2,3,2} i64{2,1,2,1}",
    "f32{2,1,1,3,4,3} sorted=0 -> 4 = f32{2,1,3,4} i64{0,1,3,4} i64{0,1,1,2,3,2} i64{1,2,2,1}",
    "f32[3,3]{1,0,0,1,0,0,2,3,4} axis=0 -> 4 = f32[2,3]{1,0,0,2,3,4} i64{0,2} i64{0,0,1} i64{2,1}",
    "f32[4,2,2]{1,1,0,1,1,1,0,1,1,1,0,1,1,1,0,1} axis=1 -> 4 = "
    "f32[4,2,2]{0,1,1,1,0,1,1,1,0,1,1,1,0,1,1,1} i64{1,0} i64{1,0} i64{1,1}",
    "f32[2,3] axis=-1 -> 1",
    "i64[6] -> 2",
    "u8[9] -> 4",
    "bool[5] -> 4",
    "f16[6] -> 4",
    "f32[0] -> 4",
    "f32{nan,2,-0.0,nan,0,1} -> 4 = f32{-0.0,1,2,nan} i64{2,5,1,0} i64{3,2,0,3,0,1} i64{2,1,1,2}",
    "f32{nan,2,nan} sorted=0 -> 4 = f32{nan,2} i64{0,1} i64{0,1,0} i64{2,1}",
    "f32[3,2]{1,nan,1,2,1,nan} axis=0 -> 4 = f32[2,2]{1,2,1,nan} i64{1,0} i64{1,0,1} i64{1,2}",
    "c64{2:1,1:5,2:-1,1:5,-0.0:3} -> 4 = c64{-0.0:3,1:5,2:-1,2:1} i64{4,1,2,0} i64{3,1,2,1,0} "
    "i64{1,2,1,1}",
    "c128[2,2]{1:2,3:4,1:2,3:4} axis=1 -> 2 = c128[2,2]{1:2,3:4,1:2,3:4} i64{0,1}",
    "c128[2,2]{1:2,3:4,1:2,3:4} axis=0 sorted=0 -> 4 = c128[1,2]{1:2,3:4} i64{0} i64{0,0} i64{2}",
    "str{\"b\",\"a\",\"b\",\"\"} -> 4 = str{\"\",\"a\",\"b\"} i64{3,1,0} i64{2,1,2,0} i64{1,1,2}",
    "f32[2] axis=1 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_unique = {
    .onnx = "Unique",
    .since = { 11, 28 },
    .n_in = { 1, 1 },
    .n_out = { 1, 4 },
    .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING | IG_T_COMPLEX,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
