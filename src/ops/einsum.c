/* SPDX-License-Identifier: Apache-2.0 */
/*
 * einsum.c: sums of products by an equation: "ij,jk->ik", "...ii->...i".
 *
 * Labels are letters; an ellipsis stands for the dimensions that broadcast, aligned at the right.
 * Without "->" the output has the ellipsis and then the labels that occur once, in alphabetical
 * order. Products of two inputs that are matrix products as they lie run through kernels/gemm.
 */
#include <string.h>

#include "ops/product.h"
#include "ops/strided.h"

enum { N_LABELS = 52 + IG_MAX_RANK, ELLIPSIS = 52, MAX_INPUTS = 8 };

/* The labels of a term, by dimension; the ellipsis is spread into labels ELLIPSIS + 0 … */
typedef struct term {
    int n;
    int8_t label[IG_MAX_RANK];
} term;

typedef struct equation {
    int n_in;
    term in[MAX_INPUTS], out;
    int n_ellipsis; /* dimensions it stands for */
} equation;

static int label_of(char ch)
{
    if (ch >= 'A' && ch <= 'Z') return ch - 'A';
    return ch >= 'a' && ch <= 'z' ? 26 + ch - 'a' : -1;
}

/* One term of text, with room for an ellipsis of n_dots dimensions. */
static ig_status read_term(const char *s, size_t n, int n_dots, term *t, ig_error *err)
{
    bool has_dots = false;
    t->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == ' ') continue;
        const bool is_dots = i + 2 < n && memcmp(s + i, "...", 3) == 0;
        const int label = is_dots ? 0 : label_of(s[i]);
        if (label < 0 || (is_dots && has_dots))
            return ig_fail(err, INGOT_ERR_INVALID, "equation has an unexpected '%c'", s[i]);
        const int count = is_dots ? n_dots : 1;
        if (t->n + count > IG_MAX_RANK)
            return ig_fail(err, INGOT_ERR_LIMIT, "a term of the equation has more than %d labels",
                           IG_MAX_RANK);
        for (int k = 0; k < count; k++) t->label[t->n++] = (int8_t)(is_dots ? ELLIPSIS + k : label);
        if (is_dots) i += 2, has_dots = true;
    }
    return INGOT_OK;
}

static bool has_dots(const char *s, size_t n)
{
    for (size_t i = 0; i + 2 < n; i++)
        if (memcmp(s + i, "...", 3) == 0) return true;
    return false;
}

/* Without "->": the ellipsis, then labels that occur once. */
static ig_status implicit_output(equation *e, ig_error *err)
{
    int count[N_LABELS] = { 0 };
    for (int i = 0; i < e->n_in; i++)
        for (int k = 0; k < e->in[i].n; k++) count[e->in[i].label[k]]++;
    e->out.n = 0;
    for (int k = 0; k < e->n_ellipsis; k++) e->out.label[e->out.n++] = (int8_t)(ELLIPSIS + k);
    for (int l = 0; l < ELLIPSIS; l++) {
        if (count[l] != 1) continue;
        if (e->out.n == IG_MAX_RANK)
            return ig_fail(err, INGOT_ERR_LIMIT, "the output has more than %d dimensions",
                           IG_MAX_RANK);
        e->out.label[e->out.n++] = (int8_t)l;
    }
    return INGOT_OK;
}

