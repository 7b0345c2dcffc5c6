/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of the light kernel families: all, or those named. */
#include "light.h"

#define IG_LIGHT_FAMILY(name) void ig_test_##name(void);
#include "light_families.inc"
#undef IG_LIGHT_FAMILY

static const struct {
    const char *name;
    void (*run)(void);
} families[] = {
#define IG_LIGHT_FAMILY(name) { #name, ig_test_##name },
#include "light_families.inc"
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < IG_COUNT(families); i++) {
        bool is_wanted = argc < 2;
        for (int a = 1; a < argc; a++) is_wanted |= strcmp(argv[a], families[i].name) == 0;
        if (!is_wanted) continue;
        const int before = light_n_failed();
        const int64_t checks = light_n_checks();
        families[i].run();
        printf("%-8s %lld checks, %d failed\n", families[i].name,
               (long long)(light_n_checks() - checks), light_n_failed() - before);
    }
    return light_n_failed() != 0;
}
