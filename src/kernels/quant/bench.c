/* SPDX-License-Identifier: Apache-2.0 */
/* Billions of 8-bit multiply-adds a second. */
#include "../tests/kernels/light.h"
#include "kernels/quant/quant.h"

void ig_bench_quant(void);

static void bench(const char *name, ig_isa isa, ig_qconv_shape s)
{
    ig_qconv_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    s.w_is_packed = true;
    if (ig_qconv_plan(&s, isa, &p, &fn, &err)) printf("%s\n", err.message);
    const size_t x_bytes = (size_t)(s.batch * s.in[0] * s.in[1] * s.in[2] * s.c_in);
    const size_t w_bytes = (size_t)(p.k * s.c_out), y_bytes = (size_t)(p.m_rows * s.c_out);
    float scale = 0.01f;
    uint8_t zero = 3;
    void *raw = calloc(1, w_bytes), *packed = aligned_alloc(64, ig_qconv_packed_bytes(&p));
    ig_qconv_pack_w(&p, raw, &zero, packed);
    void *op[11] = { calloc(1, x_bytes),
                     packed,
                     NULL,
                     &zero,
                     &zero,
                     &scale,
                     &scale,
                     &scale,
                     &zero,
                     calloc(1, y_bytes),
                     aligned_alloc(64, p.scratch_bytes_per_thread) };
    const double t = light_time(fn, &p, op, p.n_work);
    const double macs = (double)p.m_rows * (double)s.c_out * (double)p.k;
    printf("%-34s %-28s %8.1f us %6.1f GMAC/s\n", name, ig_qconv_kernel_name(&p), t * 1e6,
           macs / t / 1e9);
    free(raw), free(packed), free(op[0]), free(op[9]), free(op[10]);
}

void ig_bench_quant(void)
{
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        ig_qconv_shape s;
        ig_qmatmul_shape_init(&s, 128, 768, 768);
        bench("product 128x768x768", isa, s);
        ig_qmatmul_shape_init(&s, 1, 1000, 1280);
        bench("product 1x1000x1280", isa, s);
        ig_qconv_shape_init(&s);
        s.in[1] = s.in[2] = s.out[1] = s.out[2] = 28;
        s.c_in = s.c_out = 128;
        bench("conv 1x1 28x28x128", isa, s);
        s.kernel[1] = s.kernel[2] = 3, s.pad[1] = s.pad[2] = 1;
        bench("conv 3x3 28x28x128", isa, s);
        s.groups = 128;
        bench("depthwise 3x3 28x28x128", isa, s);
    }
}
