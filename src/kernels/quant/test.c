/* SPDX-License-Identifier: Apache-2.0 */
/* Integer convolutions and products, bit for bit against the definition. */
#include "../tests/kernels/light.h"
#include "kernels/quant/quant.h"

void ig_test_quant(void);

enum { N_OPERANDS = 11 };

static void *random_bytes(int64_t n)
{
    static const uint8_t edges[] = { 0, 255, 127, 128, 1 };
    uint8_t *p = light_alloc((size_t)n);
    const bool is_extreme = light_int(0, 3) == 0;
    for (int64_t i = 0; i < n; i++)
        p[i] = is_extreme ? edges[light_int(0, 4)] : (uint8_t)light_rng();
    return p;
}

static float *random_scales(int64_t n, float lo, float hi)
{
    float *p = light_alloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) p[i] = light_float(lo, hi);
    return p;
}

static void random_types(ig_qconv_shape *s)
{
    static const ingot_dtype out[] = { INGOT_UINT8, INGOT_INT8, INGOT_INT32 };
    s->x_dtype = out[light_int(0, 1)], s->w_dtype = out[light_int(0, 1)];
    s->y_dtype = out[light_int(0, 2)];
    s->is_w_zero_per_channel = light_int(0, 1), s->is_w_scale_per_channel = light_int(0, 1);
    s->w_is_packed = light_int(0, 1);
}

static void random_conv(ig_qconv_shape *s)
{
    ig_qconv_shape_init(s);
    random_types(s);
    static const int64_t channels[] = { 1, 2, 3, 5, 8, 16, 17, 33, 40, 64 };
    const int kind = (int)light_int(0, 3);
    s->groups = kind == 0 ? channels[light_int(0, 9)] : kind == 1 ? light_int(1, 3) : 1;
    s->c_in = s->groups * (kind == 0 ? 1 : channels[light_int(0, 9)]);
    s->c_out = s->groups * (kind == 0 ? light_int(0, 3) ? 1 : 2 : channels[light_int(0, 9)]);
    s->batch = light_int(1, 2);
    for (int d = light_int(0, 4) ? 1 : 0; d < 3; d++) {
        s->kernel[d] = light_int(1, 3), s->stride[d] = light_int(1, 2);
        s->dilation[d] = light_int(1, 2), s->pad[d] = light_int(0, 2);
        s->in[d] = light_int(1, d == 0 ? 3 : 9), s->out[d] = light_int(1, d == 0 ? 2 : 7);
    }
    s->w_layout = light_int(0, 1) ? IG_QCONV_W_ONNX : IG_QCONV_W_OHWI;
    s->x_pitch = s->c_in + (light_int(0, 2) ? 0 : light_int(0, 3));
    s->y_pitch = s->c_out + (light_int(0, 2) ? 0 : light_int(0, 3));
}

static void random_product(ig_qconv_shape *s)
{
    ig_qmatmul_shape_init(s, light_int(1, 70), light_int(1, 90),
                          light_int(0, 9) ? light_int(1, 200) : 3000);
    random_types(s);
    const int64_t m = s->in[2], n = s->c_out, k = s->c_in;
    if (light_int(0, 2) == 0) {
        s->n_batch_dims = 2;
        s->batch_dims[0] = 2, s->batch_dims[1] = 3;
        const bool is_shared = light_int(0, 1);
        s->x_stride[0] = 3 * m * k, s->x_stride[1] = m * k;
        s->y_stride[0] = 3 * m * n, s->y_stride[1] = m * n;
        s->w_stride[1] = is_shared || s->w_is_packed ? 0 : k * n;
    }
}

