/* SPDX-License-Identifier: Apache-2.0 */
/* broadcast.c: see broadcast.h. */
#include "ops/broadcast.h"

#include <string.h>

/* ---- alignment before opset 7 ---- */

/* Number of ones to append to input 1's shape. */
static ig_status legacy_pad(const ig_node *node, int rank_a, int rank_b, int *pad, ig_error *err)
{
    *pad = 0;
    if (node->opset >= 7 || rank_b > rank_a) return INGOT_OK;
    const int64_t axis = ig_attr_int(node, "axis", rank_a - rank_b);
    const int64_t from_front = axis < 0 ? axis + rank_a : axis;
    if (!ig_node_attr(node, "axis") || rank_b == 0) return INGOT_OK;
    if (from_front < 0 || from_front > rank_a - rank_b)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "axis %lld leaves no room for %d dimensions of input 1 in %d of input 0",
                       (long long)axis, rank_b, rank_a);
    *pad = rank_a - rank_b - (int)from_front;
    return INGOT_OK;
}

bool ig_broadcast_is_numpy(const ig_node *node, const ig_info *const *in)
{
    int pad = 1;
    if (node->opset >= 7 || node->n_inputs < 2 || !ig_node_attr(node, "axis")) return true;
    if (!in || !in[0] || !in[1] || in[0]->rank < 0 || in[1]->rank < 0) return false;
    return !legacy_pad(node, in[0]->rank, in[1]->rank, &pad, NULL) && pad == 0;
}

bool ig_binary_prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)p;
    return ig_broadcast_is_numpy(node, in);
}

bool ig_binary_permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    (void)g, (void)perm, (void)rank;
    return node->opset >= 7 || !ig_node_attr(node, "axis");
}

/* ---- inference ---- */

ig_status ig_infer_same_type(ig_infer *c, int i, int j)
{
    if (i >= c->n_in || j >= c->n_in || !c->in[i] || !c->in[j]) return INGOT_OK;
    const ingot_dtype a = c->in[i]->type.dtype, b = c->in[j]->type.dtype;
    if (a == b || a == INGOT_UNDEFINED || b == INGOT_UNDEFINED) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "inputs %d and %d have element types %s and %s", i, j,
                   ingot_dtype_name(a), ingot_dtype_name(b));
}

/* Without broadcast=1 the shapes were to be equal. A scalar says by itself what it means, and the
 * standard's own definition of Softplus adds one so. */
static ig_status check_legacy_equal(ig_infer *c)
{
    const ig_info *a = c->in[0], *b = c->in[1];
    bool is_equal = a->rank == b->rank;
    if (c->opset >= 7 || ig_attr_int(c->node, "broadcast", 0)) return INGOT_OK;
    if (a->rank < 0 || b->rank <= 0) return INGOT_OK;
    for (int d = 0; is_equal && d < a->rank; d++)
        is_equal = a->dims[d] == b->dims[d] || !ig_dim_is_const(a->dims[d]) ||
                   !ig_dim_is_const(b->dims[d]);
    if (is_equal) return INGOT_OK;
    char sa[96], sb[96];
    return ig_fail(c->err, INGOT_ERR_SHAPE, "shapes %s and %s differ and broadcast is not set",
                   ig_shape_format(a->type.dtype, a->rank, a->dims, sa, sizeof sa),
                   ig_shape_format(b->type.dtype, b->rank, b->dims, sb, sizeof sb));
}

static ig_status infer_two(ig_infer *c, ingot_dtype dtype)
{
    int pad = 0;
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = dtype };
    IG_TRY(check_legacy_equal(c));
    if (c->in[0]->rank >= 0 && c->in[1]->rank >= 0)
        IG_TRY(legacy_pad(c->node, c->in[0]->rank, c->in[1]->rank, &pad, c->err));
    if (pad == 0) return ig_broadcast_shapes(c, 2, &c->out[0]);
    ig_info padded = *c->in[1];
    for (int i = 0; i < pad; i++) padded.dims[padded.rank++] = 1;
    const ig_info *in[] = { c->in[0], &padded };
    ig_infer aligned = *c;
    aligned.in = in;
    return ig_broadcast_shapes(&aligned, 2, &c->out[0]);
}

