/* SPDX-License-Identifier: Apache-2.0 */
/* uarch.h: what the blocking of kernels needs to know about the CPU. */
#ifndef IG_KERNELS_UARCH_H
#define IG_KERNELS_UARCH_H

#include "base/cpu.h"

typedef struct ig_uarch {
    const char *name;     /* as in ig_cpu, or "" for the row derived from cache sizes */
    size_t panel_bytes;   /* of a packed panel that is read again and again: stays in L1 */
    size_t b_block_bytes; /* of the part of B that a work item owns: stays in L2 */
    int m_block;          /* rows of A that go over such a part */
} ig_uarch;

/* The row of this CPU; from its cache sizes when the table does not have it. */
ig_uarch ig_uarch_get(void);

#endif