static void test_one(ig_isa isa)
{
    ig_qconv_shape s;
    const bool is_product = light_int(0, 1);
    if (is_product)
        random_product(&s);
    else
        random_conv(&s);
    ig_qconv_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (!light_check(ig_qconv_plan(&s, isa, &p, &fn, &err) == INGOT_OK, "qconv: %s", err.message))
        return;
    const int64_t n_matrices = p.n_matrices, pixels = s.batch * s.in[0] * s.in[1] * s.in[2];
    const int64_t n_w = p.k * s.c_out * (s.w_stride[1] ? 3 : 1);
    const size_t y_bytes = s.y_dtype == INGOT_INT32 ? 4 : 1;
    const int64_t n_y = (p.m_rows * n_matrices - 1) * p.shape.y_pitch + s.c_out;
    void *op[N_OPERANDS] = { 0 };
    op[0] = random_bytes((pixels * n_matrices - 1) * p.shape.x_pitch + s.c_in);
    void *raw = op[1] = random_bytes(n_w);
    if (light_int(0, 1)) {
        op[2] = light_alloc((size_t)s.c_out * 4);
        for (int64_t i = 0; i < s.c_out; i++)
            ((int32_t *)op[2])[i] = (int32_t)light_int(-9999, 9999);
    }
    if (light_int(0, 1)) op[3] = random_bytes(1);
    if (light_int(0, 1)) op[4] = random_bytes(s.is_w_zero_per_channel ? s.c_out : 1);
    if (s.y_dtype != INGOT_INT32) {
        op[5] = random_scales(1, 0.01f, 0.1f);
        op[6] = random_scales(s.is_w_scale_per_channel ? s.c_out : 1, 0.001f, 0.1f);
        op[7] = random_scales(1, 0.2f, 2);
        if (light_int(0, 1)) op[8] = random_bytes(1);
    }
    unsigned char *want = light_alloc((size_t)n_y * y_bytes),
                  *got = light_alloc((size_t)n_y * y_bytes);
    op[9] = want;
    light_run(ig_k_qconv_ref, &p, op, ig_qconv_ref_n_work(&s), false);
    op[9] = got;
    char *scratch = light_alloc(p.scratch_bytes_per_thread + 63), *packed = NULL;
    op[10] = (void *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    if (s.w_is_packed) {
        packed = light_alloc(ig_qconv_packed_bytes(&p));
        ig_qconv_pack_w(&p, raw, op[4], packed);
        op[1] = packed;
    }
    light_run(fn, &p, op, p.n_work, light_int(0, 1));
    /* gaps between pixels keep what they held, too */
    light_check(memcmp(want, got, (size_t)n_y * y_bytes) == 0,
                "qconv %s: %lld x %lld x %lld, %lld groups, types %d %d %d, packed %d: wrong",
                ig_qconv_kernel_name(&p), (long long)p.m_rows, (long long)s.c_out, (long long)p.k,
                (long long)s.groups, (int)s.x_dtype, (int)s.w_dtype, (int)s.y_dtype, s.w_is_packed);
    light_free(raw), light_free(packed), light_free(scratch), light_free(want), light_free(got);
    light_free(op[0]);
    for (int i = 2; i < 9; i++) light_free(op[i]);
}

static void test_errors(ig_isa isa)
{
    ig_qconv_shape s;
    ig_qconv_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    ig_qmatmul_shape_init(&s, 2, 2, 2);
    s.x_dtype = INGOT_FLOAT;
    light_check(ig_qconv_plan(&s, isa, &p, &fn, &err) == INGOT_ERR_UNSUPPORTED && err.message[0],
                "qconv must refuse floats");
    ig_qmatmul_shape_init(&s, (int64_t)1 << 40, (int64_t)1 << 40, 2);
    err = (ig_error){ 0 };
    light_check(ig_qconv_plan(&s, isa, &p, &fn, &err) == INGOT_ERR_SHAPE, "qconv must refuse 2^80");
}

void ig_test_quant(void)
{
    for (int i = 0; light_isa(i) >= 0; i++) {
        test_errors((ig_isa)light_isa(i));
        for (int k = 0; k < 400 && light_n_failed() < 20; k++) test_one((ig_isa)light_isa(i));
    }
}