ig_status ig_infer_binary(ig_infer *c)
{
    IG_TRY(ig_infer_same_type(c, 0, 1));
    return infer_two(c, c->in[0]->type.dtype);
}

ig_status ig_infer_binary_bool(ig_infer *c)
{
    IG_TRY(ig_infer_same_type(c, 0, 1));
    return infer_two(c, INGOT_BOOL);
}

ig_status ig_infer_binary_mixed(ig_infer *c) { return infer_two(c, c->in[0]->type.dtype); }

ig_status ig_infer_variadic(ig_infer *c)
{
    for (int i = 0; i < c->n_in; i++) {
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
        IG_TRY(ig_infer_same_type(c, 0, i));
    }
    return ig_infer_broadcast(c);
}

bool ig_dim_is_natural(const ig_dims *t, ig_dim d)
{
    /* A bounded walk: expressions are shallow, and "cannot tell" is a fine answer. */
    ig_dim todo[32];
    int n = 0;
    todo[n++] = d;
    for (int steps = 0; n > 0; steps++) {
        const ig_dim at = todo[--n];
        const ig_dim_expr *e = ig_dim_is_const(at) ? NULL : ig_dim_expr_of(t, at);
        if (!e && at < 0) return false;
        if (!e || e->op == IG_DIM_INPUT || e->op == IG_DIM_BORN) continue;
        if (n + 2 > (int)IG_COUNT(todo) || steps > 64) return false;
        todo[n++] = e->a;
        todo[n++] = e->b;
    }
    return true;
}

int64_t ig_broadcast_index(const ig_info *out, const ig_info *in, int64_t i)
{
    int64_t index = 0, stride = 1;
    for (int d = out->rank - 1; d >= 0; d--) {
        const int at = d - (out->rank - in->rank);
        if (at >= 0 && in->dims[at] != 1) index += i % out->dims[d] * stride;
        if (at >= 0) stride *= in->dims[at];
        i /= out->dims[d];
    }
    return index;
}

static bool is_exact(ig_dim d)
{
    return !ig_dim_is_const(d) || (d > IG_DIM_MIN_CONST && d < IG_DIM_MAX);
}

/* Constants that do not fit the element type would wrap: not shapes, leave them alone. */
static bool fits(ingot_dtype dtype, ig_dim d)
{
    if (!is_exact(d)) return false;
    if (dtype == INGOT_INT64 || !ig_dim_is_const(d)) return true;
    return dtype == INGOT_BOOL ? d == 0 || d == 1 : d >= INT32_MIN && d <= INT32_MAX;
}

ig_status ig_infer_elementwise(ig_infer *c, ig_elem_fn fn)
{
    ig_dim a[IG_MAX_ELEMS], b[IG_MAX_ELEMS], y[IG_MAX_ELEMS];
    int64_t dims[IG_MAX_RANK];
    int n_a = 0, n_b = 0;
    ig_info *out = &c->out[0];
    const ig_info *in1 = c->n_in > 1 ? c->in[1] : c->in[0];
    const ig_dtype_set types = IG_T(INGOT_INT64) | IG_T(INGOT_INT32) | IG_T_BOOL;
    if (!(IG_T(out->type.dtype) & types) || !ig_info_is_static(out, dims)) return INGOT_OK;
    const int64_t n = ig_count(out->rank, dims);
    if (n < 0 || n > IG_MAX_ELEMS || !ig_infer_ints(c, 0, a, IG_MAX_ELEMS, &n_a) ||
        !ig_infer_ints(c, c->n_in > 1, b, IG_MAX_ELEMS, &n_b) ||
        !ig_broadcast_is_numpy(c->node, c->in))
        return INGOT_OK;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = ig_broadcast_index(out, c->in[0], i);
        const int64_t bt = ig_broadcast_index(out, in1, i);
        if (at >= n_a || bt >= n_b || !is_exact(a[at]) || !is_exact(b[bt])) return INGOT_OK;
        if (!fn(c->dims, a[at], b[bt], &y[i]) || !fits(out->type.dtype, y[i])) return INGOT_OK;
    }
    return ig_infer_set_elems(c, 0, y, (int)n);
}

