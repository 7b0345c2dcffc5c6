/* SPDX-License-Identifier: Apache-2.0 */
/* test_page.c: axes, escaping, texts of numbers, sums of files, memory over time; allocations that
 * fail. */
#include <math.h>

#include "bench/checksum.h"
#include "bench/facts.h"
#include "bench/junit.h"
#include "bench/markup.h"
#include "bench/memory_trace.h"
#include "bench/page/axis.h"
#include "bench/page/page.h"
#include "bench/view.h"
#include "check.h"

/* ---- axes ---- */

static void check_ticks(double low, double high, bool is_log, int n_wanted)
{
    ig_axis a;
    ig_axis_init(&a, "x (s)", is_log);
    ig_axis_include(&a, low);
    ig_axis_include(&a, high);
    ig_axis_settle(&a, n_wanted);
    a.from = 0;
    a.to = 100;
    CHECK(a.low <= low * (1 + 1e-9) && a.high >= high * (1 - 1e-9));
    CHECK(a.n_ticks >= 1 && a.n_ticks <= IG_AXIS_MAX_TICKS);
    for (int i = 1; i < a.n_ticks; i++) CHECK(a.ticks[i] > a.ticks[i - 1]);
    for (int i = 0; i < a.n_ticks; i++) {
        const double at = ig_axis_at(&a, a.ticks[i]);
        CHECK(at >= -1e-6 && at <= 100 + 1e-6);
    }
    CHECK(ig_axis_at(&a, NAN) >= 0 && ig_axis_at(&a, -INFINITY) == 0);
    CHECK(ig_axis_at(&a, INFINITY) == 100);
}

static void test_axes(void)
{
    static const double ends[][2] = { { 1, 2 },    { 0.001, 0.0011 }, { 5, 5 },       { 1e-9, 1e9 },
                                      { 3, 2999 }, { 1e-8, 0.02 },    { 0.97, 1.03 }, { 1, 1e15 } };
    for (size_t i = 0; i < IG_COUNT(ends); i++)
        for (int n = 3; n < 11; n++) {
            check_ticks(ends[i][0], ends[i][1], false, n);
            check_ticks(ends[i][0], ends[i][1], true, n);
        }
    check_ticks(0, 0, false, 5);
    check_ticks(-3, 7, false, 5);
}

static void test_labels(void)
{
    ig_axis a;
    char buf[32];
    double scale;
    ig_axis_init(&a, "x (1)", false);
    ig_axis_include(&a, 0);
    ig_axis_include(&a, 1);
    ig_axis_settle(&a, 5);
    CHECK_STRING(ig_axis_label(&a, 1, buf), "0.2");
    ig_axis_init(&a, "x (1)", true);
    ig_axis_include(&a, 1e-7);
    ig_axis_include(&a, 1e-2);
    ig_axis_settle(&a, 6);
    CHECK_STRING(ig_axis_label(&a, 0, buf), "10⁻⁷");
    ig_axis_init(&a, "x (1)", false);
    ig_axis_settle(&a, 5); /* no values */
    CHECK(a.n_ticks > 0 && a.high > a.low);
    a = (ig_axis){ .title = "x (1)", .is_whole = true, .low = 0, .high = 3 };
    ig_axis_settle(&a, 6);
    CHECK(a.n_ticks == 4);
    CHECK_STRING(ig_axis_time_unit(7.3e6, &scale), "ms");
    CHECK(scale == 1e-6);
    CHECK_STRING(ig_axis_time_unit(1500, &scale), "ns");
}

/* ---- texts ---- */

static void check_markup(const char *text, size_t n_columns, const char *want)
{
    ig_str out;
    ig_str_init(&out, ig_alloc_default());
    ig_markup_cut(&out, text, n_columns);
    CHECK_STRING(ig_str_cstr(&out), want);
    ig_str_deinit(&out);
}