/* ranks: of the inputs. */
static ig_status read_equation(const ig_node *node, int n_in, const int *ranks, equation *e,
                               ig_error *err)
{
    const ig_attr *a = ig_node_attr(node, "equation");
    memset(e, 0, sizeof *e);
    if (!a || a->kind != IG_ATTR_STRING)
        return ig_fail(err, INGOT_ERR_INVALID, "attribute equation is missing");
    if (n_in > MAX_INPUTS)
        return ig_fail(err, INGOT_ERR_LIMIT, "%d inputs, at most %d are supported", n_in,
                       MAX_INPUTS);
    const char *s = a->s.data, *end = s + a->s.bytes, *arrow = end;
    for (const char *p = s; p + 1 < end; p++)
        if (p[0] == '-' && p[1] == '>') {
            arrow = p;
            break;
        }
    e->n_in = n_in;
    const char *from = s;
    int n_dots[MAX_INPUTS] = { 0 };
    for (int pass = 0; pass < 2; pass++) {
        from = s;
        for (int i = 0; i < n_in; i++) {
            const char *comma = memchr(from, ',', (size_t)(arrow - from));
            const char *to = comma ? comma : arrow;
            if (!comma != (i == n_in - 1))
                return ig_fail(err, INGOT_ERR_INVALID, "equation does not have %d terms", n_in);
            /* first without the ellipsis: what is left of the rank is its size */
            IG_TRY(read_term(from, (size_t)(to - from), pass ? n_dots[i] : 0, &e->in[i], err));
            if (pass == 0 && has_dots(from, (size_t)(to - from))) {
                n_dots[i] = ranks[i] - e->in[i].n;
                if (n_dots[i] > e->n_ellipsis) e->n_ellipsis = n_dots[i];
            }
            if (e->in[i].n + (pass ? 0 : n_dots[i]) != ranks[i] || n_dots[i] < 0)
                return ig_fail(err, INGOT_ERR_SHAPE, "term %d has %d labels, input %d rank %d", i,
                               e->in[i].n, i, ranks[i]);
            from = to + 1;
        }
    }
    /* an ellipsis of fewer dimensions is aligned at the right */
    for (int i = 0; i < n_in; i++)
        for (int k = 0; k < e->in[i].n; k++)
            if (e->in[i].label[k] >= ELLIPSIS)
                e->in[i].label[k] = (int8_t)(e->in[i].label[k] + e->n_ellipsis - n_dots[i]);
    if (arrow == end) return implicit_output(e, err);
    return read_term(arrow + 2, (size_t)(end - arrow - 2), e->n_ellipsis, &e->out, err);
}

