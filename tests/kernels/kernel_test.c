/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_MAPS = 64 };
static struct {
    void *at;
    size_t bytes;
} maps[MAX_MAPS];
static int n_maps;
static uint64_t state = 1;
static int n_passed, n_failed;

static char *guarded(size_t bytes, size_t *pages_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *pages_bytes = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, *pages_bytes + 2 * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || n_maps == MAX_MAPS || mprotect(p, page, PROT_NONE) ||
        mprotect(p + page + *pages_bytes, page, PROT_NONE)) {
        fprintf(stderr, "kernel tests: cannot map %zu bytes\n", bytes);
        exit(2);
    }
    maps[n_maps].at = p;
    maps[n_maps++].bytes = *pages_bytes + 2 * page;
    memset(p + page, 0xff, *pages_bytes); /* NaN */
    return p + page;
}

float *kt_floats(int64_t n)
{
    size_t pages_bytes;
    char *p = guarded((size_t)n * sizeof(float), &pages_bytes);
    return (float *)(void *)(p + pages_bytes - (size_t)n * sizeof(float));
}

void *kt_scratch(size_t bytes)
{
    size_t pages_bytes;
    char *p = guarded(bytes, &pages_bytes);
    return p + (pages_bytes - bytes) / 64 * 64;
}

void kt_free_all(void)
{
    while (n_maps > 0) {
        n_maps--;
        munmap(maps[n_maps].at, maps[n_maps].bytes);
    }
}

void kt_seed(uint64_t seed) { state = seed * 0x9e3779b97f4a7c15u + 1; }

uint32_t kt_random(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

void kt_fill_exact(float *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) p[i] = ((float)kt_random(17) - 8.0f) * 0.25f;
}

void kt_fill_uniform(float *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) p[i] = (float)kt_random(1u << 24) * 0x1p-23f - 1.0f;
}

void kt_sprinkle(float *p, int64_t n, uint32_t one_in)
{
    const float odd[] = { NAN, INFINITY, -INFINITY };
    for (int64_t i = 0; i < n; i++)
        if (kt_random(one_in) == 0) p[i] = odd[kt_random(3)];
}

static void reset(float *y, int64_t n, const float *start)
{
    if (start)
        memcpy(y, start, (size_t)n * sizeof(float));
    else
        memset(y, 0xff, (size_t)n * sizeof(float));
}

bool kt_run_split(const char *what, ig_kernel_fn fn, const void *params, void *const *operands,
                  int64_t n_work, int n_threads, float *y, int64_t n, const float *start)
{
    enum { MAX_PIECES = 8 };
    reset(y, n, start);
    if (n_work > 0) fn(params, operands, (ig_part){ 0, n_work, 0 });
    float *whole = malloc((size_t)n * sizeof(float) + 1);
    if (!whole) exit(2);
    memcpy(whole, y, (size_t)n * sizeof(float));
    reset(y, n, start);
    int64_t cuts[MAX_PIECES + 1] = { 0 };
    const int n_pieces = 1 + (int)kt_random(MAX_PIECES);
    for (int i = 1; i < n_pieces; i++)
        cuts[i] = cuts[i - 1] + (int64_t)kt_random((uint32_t)(n_work - cuts[i - 1] + 1));
    cuts[n_pieces] = n_work;
    const int first = (int)kt_random((uint32_t)n_pieces);
    for (int i = 0; i < n_pieces; i++) {
        const int at = (first + i) % n_pieces;
        if (cuts[at] == cuts[at + 1]) continue;
        fn(params, operands,
           (ig_part){ cuts[at], cuts[at + 1], (int)kt_random((uint32_t)n_threads) });
    }
    const bool is_same = n == 0 || memcmp(whole, y, (size_t)n * sizeof(float)) == 0;
    free(whole);
    return kt_check(is_same, "%s: the result depends on the split", what);
}

bool kt_check(bool is_ok, const char *format, ...)
{
    if (is_ok) {
        n_passed++;
        return true;
    }
    va_list args;
    va_start(args, format);
    printf("failed: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    n_failed++;
    return false;
}

static bool is_close(float got, float want, double tolerance)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (got == want) return true;
    const double size = fabs((double)want) > 1 ? fabs((double)want) : 1;
    return fabs((double)got - (double)want) <= tolerance * size;
}

bool kt_compare(const char *what, const float *got, const float *want, int64_t rows, int64_t cols,
                int64_t pitch, double tolerance)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            if (!is_close(got[i * pitch + j], want[i * pitch + j], tolerance))
                return kt_check(false, "%s: [%lld, %lld] is %.9g, not %.9g", what, (long long)i,
                                (long long)j, (double)got[i * pitch + j],
                                (double)want[i * pitch + j]);
        for (int64_t j = cols; i + 1 < rows && j < pitch; j++)
            if (!isnan(got[i * pitch + j]))
                return kt_check(false, "%s: wrote between the rows at [%lld, %lld]", what,
                                (long long)i, (long long)j);
    }
    return kt_check(true, "%s", what);
}

/* Time of this thread on a CPU: other work on the machine does not count. */
static uint64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double kt_time(void (*fn)(void *), void *ctx)
{
    const uint64_t begin = thread_ns();
    double best = 1e9;
    for (int i = 0; i < 5000 && (i < 3 || thread_ns() - begin < 200000000u); i++) {
        const uint64_t start = thread_ns();
        fn(ctx);
        const double s = (double)(thread_ns() - start) * 1e-9;
        if (s < best) best = s;
    }
    return best;
}

#ifdef KT_BENCH
#include "kernels/peak.h"

/* bench_kernels [ISA [FAMILY…]] */
int main(int argc, char **argv)
{
    ig_isa isa;
    ig_error err = { 0 };
    if (ig_isa_choose(argc > 1 ? argv[1] : NULL, &isa, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    const double peak = ig_kernels_peak_gflops(isa, 200);
    const ig_cpu *cpu = ig_cpu_get();
    printf("%s (%s), %s, peak of one core %.1f GFLOP/s\n", cpu->brand, cpu->uarch, ig_isa_name(isa),
           peak);
#define IG_FAMILY(name)                                                                            \
    for (int i = 2; i < argc || i == 2; i++)                                                       \
        if (argc <= 2 || strcmp(argv[i], #name) == 0) ig_bench_##name(isa, peak);
#include <families.inc>
    return 0;
}
#else
/* test_kernels [FAMILY…] */
int main(int argc, char **argv)
{
#define IG_FAMILY(name)                                                                            \
    for (int i = 1; i < argc || i == 1; i++)                                                       \
        if (argc <= 1 || strcmp(argv[i], #name) == 0) ig_test_##name();
#include <families.inc>
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed ? 1 : 0;
}
#endif
