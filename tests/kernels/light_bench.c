/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the benchmarks of the light kernel families: all, or those named. One thread. */
#include "light.h"

#define IG_LIGHT_FAMILY(name) void ig_bench_##name(void);
#include "light_families.inc"
#undef IG_LIGHT_FAMILY

int main(int argc, char **argv)
{
#define IG_LIGHT_FAMILY(name)                                                                      \
    for (int a = argc > 1; a < argc; a++)                                                          \
        if (a == 0 || strcmp(argv[a], #name) == 0) ig_bench_##name();
#include "light_families.inc"
    return 0;
}
