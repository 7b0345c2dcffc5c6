/* SPDX-License-Identifier: Apache-2.0 */
/*
 * non_max_suppression.c: for each batch and class, boxes in order of falling score (equal ones:
 * lower index first), without those that overlap a chosen one by more than iou_threshold. Rows of
 * the output: batch, class, box. Boxes with NaN scores, or without area, suppress nothing; NaN
 * scores are never chosen.
 */
#include "ops/strided.h"

typedef struct limits {
    int64_t most; /* boxes per class */
    float iou, score;
    bool has_score, is_center;
} limits;

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    const ig_info *boxes = c->in[0], *scores = c->in[1];
    /* max_output_boxes_per_class is 0 where it is not given. */
    const ig_dim dims[2] = { c->n_in > 2 && c->in[2] ? ig_dim_born(c->dims) : 0, 3 };
    ig_dim same;
    for (int i = 0; i < 2; i++)
        if (c->in[i]->rank >= 0 && c->in[i]->rank != 3)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s must have rank 3, not %d",
                           i ? "scores" : "boxes", c->in[i]->rank);
    if (boxes->rank == 3) {
        IG_TRY(ig_dim_unify(boxes->dims[2], 4, "numbers of a box", &same, c->err));
        if (scores->rank == 3) {
            IG_TRY(ig_dim_unify(boxes->dims[0], scores->dims[0], "batch of boxes and scores", &same,
                                c->err));
            IG_TRY(ig_dim_unify(boxes->dims[1], scores->dims[2], "number of boxes and scores",
                                &same, c->err));
        }
    }
    ig_info_set_shape(&c->out[0], INGOT_INT64, 2, dims);
    return INGOT_OK;
}

static ig_status read_float(const ig_call *c, int i, float *out, bool *has)
{
    *has = i < c->n_in && c->in[i];
    if (!*has) return INGOT_OK;
    if (ig_tensor_count(c->in[i]) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must hold one element", i);
    *out = (float)ig_get_f64(c->in[i]->dtype, c->in[i]->data, 0);
    return INGOT_OK;
}

static ig_status read_limits(const ig_call *c, limits *l)
{
    bool has_iou;
    *l = (limits){ .is_center = ig_attr_int(c->node, "center_point_box", 0) != 0 };
    IG_TRY(ig_call_scalar(c, 2, 0, &l->most));
    IG_TRY(read_float(c, 3, &l->iou, &has_iou));
    IG_TRY(read_float(c, 4, &l->score, &l->has_score));
    if (!(l->iou >= 0 && l->iou <= 1))
        return ig_fail(c->err, INGOT_ERR_INVALID, "iou_threshold is %g, not between 0 and 1",
                       (double)l->iou);
    return INGOT_OK;
}

/* Corners x0, y0, x1, y1 with x0 <= x1, y0 <= y1. */
static void corners(const float *box, bool is_center, float *p)
{
    if (is_center) {
        const float w = box[2] / 2, h = box[3] / 2;
        p[0] = box[0] - w;
        p[1] = box[1] - h;
        p[2] = box[0] + w;
        p[3] = box[1] + h;
        return;
    }
    for (int d = 0; d < 2; d++) {
        p[d] = box[d] < box[d + 2] ? box[d] : box[d + 2];
        p[d + 2] = box[d] < box[d + 2] ? box[d + 2] : box[d];
    }
}

static bool overlaps(const float *a, const float *b, float threshold)
{
    const float x0 = a[0] > b[0] ? a[0] : b[0], y0 = a[1] > b[1] ? a[1] : b[1];
    const float x1 = a[2] < b[2] ? a[2] : b[2], y1 = a[3] < b[3] ? a[3] : b[3];
    if (!(x1 > x0) || !(y1 > y0)) return false;
    const float both = (x1 - x0) * (y1 - y0);
    const float area_a = (a[2] - a[0]) * (a[3] - a[1]), area_b = (b[2] - b[0]) * (b[3] - b[1]);
    const float all = area_a + area_b - both;
    return area_a > 0 && area_b > 0 && all > 0 && both / all > threshold;
}

typedef struct candidate {
    float score;
    int64_t box;
} candidate;

static bool comes_before(candidate a, candidate b)
{
    return a.score > b.score || (a.score == b.score && a.box < b.box);
}

static void sift_down(candidate *heap, int64_t n, int64_t i)
{
    const candidate e = heap[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && comes_before(heap[child + 1], heap[child])) child++;
        if (!comes_before(heap[child], e)) break;
        heap[i] = heap[child];
    }
    heap[i] = e;
}