static void test_markup(void)
{
    check_markup("a<b> & \"c\" 'd'", 99, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    check_markup("bell\a, half \xc3, \xff", 99,
                 "bell\xef\xbf\xbd, half \xef\xbf\xbd, \xef\xbf\xbd");
    check_markup("\xe2\x80\xae"
                 "fdp",
                 99,
                 "\xef\xbf\xbd"
                 "fdp");
    check_markup("abcdef", 6, "abcdef");
    check_markup("abcdefg", 6, "abcde…");
    check_markup("\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82", 5, "\xe5\xb1\x82\xe5\xb1\x82…");
    check_markup("<<<", 2, "&lt;…");
    check_markup("", 2, "");
}

static void test_numbers(void)
{
    char buf[32], long_buf[96];
    ig_samples s = { .alloc = ig_alloc_default() };
    ig_error err = { INGOT_OK, "" };
    CHECK_STRING(ig_view_time(7.3214e6, buf), "7.321 ms");
    CHECK_STRING(ig_view_time(999.96e3, buf), "1.000 ms");
    CHECK_STRING(ig_view_time(12, buf), "12.00 ns");
    CHECK_STRING(ig_view_time(2.5e11, buf), "250.0 s");
    CHECK_STRING(ig_view_time(NAN, buf), "?");
    CHECK_STRING(ig_view_bytes(38.9e6, buf), "38.90 MB");
    for (int i = 0; i < 5; i++) CHECK(!ig_samples_add(&s, 1e6, &err));
    CHECK_STRING(ig_view_quantile(&s, 0.5, long_buf), "not enough samples: 5 of 6");
    CHECK(!ig_samples_add(&s, 1e6, &err));
    CHECK_STRING(ig_view_quantile(&s, 0.5, long_buf), "1.000 ms (1.000 ms to 1.000 ms)");
    ig_samples_free(&s);
}

static void test_shell_words(void)
{
    ig_str out;
    ig_str_init(&out, ig_alloc_default());
    ig_shell_put_word(&out, "a b");
    ig_shell_put_word(&out, "it's");
    ig_shell_put_word(&out, "--x=1.5");
    ig_shell_put_word(&out, "");
    CHECK_STRING(ig_str_cstr(&out), "'a b''it'\\''s'--x=1.5''");
    ig_str_deinit(&out);
}

/* Lengths round the ends of blocks; the sums are those of coreutils. */
static void test_checksum(void)
{
    static const struct {
        size_t n;
        const char *hex;
    } cases[] = {
        { 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
        { 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
        { 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
        { 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3" },
    };
    static char text[1000], hex[65];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < IG_COUNT(cases); i++) {
        ig_sha256(text, cases[i].n, hex);
        CHECK_STRING(hex, cases[i].hex);
    }
}

/* ---- memory ---- */

static void test_memory_trace(void)
{
    static ig_memory_trace t;
    ig_memory_trace_sample_now(&t, 0); /* nobody began it */
    CHECK(t.n == 0);
    ig_memory_trace_begin(&t, 1);
    for (int i = 0; i < 3 * IG_TRACE_MAX_POINTS; i++) ig_memory_trace_sample_now(&t, 0);
    CHECK(t.n > IG_TRACE_MAX_POINTS / 4 && t.n <= IG_TRACE_MAX_POINTS);
    for (size_t i = 1; i < t.n; i++) CHECK(t.points[i].at_s >= t.points[i - 1].at_s);
    CHECK(t.points[0].rss_bytes > 0);
    const size_t n = t.n;
    ig_memory_trace_sample(&t, 0); /* too early */
    CHECK(t.n == n);
    ig_memory_trace_sample_now(&t, 0x7ffffff0); /* no such process */
    CHECK(t.n == n);
    for (int i = 0; i < 20; i++) ig_memory_trace_mark(&t, "again");
    CHECK(t.n_marks == 1);
}

/* ---- memory that runs out ---- */

/* A page and test cases of a small measurement; false when an allocation failed and was told. */
static bool make_page(ig_alloc *alloc, const ig_bench_report *report)
{
    ig_arena arena;
    ig_page page;
    ig_junit junit;
    ig_str out, cases;
    ig_view view;
    ig_error err = { INGOT_OK, "" };
    ig_arena_init(&arena, alloc, INGOT_MEM_OTHER);
    ig_page_init(&page, alloc);
    ig_junit_init(&junit, alloc);
    ig_str_init(&out, alloc);
    ig_str_init(&cases, alloc);
    ig_facts machine = { .arena = &arena };
    bool is_whole = ig_view_of_bench(report, &arena, &view, &err) == INGOT_OK;
    if (is_whole) {
        ig_page_add(&page, &view);
        ig_page_add_failure(&page, "m", "why");
        ig_junit_add(&junit, &view);
        ig_junit_add_failure(&junit, "m", "why");
        ig_machine_facts(&machine);
        ig_page_put(&page, &machine, &machine, &out);
        ig_junit_put(&junit, &cases);
        is_whole = ig_str_ok(&out) && ig_str_ok(&cases) && !machine.has_failed;
    } else {
        CHECK(err.status == INGOT_ERR_NOMEM);
    }
    ig_str_deinit(&cases);
    ig_str_deinit(&out);
    ig_junit_deinit(&junit);
    ig_page_deinit(&page);
    ig_arena_deinit(&arena);
    return is_whole;
}

static void test_failing_allocations(void)
{
    static ig_bench_result r;
    ingot_model_info info = { .struct_bytes = sizeof info };
    ig_bench_report report = { .model = "/dev/null", .info = &info, .result = &r };
    ig_error err = { INGOT_OK, "" };
    bool is_whole = false;
    ig_bench_result_init(&r, ig_alloc_default());
    r.plan = (ig_bench_plan){ .duration_s = 1, .n_sessions = 1 };
    r.total_s = 1;
    for (int i = 0; i < 9; i++) CHECK(!ig_samples_add(&r.latency_ns, 1e6 + i, &err));
    int k = 1;
    for (; k < 1000 && !is_whole; k++) {
        ig_alloc alloc;
        ig_alloc_init(&alloc, NULL, 0);
        alloc.fail_countdown = k;
        is_whole = make_page(&alloc, &report);
        /* Every failure was told: what is whole did without. */
        CHECK(is_whole == (alloc.fail_countdown > 0));
        CHECK(alloc.total == 0);
    }
    CHECK(is_whole && k > 10);
    ig_bench_result_free(&r);
}

int main(void)
{
    test_axes();
    test_labels();
    test_markup();
    test_numbers();
    test_shell_words();
    test_checksum();
    test_memory_trace();
    test_failing_allocations();
    return check_report();
}
