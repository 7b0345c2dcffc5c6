/* SPDX-License-Identifier: Apache-2.0 */
/* lrn.c: y = x / (bias + alpha/size * sum of x^2 over `size` neighbouring channels)^beta. */
#include <math.h>

#include "ops/op.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    if (ig_attr_int(c->node, "size", 0) < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "size is missing or not positive");
    if (c->in[0]->rank >= 0 && c->in[0]->rank < 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, at least 2 needed",
                       c->in[0]->rank);
    return INGOT_OK;
}

typedef struct job {
    const ig_tensor *x;
    void *y;
    int64_t n_channels, n_pixels, below, above;
    double alpha, beta, bias;
} job;

/* One channel of a picture. The sum of every pixel is taken afresh: no error adds up. */
static void channel(void *ctx, ig_part part)
{
    const job *j = ctx;
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t c = w % j->n_channels, picture = (w - c) * j->n_pixels;
        const int64_t from = c > j->below ? c - j->below : 0;
        const int64_t to = j->n_channels - c > j->above ? c + j->above + 1 : j->n_channels;
        for (int64_t i = 0; i < j->n_pixels; i++) {
            double sum = 0;
            for (int64_t k = from; k < to; k++) {
                const double v = ig_get_f64(j->x->dtype, j->x->data, picture + k * j->n_pixels + i);
                sum += v * v;
            }
            const int64_t at = picture + c * j->n_pixels + i;
            ig_set_f64(j->x->dtype, j->y, at,
                       ig_get_f64(j->x->dtype, j->x->data, at) /
                           pow(j->bias + j->alpha * sum, j->beta));
        }
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const int64_t size = ig_attr_int(c->node, "size", 1);
    job j = { .x = x,
              .y = c->out[0]->data,
              .n_channels = x->dims[1],
              .n_pixels = ig_count(x->rank - 2, x->dims + 2),
              .below = (size - 1) / 2,
              .above = size / 2,
              .alpha = (double)ig_attr_float(c->node, "alpha", 1e-4f) / (double)size,
              .beta = (double)ig_attr_float(c->node, "beta", 0.75f),
              .bias = (double)ig_attr_float(c->node, "bias", 1) };
    if (ig_tensor_count(x) > 0) ig_team_run(c->team, channel, &j, x->dims[0] * j.n_channels, 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,4,1,1]{1,2,3,4} size=2 alpha=2.0 beta=1.0 bias=1.0 = "
    "f32[1,4,1,1]{0.16666667,0.14285715,0.11538462,0.23529412}",
    "f32[2,7,3,2] size=5 alpha=0.5",
    "f32[1,3,2,2] size=9",
    "f32[1,3,2,2] ! size is missing",
    NULL,
};

const ig_op ig_op_lrn = {
    .onnx = "LRN",
    .since = { 1, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
