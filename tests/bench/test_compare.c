/* SPDX-License-Identifier: Apache-2.0 */
/* test_compare.c: errors of outputs, rows that agree, and what cannot be compared. */
#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/diff.h"
#include "check.h"

static char folder[] = P_tmpdir "/ingot-compare-XXXXXX";
static char paths[2][64];

static ig_driver_tensor write_tensor(int i, const char *name, ingot_dtype dtype, const void *data,
                                     size_t bytes, int64_t rows, int64_t columns)
{
    snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
    FILE *file = fopen(paths[i], "wb");
    CHECK(file && fwrite(data, 1, bytes, file) == bytes);
    if (file) fclose(file);
    return (ig_driver_tensor){
        .name = name, .file = paths[i], .dtype = dtype, .rank = 2, .dims = { rows, columns }
    };
}

static ig_difference compare(const float *a, const float *b)
{
    ig_error err = { 0 };
    ig_difference d;
    const ig_driver_tensor x = write_tensor(0, "y", INGOT_FLOAT, a, 16, 2, 2);
    const ig_driver_tensor y = write_tensor(1, "y", INGOT_FLOAT, b, 16, 2, 2);
    CHECK(ig_compare_outputs(&x, 1, &y, 1, &d, &err) == INGOT_OK);
    return d;
}

static void test_floats(void)
{
    const float a[] = { 1, 2, 4, 3 }, close[] = { 1, 2.5f, 4, 3 }, swapped[] = { 2, 1, 4, 3 };
    const float with_nan[] = { 1, NAN, 4, 3 }, with_inf[] = { 1, INFINITY, 4, 3 };
    ig_difference d = compare(a, a);
    CHECK(d.max_error == 0 && d.rms_error == 0 && d.top1 == 1);
    d = compare(a, close);
    CHECK(d.max_error == 0.5 && fabs(d.rms_error - sqrt(0.25 / 30)) < 1e-12 && d.top1 == 1);
    d = compare(a, swapped);
    CHECK(d.max_error == 1 && d.top1 == 0.5);
    CHECK(isinf(compare(a, with_nan).rms_error)); /* must not hide */
    CHECK(isinf(compare(with_nan, a).rms_error));
    CHECK(compare(with_nan, with_nan).rms_error == 0);
    CHECK(isinf(compare(a, with_inf).max_error) && compare(with_inf, with_inf).max_error == 0);
}

static void test_types(void)
{
    static const struct {
        ingot_dtype dtype;
        uint64_t bits[2];
        double difference;
    } cases[] = {
        { INGOT_FLOAT16, { 0x3c00, 0xc000 }, 3 }, /* 1, -2 */
        { INGOT_FLOAT16, { 0x0001, 0x0000 }, 0x1p-24 },
        { INGOT_FLOAT16, { 0x7bff, 0x0000 }, 65504 },
        { INGOT_BFLOAT16, { 0x3f80, 0xc000 }, 3 },
        { INGOT_INT8, { 0xff, 0x7f }, 128 },
        { INGOT_UINT8, { 0xff, 0 }, 255 },
        { INGOT_BOOL, { 1, 0 }, 1 },
        { INGOT_INT64, { UINT64_MAX, 1 }, 2 },
    };
    for (size_t i = 0; i < IG_COUNT(cases); i++) {
        double max = 0, difference = 0, reference = 0;
        ig_compare_arrays(cases[i].dtype, &cases[i].bits[0], &cases[i].bits[1], 1, &max,
                          &difference, &reference);
        CHECK(max == cases[i].difference && difference == max * max);
    }
}

static void test_misfits(void)
{
    const float a[] = { 1, 2, 4, 3 };
    ig_error err = { 0 };
    ig_difference d;
    const ig_driver_tensor x = write_tensor(0, "x", INGOT_FLOAT, a, 16, 2, 2);
    ig_driver_tensor y = write_tensor(1, "x", INGOT_FLOAT, a, 16, 2, 2);
    CHECK(ig_compare_outputs(&x, 1, NULL, 0, &d, &err) == INGOT_OK && isinf(d.rms_error));
    y.dims[1] = 3;
    CHECK(ig_compare_outputs(&x, 1, &y, 1, &d, &err) == INGOT_OK && isinf(d.rms_error));
    y = write_tensor(1, "x", INGOT_FLOAT, a, 12, 2, 2);
    CHECK(ig_compare_outputs(&x, 1, &y, 1, &d, &err) == INGOT_ERR_PARSE);
    CHECK(strstr(err.message, "12 bytes and not 16") != NULL);
    ig_error_clear(&err);
    y.file = "/nonexistent";
    CHECK(ig_compare_outputs(&x, 1, &y, 1, &d, &err) == INGOT_ERR_IO);
    ig_error_clear(&err);
    /* Sizes that no memory holds. */
    ig_driver_tensor huge = x;
    huge.dims[0] = huge.dims[1] = (int64_t)1 << 40;
    CHECK(ig_compare_outputs(&huge, 1, &huge, 1, &d, &err) == INGOT_ERR_UNSUPPORTED);
    ig_error_clear(&err);
    /* Names go before places. */
    const float b[] = { 9, 9, 9, 9 };
    ig_driver_tensor both[2] = { write_tensor(1, "other", INGOT_FLOAT, b, 16, 2, 2), x };
    CHECK(ig_compare_outputs(&x, 1, both, 2, &d, &err) == INGOT_OK && d.rms_error == 0);
    both[1].name = "another"; /* by place: the first */
    CHECK(ig_compare_outputs(&x, 1, both, 2, &d, &err) == INGOT_OK && d.max_error == 8);
}

static void test_verdicts(void)
{
    const ig_estimate slower = { 1.1, 1.05, 1.15 }, faster = { 0.8, 0.75, 0.85 };
    const ig_estimate wide = { 1.02, 0.9, 1.1 }, narrow = { 1.02, 1.01, 1.025 };
    CHECK(ig_diff_judge(&slower, 0.03) == IG_DIFF_SLOWER);
    CHECK(ig_diff_judge(&slower, 0.1) == IG_DIFF_UNSURE);
    CHECK(ig_diff_judge(&slower, 0.2) == IG_DIFF_SAME);
    CHECK(ig_diff_judge(&faster, 0.03) == IG_DIFF_FASTER);
    CHECK(ig_diff_judge(&wide, 0.03) == IG_DIFF_UNSURE);
    CHECK(ig_diff_judge(&wide, 0) == IG_DIFF_SAME);
    CHECK(ig_diff_judge(&narrow, 0.03) == IG_DIFF_SAME);
    CHECK(ig_diff_judge(&narrow, 0) == IG_DIFF_SLOWER);
}

int main(void)
{
    if (!CHECK(mkdtemp(folder) != NULL)) return check_report();
    test_floats();
    test_types();
    test_misfits();
    test_verdicts();
    for (int i = 0; i < 2; i++) unlink(paths[i]);
    rmdir(folder);
    return check_report();
}
