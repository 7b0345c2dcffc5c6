/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h: the least that a test needs. CHECK counts; a failing one prints where and what. main
 * ends with `return check_report();`, which prints "N passed, N failed" and gives the exit status.
 */
#ifndef IG_TESTS_CHECK_H
#define IG_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
    int n_passed, n_failed;
} check_counts;

static inline bool check_that(bool is_ok, const char *file, int line, const char *text)
{
    if (is_ok) {
        check_counts.n_passed++;
    } else {
        check_counts.n_failed++;
        printf("%s:%d: failed: %s\n", file, line, text);
    }
    return is_ok;
}

static inline bool check_string(const char *got, const char *want, const char *file, int line)
{
    const bool is_ok = got && strcmp(got, want) == 0;
    check_that(is_ok, file, line, "strings are equal");
    if (!is_ok) printf("  got:  %s\n  want: %s\n", got ? got : "(null)", want);
    return is_ok;
}

static inline int check_report(void)
{
    printf("%d passed, %d failed\n", check_counts.n_passed, check_counts.n_failed);
    return check_counts.n_failed ? 1 : 0;
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_STRING(got, want) check_string((got), (want), __FILE__, __LINE__)

#endif