/* ---- lowering ---- */

void ig_eltwise_set_operand(ig_eltwise_operand *operand, const ig_info *info)
{
    operand->dtype = info->type.dtype;
    operand->rank = info->rank;
    for (int d = 0; d < info->rank; d++) operand->dims[d] = info->dims[d];
}

bool ig_is_float_operand(const ig_info *info)
{
    return (IG_T(info->type.dtype) &
            (IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16))) != 0;
}

ig_status ig_lower_program(ig_lower *l, const ig_eltwise_program *program, const char *name)
{
    void *params = ig_arena_get(l->arena, ig_eltwise_params_bytes(program));
    char *full = ig_arena_printf(l->arena, "ig_k_eltwise_%s_f32__%s", name, ig_isa_name(l->isa));
    if (!params || !full) return IG_NOMEM(l->err, ig_eltwise_params_bytes(program));
    IG_TRY(ig_eltwise_plan(program, l->isa, params, &l->n_work, &l->grain, l->err));
    l->params = params;
    l->n_operand_in = program->n_in;
    l->kernel = ig_k_eltwise;
    l->kernel_name = full;
    return INGOT_OK;
}

ig_status ig_lower_variadic(ig_lower *l, bool by_count)
{
    const ig_prim *prim = l->node->op->prim;
    const int n = l->n_in;
    if (n < 2 || n >= IG_ELTWISE_MAX_OPERANDS || n >= IG_ELTWISE_MAX_REGS || !prim->fn[l->isa])
        return INGOT_OK;
    ig_eltwise_program program = { .n_in = n, .n_out = 1, .n_instrs = n - 1 };
    for (int i = 0; i < n; i++) {
        if (!l->in[i] || !ig_is_float_operand(l->in[i])) return INGOT_OK;
        ig_eltwise_set_operand(&program.in[i], l->in[i]);
    }
    ig_eltwise_set_operand(&program.out[0], &l->out[0]);
    const int8_t acc = (int8_t)n; /* one accumulator behind the inputs */
    for (int i = 0; i < n - 1; i++) {
        const bool is_last = i == n - 2;
        program.instrs[i] = (ig_eltwise_instr){
            .prim = prim,
            .dst = acc,
            .src = { i ? acc : 0, (int8_t)(i + 1), -1 },
            .params = { by_count && is_last ? (float)n : 1.0f },
        };
    }
    program.out_reg[0] = acc;
    return ig_lower_program(l, &program, prim->name);
}

/* ---- references ---- */

void ig_rows_begin(ig_rows *r, int rank, const int64_t *dims, const ig_tensor *const *in, int n_in)
{
    int64_t stride[3] = { 1, 1, 1 };
    memset(r, 0, sizeof *r);
    r->n_in = n_in;
    int k = IG_MAX_RANK; /* dims[k..) are taken, innermost last */
    for (int d = rank - 1; d >= 0; d--) {
        int64_t s[3] = { 0 };
        bool is_merged = k < IG_MAX_RANK;
        for (int i = 0; i < n_in; i++) {
            const int at = d - (rank - in[i]->rank);
            if (at < 0) continue;
            s[i] = in[i]->dims[at] == 1 ? 0 : stride[i];
            stride[i] *= in[i]->dims[at];
        }
        if (dims[d] == 1) continue;
        for (int i = 0; i < n_in && is_merged; i++)
            is_merged = s[i] == r->strides[i][k] * r->dims[k];
        if (is_merged) {
            r->dims[k] *= dims[d];
            continue;
        }
        k--;
        r->dims[k] = dims[d];
        for (int i = 0; i < n_in; i++) r->strides[i][k] = s[i];
    }
    /* move to the front, the innermost dimension becomes the row */
    r->rank = IG_MAX_RANK - k;
    for (int d = 0; d < r->rank; d++) {
        r->dims[d] = r->dims[k + d];
        for (int i = 0; i < n_in; i++) r->strides[i][d] = r->strides[i][k + d];
    }
    r->n_cols = 1;
    r->n_left = 1;
    if (r->rank > 0) {
        r->rank--;
        r->n_cols = r->dims[r->rank];
        for (int i = 0; i < n_in; i++) r->step[i] = r->strides[i][r->rank] != 0;
    }
    for (int d = 0; d < r->rank; d++) r->n_left *= r->dims[d];
    if (r->n_cols == 0) r->n_left = 0;
}