/* Boxes of one batch and class; chosen[] gets at most `most` of them; returns their number. */
static int64_t suppress(const limits *l, const float *corner, const float *scores, int64_t n,
                        candidate *heap, int64_t *chosen)
{
    int64_t left = 0, n_chosen = 0;
    for (int64_t i = 0; i < n; i++)
        if (scores[i] == scores[i] && (!l->has_score || scores[i] > l->score))
            heap[left++] = (candidate){ scores[i], i };
    for (int64_t i = left / 2 - 1; i >= 0; i--) sift_down(heap, left, i);
    while (left > 0 && n_chosen < l->most) {
        const int64_t box = heap[0].box;
        heap[0] = heap[--left];
        if (left > 0) sift_down(heap, left, 0);
        bool keep = true;
        for (int64_t k = 0; k < n_chosen && keep; k++)
            keep = !overlaps(corner + 4 * box, corner + 4 * chosen[k], l->iou);
        if (keep) chosen[n_chosen++] = box;
    }
    return n_chosen;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *boxes = c->in[0], *scores = c->in[1];
    const int64_t n_batch = scores->dims[0], n_class = scores->dims[1], n = scores->dims[2];
    int64_t dims[2] = { 0, 3 };
    limits l;
    IG_TRY(read_limits(c, &l));
    if (boxes->dtype != INGOT_FLOAT || scores->dtype != INGOT_FLOAT)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "boxes and scores must be float32");
    const int64_t most = l.most < 0 ? 0 : l.most < n ? l.most : n;
    l.most = most;
    size_t rows = 0;
    if (!ig_size_mul((size_t)(n_batch * n_class), (size_t)most, &rows))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "number of boxes overflows");
    float *corner = ig_arena_array(c->scratch, (size_t)(n_batch * n), 4 * sizeof *corner);
    candidate *heap = ig_arena_array(c->scratch, (size_t)n, sizeof *heap);
    int64_t *chosen = ig_arena_array(c->scratch, rows, sizeof *chosen);
    int64_t *counts = ig_arena_array(c->scratch, (size_t)(n_batch * n_class), sizeof *counts);
    if (!corner || !heap || !chosen || !counts) return IG_NOMEM(c->err, rows * sizeof *chosen);
    for (int64_t i = 0; i < n_batch * n; i++)
        corners((const float *)boxes->data + 4 * i, l.is_center, corner + 4 * i);
    for (int64_t k = 0; k < n_batch * n_class; k++) {
        counts[k] = suppress(&l, corner + k / n_class * n * 4, (const float *)scores->data + k * n,
                             n, heap, chosen + k * most);
        dims[0] += counts[k];
    }
    IG_TRY(ig_call_output(c, 0, INGOT_INT64, 2, dims));
    int64_t *y = c->out[0]->data;
    for (int64_t k = 0; k < n_batch * n_class; k++)
        for (int64_t i = 0; i < counts[k]; i++, y += 3) {
            y[0] = k / n_class;
            y[1] = k % n_class;
            y[2] = chosen[k * most + i];
        }
    return INGOT_OK;
}

#define SIX_BOXES                                                                                  \
    "f32[1,6,4]{0,0,1,1,0,0.1,1,1.1,0,-0.1,1,0.9,0,10,1,11,0,10.1,1,11.1,0,100,1,101} "            \
    "f32[1,1,6]{0.9,0.75,0.6,0.95,0.5,0.3} "

static const char *const cases[] = {
    SIX_BOXES "i64{3} f32{0.5} f32{0} = i64[3,3]{0,0,3,0,0,0,0,0,5}",
    SIX_BOXES "i64{2} f32{0.5} f32{0} = i64[2,3]{0,0,3,0,0,0}",
    SIX_BOXES "i64{3} f32{0.5} f32{0.4} = i64[2,3]{0,0,3,0,0,0}",
    SIX_BOXES "i64{30} f32{1} @10",
    SIX_BOXES "i64[]{3} f32[]{0.5}",
    SIX_BOXES " = i64[0,3]{}",
    "f32[1,2,4]{1,1,0,0,0,0,1,1} f32[1,1,2]{0.5,0.5} i64{5} f32{0.5} = i64[1,3]{0,0,0}",
    "f32[1,2,4]{0.5,0.5,1,1,0.5,0.6,1,1} f32[1,1,2]{0.5,0.6} i64{5} f32{0.5} center_point_box=1 = "
    "i64[1,3]{0,0,1}",
    "f32[1,3,4]{0,0,1,1,0,0,1,1,5,5,6,6} f32[1,1,3]{nan,0.5,nan} i64{5} f32{0.5} = i64[1,3]{0,0,1}",
    "f32[1,3,4]{0,0,1,1,0,0,1,1,5,5,6,6} f32[1,1,3]{nan,0.5,0.9} i64{5} f32{0.5} f32{0.5} = "
    "i64[1,3]{0,0,2}",
    "f32[1,3,4]{0,0,nan,1,0,0,1,1,0,0,1,1} f32[1,1,3]{0.9,0.5,0.7} i64{5} f32{0.5} = "
    "i64[2,3]{0,0,0,0,0,2}",
    "f32[2,3,4] f32[2,2,3] i64{2} f32{0.3} f32{0.1}",
    "f32[1,0,4] f32[1,2,0] i64{2}",
    SIX_BOXES "i64{3} f32{1.5} ! iou_threshold is 1.5",
    "f32[1,2,5] f32[1,1,2] ! numbers of a box: 5 and 4 differ",
    "f32[1,2,4] f32[1,1,3] ! number of boxes and scores: 2 and 3 differ",
    NULL,
};

const ig_op ig_op_non_max_suppression = {
    .onnx = "NonMaxSuppression",
    .since = { 10, 11 },
    .n_in = { 2, 5 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
