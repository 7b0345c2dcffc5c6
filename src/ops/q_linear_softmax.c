/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q_linear_softmax.c: com.microsoft QLinearSoftmax. `opset` says which of Softmax's definitions
 * holds: a matrix from `axis` on below 13, one axis from then on.
 */
#include "ops/qlinear.h"
#include "ops/softmax_axis.h"

#define OPSET_ONE_AXIS 13

/* e^(-k scale): a row's terms by their distance from its largest element. */
typedef struct softmax_params {
    float exp[256];
    ig_qparam y;
    ingot_dtype dtype;
    ig_softmax_view view;
} softmax_params;

static ig_status read_view(const ig_node *node, int rank, const int64_t *dims, ig_softmax_view *v,
                           ig_error *err)
{
    const int64_t opset = ig_attr_int(node, "opset", OPSET_ONE_AXIS);
    int axis = 0;
    *v = (ig_softmax_view){ 1, 1, 1 };
    if (rank == 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(node, "axis", -1), rank, &axis, err));
    for (int d = 0; d < rank; d++) {
        if (d < axis)
            v->n_outer *= dims[d];
        else if (d == axis || opset < OPSET_ONE_AXIS)
            v->n_axis *= dims[d];
        else
            v->n_inner *= dims[d];
    }
    return INGOT_OK;
}

static void fill(softmax_params *p, ingot_dtype dtype, const ig_qparam *x, const ig_qparam *y)
{
    for (int k = 0; k < 256; k++) p->exp[k] = expf(-(float)k * x->scale);
    p->dtype = dtype;
    p->y = *y;
}

/* int8 has the order of uint8 once its top bit is flipped. */
static void row(const softmax_params *p, const uint8_t *x, uint8_t *y)
{
    const uint8_t flip = p->dtype == INGOT_INT8 ? 0x80 : 0;
    const int64_t n = p->view.n_axis, stride = p->view.n_inner;
    int max = 0;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int v = x[i * stride] ^ flip;
        max = v > max ? v : max;
    }
    for (int64_t i = 0; i < n; i++) sum += (double)p->exp[max - (x[i * stride] ^ flip)];
    const float scale = (float)(1 / (sum * (double)p->y.scale));
    for (int64_t i = 0; i < n; i++)
        y[i * stride] = ig_q_store(p->dtype, &p->y, p->exp[max - (x[i * stride] ^ flip)] * scale);
}

static void k_softmax(const void *params, void *const *operands, ig_part part)
{
    const softmax_params *p = params;
    const ig_softmax_view *v = &p->view;
    for (int64_t r = part.begin; r < part.end; r++) {
        const int64_t at = r / v->n_inner * v->n_axis * v->n_inner + r % v->n_inner;
        row(p, (const uint8_t *)operands[0] + at, (uint8_t *)operands[1] + at);
    }
}

static ig_status infer(ig_infer *c)
{
    int axis = 0;
    IG_TRY(ig_qlinear_unary_infer(c));
    if (c->in[0]->rank < 1) return INGOT_OK;
    return ig_axis(ig_attr_int(c->node, "axis", -1), c->in[0]->rank, &axis, c->err);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    ig_qparam qx, qy;
    softmax_params p;
    IG_TRY(ig_qparam_of_call(c, 1, 2, x->dtype, &qx));
    IG_TRY(ig_qparam_of_call(c, 3, 4, x->dtype, &qy));
    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    if (!c->out[0]) return INGOT_OK;
    fill(&p, x->dtype, &qx, &qy);
    IG_TRY(read_view(c->node, x->rank, x->dims, &p.view, c->err));
    void *const operands[] = { x->data, c->out[0]->data };
    k_softmax(&p, operands, (ig_part){ 0, p.view.n_outer * p.view.n_inner, 0 });
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    ig_qparam qx, qy;
    if (!ig_qparam_of_lower(l, 1, 2, &qx) || !ig_qparam_of_lower(l, 3, 4, &qy) ||
        !ig_info_is_static(l->in[0], dims))
        return INGOT_OK;
    softmax_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    fill(p, l->in[0]->type.dtype, &qx, &qy);
    IG_TRY(read_view(l->node, l->in[0]->rank, dims, &p->view, l->err));
    l->params = p;
    l->kernel = k_softmax;
    l->kernel_name = "ig_k_softmax_u8";
    l->n_operand_in = 1;
    l->n_work = p->view.n_outer * p->view.n_inner;
    l->grain = 1 + 16384 / (p->view.n_axis + 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "u8[1,2]{10,10} f32[]{0.1} u8[]{0} f32[]{0.00390625} u8[]{0} opset=13 = u8[1,2]{128,128}",
    "u8[3,12] c:f32[]{0.1} c:u8[]{9} c:f32[]{0.00390625} c:u8[]{0} opset=13 axis=-1",
    "i8[3,4,5] c:f32[]{0.1} c:i8[]{9} c:f32[]{0.00390625} c:i8[]{-128} opset=13 axis=1",
    "i8[3,4,5] c:f32[]{0.1} c:i8[]{9} c:f32[]{0.00390625} c:i8[]{-128} opset=11 axis=1",
    "u8[2,3] f32[]{1} u8[]{0} f32[]{1} u8[]{0} opset=13 axis=2 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_q_linear_softmax = {
    .onnx = "QLinearSoftmax",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 5 },
    .gaps = 1 << 2,
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
