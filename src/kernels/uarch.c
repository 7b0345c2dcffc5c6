/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/uarch.h"

#include <string.h>

/* Measured or reasoned choices that differ from what the cache sizes alone would give. */
static const ig_uarch table[] = {
    { "zen2", 16 << 10, 256 << 10, 96 },
    { "zen3", 16 << 10, 256 << 10, 96 },
    { "zen4", 32 << 10, 512 << 10, 96 },
    { "zen5", 48 << 10, 512 << 10, 96 },
    { "skylake-avx512", 32 << 10, 512 << 10, 96 },
    { "icelake-server", 48 << 10, 640 << 10, 96 },
    { "sapphirerapids", 48 << 10, 1024 << 10, 96 },
};

ig_uarch ig_uarch_get(void)
{
    const ig_cpu *cpu = ig_cpu_get();
    for (size_t i = 0; i < IG_COUNT(table); i++)
        if (strcmp(cpu->uarch, table[i].name) == 0) return table[i];
    ig_uarch row = { "", cpu->l1d_bytes / 2, cpu->l2_bytes / 2, 96 };
    if (row.panel_bytes < (8 << 10)) row.panel_bytes = 8 << 10;
    if (row.b_block_bytes < (64 << 10)) row.b_block_bytes = 64 << 10;
    return row;
}
