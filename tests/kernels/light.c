/* SPDX-License-Identifier: Apache-2.0 */
#include "light.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

uint64_t light_rng(void)
{
    rng_state ^= rng_state << 13, rng_state ^= rng_state >> 7, rng_state ^= rng_state << 17;
    return rng_state;
}
int64_t light_int(int64_t lo, int64_t hi)
{
    return lo + (int64_t)((light_rng() >> 11) % (uint64_t)(hi - lo + 1));
}
float light_float(float lo, float hi)
{
    return lo + (hi - lo) * ((float)(light_rng() >> 40) / 16777216.0f);
}
float light_special(void)
{
    static const float special[] = { 0.0f, -0.0f, NAN,  INFINITY, -INFINITY, 1e-41f, -3e38f, 1e10f,
                                     0.5f, 1.5f,  2.5f, 65504.0f, 65520.0f,  300.0f, -129.0f };
    if (light_int(0, 9) == 0) return special[light_int(0, (int64_t)IG_COUNT(special) - 1)];
    return light_float(-4, 4);
}

#define FRONT_BYTES 64
typedef struct block {
    void *map;
    size_t map_bytes;
    unsigned char *data;
} block;
static block blocks[256];

void *light_alloc(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (bytes + FRONT_BYTES + page - 1) / page * page;
    unsigned char *map =
        mmap(NULL, inner + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    mprotect(map + inner, page, PROT_NONE);
    memset(map, 0xa5, inner);
    for (size_t i = 0; i < IG_COUNT(blocks); i++)
        if (!blocks[i].map) {
            blocks[i] = (block){ map, inner + page, map + inner - bytes };
            return blocks[i].data;
        }
    fprintf(stderr, "too many test buffers\n");
    exit(1);
}
void light_free(void *ptr)
{
    if (!ptr) return;
    for (size_t i = 0; i < IG_COUNT(blocks); i++)
        if (blocks[i].map && blocks[i].data == ptr) {
            bool ok = true;
            for (int k = 1; k <= FRONT_BYTES; k++) ok = ok && blocks[i].data[-k] == 0xa5;
            light_check(ok, "wrote in front of a buffer");
            munmap(blocks[i].map, blocks[i].map_bytes);
            blocks[i].map = NULL;
            return;
        }
}

static int n_failed;
static int64_t n_checks;
bool light_check(bool ok, const char *format, ...)
{
    n_checks++;
    if (ok) return true;
    if (n_failed++ < 20) {
        va_list args;
        va_start(args, format);
        printf("FAIL ");
        vprintf(format, args);
        printf("\n");
        va_end(args);
    }
    return false;
}
int light_n_failed(void) { return n_failed; }
int64_t light_n_checks(void) { return n_checks; }

int light_isa(int i)
{
#ifdef IG_SIMD_EMULATE
    return i == 0 ? IG_ISA_AVX512 : -1;
#else
    for (int isa = IG_ISA_PORTABLE; isa < IG_N_ISAS; isa++)
        if (ig_cpu_get()->has_isa[isa] && i-- == 0) return isa;
    return -1;
#endif
}

void light_run(ig_kernel_fn fn, const void *params, void *const *operands, int64_t n_work,
               bool in_parts)
{
    if (!in_parts) {
        fn(params, operands, (ig_part){ 0, n_work, 0 });
        return;
    }
    int64_t cut[6] = { 0, 0, 0, 0, 0, n_work };
    for (int i = 1; i < 5; i++) cut[i] = light_int(cut[i - 1], n_work);
    static const int order[] = { 3, 0, 4, 2, 1 };
    for (int i = 0; i < 5; i++)
        fn(params, operands, (ig_part){ cut[order[i]], cut[order[i] + 1], 0 });
}

bool light_close(float got, double want, double rtol, double atol)
{
    if (isnan(want)) return isnan(got);
    if (isinf((float)want)) return got == (float)want;
    return fabs((double)got - want) <= atol + rtol * fabs(want);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double light_time(ig_kernel_fn fn, const void *params, void *const *operands, int64_t n_work)
{
    double best = 1e9;
    const double start = now();
    for (int i = 0; i < 1000 && now() - start < 0.2; i++) {
        const double t = now();
        fn(params, operands, (ig_part){ 0, n_work, 0 });
        if (now() - t < best) best = now() - t;
    }
    return best;
}