/* The dimension of every label; ELLIPSIS ones broadcast. Absent labels: 1 and seen false. */
static ig_status label_dims(const equation *e, const ig_info *const *in, ig_dims *t,
                            ig_dim dims[N_LABELS], ig_error *err)
{
    bool seen[N_LABELS] = { false };
    for (int l = 0; l < N_LABELS; l++) dims[l] = 1;
    for (int i = 0; i < e->n_in; i++)
        for (int k = 0; k < e->in[i].n; k++) {
            const int l = e->in[i].label[k];
            if (seen[l])
                IG_TRY(ig_dim_broadcast(t, dims[l], in[i]->dims[k], &dims[l], err));
            else
                dims[l] = in[i]->dims[k];
            seen[l] = true;
        }
    for (int k = 0; k < e->out.n; k++) {
        if (!seen[e->out.label[k]])
            return ig_fail(err, INGOT_ERR_INVALID, "an output label is in no input");
        for (int j = 0; j < k; j++)
            if (e->out.label[j] == e->out.label[k])
                return ig_fail(err, INGOT_ERR_INVALID, "an output label occurs twice");
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    equation e;
    int ranks[MAX_INPUTS] = { 0 };
    ig_dim labels[N_LABELS], dims[IG_MAX_RANK];
    for (int i = 0; i < c->n_in; i++) {
        if (!c->in[i] || c->in[i]->rank < 0) return INGOT_OK;
        if (i < MAX_INPUTS) ranks[i] = c->in[i]->rank;
    }
    IG_TRY(read_equation(c->node, c->n_in, ranks, &e, c->err));
    IG_TRY(label_dims(&e, c->in, c->dims, labels, c->err));
    for (int k = 0; k < e.out.n; k++) dims[k] = labels[e.out.label[k]];
    ig_info_set_shape(&c->out[0], c->in[0]->type.dtype, e.out.n, dims);
    return INGOT_OK;
}

/* ---- reference ---- */

/* All labels as loops: the output's first. strides of each input, 0 where it has not the label or
 * broadcasts. */
typedef struct loops {
    int n_out, n;
    int64_t dims[N_LABELS];
    int64_t strides[MAX_INPUTS][N_LABELS];
} loops;

static void make_loops(const equation *e, const ig_tensor *const *in, const ig_dim *dims, loops *w)
{
    int at[N_LABELS];
    memset(w, 0, sizeof *w);
    for (int l = 0; l < N_LABELS; l++) at[l] = -1;
    for (int k = 0; k < e->out.n; k++) {
        at[e->out.label[k]] = w->n;
        w->dims[w->n++] = dims[e->out.label[k]];
    }
    w->n_out = w->n;
    for (int i = 0; i < e->n_in; i++) {
        int64_t stride[IG_MAX_RANK];
        ig_row_major(in[i]->rank, in[i]->dims, stride);
        for (int k = 0; k < e->in[i].n; k++) {
            const int l = e->in[i].label[k];
            if (at[l] < 0) {
                at[l] = w->n;
                w->dims[w->n++] = dims[l];
            }
            if (in[i]->dims[k] != 1) w->strides[i][at[l]] += stride[k]; /* ii: a diagonal */
        }
    }
}

static double product_sum(const ig_call *c, const loops *w, const int64_t *base, bool is_int,
                          uint64_t *bits)
{
    int64_t index[N_LABELS] = { 0 }, at[MAX_INPUTS], left = 1;
    double sum = 0;
    for (int i = 0; i < c->n_in; i++) at[i] = base[i];
    for (int d = w->n_out; d < w->n; d++) left *= w->dims[d];
    *bits = 0;
    for (; left > 0; left--) {
        double p = 1;
        uint64_t q = 1;
        for (int i = 0; i < c->n_in; i++)
            if (is_int)
                q *= (uint64_t)ig_get_i64(c->in[i]->dtype, c->in[i]->data, at[i]);
            else
                p *= ig_get_f64(c->in[i]->dtype, c->in[i]->data, at[i]);
        sum += p;
        *bits += q;
        for (int d = w->n - 1; d >= w->n_out; d--) {
            const int64_t back = ++index[d] < w->dims[d] ? 0 : w->dims[d];
            for (int i = 0; i < c->n_in; i++) at[i] += (1 - back) * w->strides[i][d];
            if (!back) break;
            index[d] = 0;
        }
    }
    return sum;
}

static ig_status ref(ig_call *c)
{
    equation e;
    int ranks[MAX_INPUTS] = { 0 };
    ig_dim labels[N_LABELS];
    ig_info infos[MAX_INPUTS];
    const ig_info *ins[MAX_INPUTS];
    ig_infer f;
    loops w;
    IG_TRY(ig_call_ready(c));
    for (int i = 0; i < c->n_in && i < MAX_INPUTS; i++) ranks[i] = c->in[i]->rank;
    IG_TRY(read_equation(c->node, c->n_in, ranks, &e, c->err));
    ig_infer_of_call(c, infos, ins, MAX_INPUTS, &f);
    IG_TRY(label_dims(&e, ins, NULL, labels, c->err));
    make_loops(&e, c->in, labels, &w);
    const ingot_dtype dtype = c->in[0]->dtype;
    const bool is_int = (IG_T(dtype) & IG_T_INTS) != 0;
    const int64_t n = ig_tensor_count(c->out[0]);
    int64_t index[IG_MAX_RANK] = { 0 }, base[MAX_INPUTS] = { 0 };
    for (int64_t o = 0; o < n; o++) {
        uint64_t bits;
        const double sum = product_sum(c, &w, base, is_int, &bits);
        if (is_int)
            ig_set_i64(dtype, c->out[0]->data, o, (int64_t)bits);
        else
            ig_set_f64(dtype, c->out[0]->data, o, sum);
        for (int d = w.n_out - 1; d >= 0; d--) {
            const int64_t back = ++index[d] < w.dims[d] ? 0 : w.dims[d];
            for (int i = 0; i < c->n_in; i++) base[i] += (1 - back) * w.strides[i][d];
            if (!back) break;
            index[d] = 0;
        }
    }
    return INGOT_OK;
}

/* ---- lowering: batch…, m, k times batch…, k, n ---- */

static int find(const term *t, int label)
{
    for (int k = 0; k < t->n; k++)
        if (t->label[k] == label) return k;
    return -1;
}

/* Labels at a term's end: leading `n_batch` ones are the same in all terms. */
static bool is_matrix_product(const equation *e, bool *trans_a, bool *trans_b)
{
    const term *a = &e->in[0], *b = &e->in[1], *y = &e->out;
    const int n_batch = y->n - 2;
    if (n_batch < 0 || a->n != y->n || b->n != y->n) return false;
    for (int k = 0; k < n_batch; k++)
        if (a->label[k] != y->label[k] || b->label[k] != y->label[k]) return false;
    const int m = find(a, y->label[n_batch]), n = find(b, y->label[n_batch + 1]);
    if (m < n_batch || n < n_batch) return false;
    const int k_a = n_batch + n_batch + 1 - m, k_b = n_batch + n_batch + 1 - n;
    if (a->label[k_a] != b->label[k_b] || find(y, a->label[k_a]) >= 0) return false;
    *trans_a = m == n_batch + 1;
    *trans_b = n == n_batch;
    return true;
}

static ig_status lower(ig_lower *l)
{
    equation e;
    int ranks[2];
    int64_t a[IG_MAX_RANK], b[IG_MAX_RANK];
    bool trans_a, trans_b;
    ig_gemm_shape s;
    if (l->n_in != 2) return INGOT_OK;
    for (int i = 0; i < 2; i++) {
        if (l->in[i]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[i], i ? b : a))
            return INGOT_OK;
        ranks[i] = l->in[i]->rank;
    }
    IG_TRY(read_equation(l->node, 2, ranks, &e, l->err));
    if (!is_matrix_product(&e, &trans_a, &trans_b)) return INGOT_OK;
    const int n_batch = e.out.n - 2;
    if (n_batch > IG_GEMM_MAX_BATCH_DIMS) return INGOT_OK;
    const int64_t k = a[n_batch + !trans_a], m = a[n_batch + trans_a], n = b[n_batch + !trans_b];
    if (b[n_batch + trans_b] != k) return INGOT_OK; /* broadcast */
    ig_gemm_shape_init(&s, m, n, k, trans_a, trans_b);
    s.n_batch_dims = n_batch;
    int64_t a_step = m * k, b_step = k * n, y_step = m * n;
    for (int d = n_batch - 1; d >= 0; d--) {
        s.batch_dims[d] = a[d] == 1 ? b[d] : a[d];
        s.a_stride[d] = a[d] == 1 ? 0 : a_step;
        s.b_stride[d] = b[d] == 1 ? 0 : b_step;
        s.y_stride[d] = y_step;
        a_step *= a[d];
        b_step *= b[d];
        y_step *= s.batch_dims[d];
    }
    return ig_lower_product(l, &s);
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} equation=\"ij,jk->ik\" = f32[2,2]{19,22,43,50}",
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} equation=\"ij,jk\" = f32[2,2]{19,22,43,50}",
    "f32[2,3]{1,2,3,4,5,6} equation=\"ij->ji\" = f32[3,2]{1,4,2,5,3,6}",
    "f32[2,3]{1,2,3,4,5,6} equation=\"ba\" = f32[3,2]{1,4,2,5,3,6}",
    "f32[2,2]{1,2,3,4} equation=\"ii->i\" = f32[2]{1,4}",
    "f32[2,2]{1,2,3,4} equation=\"ii\" = f32[]{5}",
    "f32[3,2,2] equation=\"...ii ->...i\"",
    "f32[2,3]{1,2,3,4,5,6} equation=\"ij->\" = f32[]{21}",
    "f32[3]{1,2,3} f32[3]{4,5,6} equation=\"i,i\" = f32[]{32}",
    "f32[2]{1,2} f32[3]{4,5,6} equation=\"i,j->ij\" = f32[2,3]{4,5,6,8,10,12}",
    "f32[5,2,3] f32[5,3,4] equation=\"bij,bjk->bik\"",
    "f32[2,4,5,3] f32[2,4,7,3] equation=\"bhqd,bhkd->bhqk\"",
    "f32[2,5,4,3] f32[2,7,4,3] equation=\"bqhd,bkhd->bhqk\"",
    "f32[2,3,4] c:f32[4,5] equation=\"...ij,jk->...ik\"",
    "f32[2,3,4] f32[5,1,4,6] equation=\"...ij,...jk->...ik\"",
    "f32[2,3] f32[3,4] f32[4,2] equation=\"ij,jk,kl->il\"",
    "i32[2,2]{1,2,3,4} i32[2]{1,-1} equation=\"ij,j->i\" = i32[2]{-1,-1}",
    "f64[2,3] f64[3] equation=\"ij,j->i\"",
    "f32[2,3] f32[4,5] equation=\"ij,jk->ik\" ! broadcast",
    "f32[2,3] equation=\"i->i\" ! has 1 labels",
    "f32[2,3] equation=\"ij->ik\" ! in no input",
    "f32[2,3] equation=\"i+->i\" ! unexpected",
    "f32[2,3] equation=\"ij,jk->ik\" ! does not have 1 terms",
    NULL,
};

const ig_op ig_op_einsum = {
    .onnx = "Einsum",
    .since = { 12, 28 },
    .n_in = { 1, -1 },
    .same_type = 0xfffe,
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
