/* SPDX-License-Identifier: Apache-2.0 */
/* test_noise.c: each kind of noise makes a reason, and quiet makes none. */
#include "bench/noise.h"

#include <math.h>

#include "base/clock.h"
#include "bench/scenario.h"
#include "check.h"

static ig_alloc alloc;

/* Ten quiet seconds on two CPUs, one of them at work. */
static void quiet(ig_noise_mark *a, ig_noise_mark *b)
{
    *a = (ig_noise_mark){ .at_ns = 1000000000u,
                          .busy_s = 100,
                          .steal_s = 1,
                          .n_cpus = 2,
                          .own_s = 1,
                          .n_throttled = 3,
                          .core_ns = 1000,
                          .trip_ns = 55,
                          .shares_cache = true };
    *b = *a;
    b->at_ns += 10000000000u;
    b->busy_s += 10;
    b->own_s += 10;
    b->n_switches += 20;
}

static bool is_reason(const ig_noise_mark *a, const ig_noise_mark *b, const char *word)
{
    ig_str reasons;
    ig_str_init(&reasons, &alloc);
    ig_noise_judge(a, b, 2, &reasons);
    const bool is_there = word ? reasons.n && strstr(ig_str_cstr(&reasons), word) : reasons.n > 0;
    ig_str_deinit(&reasons);
    return is_there;
}

static void test_judge(void)
{
    ig_noise_mark a, b;
    quiet(&a, &b);
    CHECK(!is_reason(&a, &b, NULL));
    b.steal_s += 1;
    CHECK(is_reason(&a, &b, "steal"));
    quiet(&a, &b);
    b.busy_s += 4;
    CHECK(is_reason(&a, &b, "other processes used 20 %"));
    quiet(&a, &b);
    b.n_switches += 100000;
    CHECK(is_reason(&a, &b, "context switches"));
    quiet(&a, &b);
    b.n_switches += 1000;
    CHECK(is_reason(&a, &b, "context switches"));
    b.n_turns = 100; /* ours: a process was woken a hundred times */
    CHECK(!is_reason(&a, &b, NULL));
    quiet(&a, &b);
    b.core_ns *= 1.2;
    CHECK(is_reason(&a, &b, "slower"));
    b.core_ns = 0.8 * a.core_ns;
    CHECK(is_reason(&a, &b, "faster"));
    quiet(&a, &b);
    b.n_throttled += 2;
    CHECK(is_reason(&a, &b, "in 2 periods"));
    b.n_throttled = -1;
    CHECK(!is_reason(&a, &b, NULL));
    quiet(&a, &b);
    b.trip_ns = 350;
    CHECK(is_reason(&a, &b, "the CPUs moved"));
    a.trip_ns = 340;
    CHECK(is_reason(&a, &b, "far apart"));
    a.shares_cache = b.shares_cache = false; /* far by nature, as the system says */
    CHECK(!is_reason(&a, &b, NULL));
    CHECK(fabs(ig_noise_steal(&a, &b)) < 1e-12);
}

static void test_parse(void)
{
    double busy = 0, steal = 0;
    CHECK(ig_noise_parse_stat("cpu  10 1 5 1000 7 2 3 4 0 0\ncpu0 1", &busy, &steal));
    CHECK(busy == 21 && steal == 4);
    CHECK(!ig_noise_parse_stat("intr 5", &busy, &steal));
    CHECK(!ig_noise_parse_stat("cpu  x", &busy, &steal));
    CHECK(ig_noise_parse_throttled("nr_periods 9\nnr_throttled 12\nthrottled_usec 5\n") == 12);
    CHECK(ig_noise_parse_throttled("usage_usec 5\n") == -1);
}

static void test_marks(void)
{
    ig_noise_mark a, b;
    ig_noise_take(&a, NULL);
    volatile double sum = 0;
    for (int i = 0; i < 20000000; i++) sum = sum + i;
    ig_noise_take(&b, NULL);
    CHECK(a.core_ns > 0 && b.at_ns > a.at_ns && b.own_s > a.own_s && b.busy_s >= a.busy_s);
    CHECK(a.n_cpus >= 1 && ig_noise_steal(&a, &b) >= 0 && ig_noise_foreign(&a, &b) >= 0);
    CHECK(a.trip_ns == 0 || (a.trip_ns > 5 && a.trip_ns < 1e6));
}

static void test_windows(void)
{
    ig_windows w;
    ig_error err = { 0 };
    ig_windows_init(&w, &alloc, 0.001);
    CHECK(isinf(ig_windows_spread(&w)));
    for (int i = 1; i <= 40; i++) /* 0.1 ms each, the first ten windows' worth slower */
        CHECK(ig_windows_add(&w, 1000000000u + (uint64_t)i * 100000, i <= 10 ? 2e5 : 1e5, &err) ==
              INGOT_OK);
    CHECK(w.medians.n == 4 || w.medians.n == 3);
    CHECK(w.medians.v[0] == 2e5 && ig_windows_spread(&w) <= 1);
    for (int i = 41; i <= 80; i++)
        CHECK(ig_windows_add(&w, 1000000000u + (uint64_t)i * 100000, 1e5, &err) == INGOT_OK);
    CHECK(ig_windows_spread(&w) == 0);
    ig_windows_free(&w);
}

static void test_sleep(void)
{
    const uint64_t when_ns = ig_clock_ns() + 3000000;
    ig_sleep_until(when_ns);
    CHECK(ig_clock_ns() >= when_ns);
    ig_sleep_until(0); /* is over already */
}

int main(void)
{
    ig_alloc_init(&alloc, NULL, 0);
    test_judge();
    test_parse();
    test_marks();
    test_windows();
    test_sleep();
    return check_report();
}