void ig_rows_next(ig_rows *r)
{
    r->n_left--;
    r->out_at += r->n_cols;
    for (int d = r->rank - 1; d >= 0; d--) {
        for (int i = 0; i < r->n_in; i++) r->at[i] += r->strides[i][d];
        if (++r->index[d] < r->dims[d]) return;
        for (int i = 0; i < r->n_in; i++) r->at[i] -= r->strides[i][d] * r->dims[d];
        r->index[d] = 0;
    }
}

ig_status ig_tensors_broadcast(const ig_tensor *const *in, int n, int *rank,
                               int64_t dims[IG_MAX_RANK], ig_error *err)
{
    *rank = 0;
    for (int i = 0; i < n; i++)
        if (in[i]->rank > *rank) *rank = in[i]->rank;
    for (int d = 0; d < *rank; d++) {
        dims[d] = 1;
        for (int i = 0; i < n; i++) {
            const int at = d - (*rank - in[i]->rank);
            const int64_t dim = at < 0 ? 1 : in[i]->dims[at];
            if (dim == 1 || dim == dims[d]) continue;
            if (dims[d] != 1)
                return ig_fail(err, INGOT_ERR_SHAPE,
                               "dimensions %lld and %lld (input %d) do not broadcast",
                               (long long)dims[d], (long long)dim, i);
            dims[d] = dim;
        }
    }
    return INGOT_OK;
}

ig_status ig_binary_begin(ig_call *c, ingot_dtype out_dtype, ig_rows *r)
{
    int64_t dims[IG_MAX_RANK];
    int rank = 0, pad = 0;
    ig_tensor aligned = *c->in[1];
    IG_TRY(legacy_pad(c->node, c->in[0]->rank, aligned.rank, &pad, c->err));
    for (int i = 0; i < pad; i++) aligned.dims[aligned.rank++] = 1;
    const ig_tensor *const in[] = { c->in[0], &aligned };
    IG_TRY(ig_tensors_broadcast(in, 2, &rank, dims, c->err));
    IG_TRY(ig_call_output(c, 0, out_dtype, rank, dims));
    ig_rows_begin(r, rank, dims, in, 2);
    if (!c->out[0]) r->n_left = 0;
    return INGOT_OK;
}

/* The accumulator is the output itself unless a later input lies in the same memory. */
bool ig_variadic_prim_params(const ig_node *node, const ig_info *const *in,
                             float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = 2;
    return node->n_inputs == 2;
}

bool ig_variadic_is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)in, (void)out;
    return node->n_inputs == 1;
}

ig_status ig_variadic_begin(ig_call *c, void **acc)
{
    int64_t dims[IG_MAX_RANK];
    int rank = 0;
    size_t bytes = 0;
    IG_TRY(ig_tensors_broadcast(c->in, c->n_in, &rank, dims, c->err));
    IG_TRY(ig_call_output(c, 0, c->in[0]->dtype, rank, dims));
    *acc = c->out[0]->data;
    for (int i = 1; i < c->n_in; i++) {
        if (c->in[i]->data != c->out[0]->data) continue;
        if (!ig_tensor_bytes(c->out[0], &bytes))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "output is too large");
        *acc = ig_arena_get(c->scratch, bytes);
        return *acc ? INGOT_OK : IG_NOMEM(c->err, bytes);
    }
    return INGOT_OK;
}

ig_status ig_variadic_end(ig_call *c, void *acc)
{
    size_t bytes = 0;
    if (acc != c->out[0]->data && ig_tensor_bytes(c->out[0], &bytes))
        memcpy(c->out[0]->data, acc, bytes);
    return INGOT_OK;
}
