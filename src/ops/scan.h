/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h: Scan of opset 8, which runs its body over a batch of sequences (scan_batch.c). */
#ifndef IG_OPS_SCAN_H
#define IG_OPS_SCAN_H

#include "ops/control.h"

/* The body of a Scan, and how its inputs and outputs divide. */
typedef struct ig_scan {
    const ig_attr *body;
    size_t n_states, n_scans, n_rows;
} ig_scan;

/* node has n_before inputs in front of the states. */
ig_status ig_scan_read(const ig_node *node, size_t n_before, ig_scan *s, ig_error *err) IG_MUST_USE;
/* Entry i of a list attribute, 0 when absent. */
int64_t ig_scan_list_at(const ig_node *node, const char *name, size_t i);

ig_status ig_infer_scan_batch(ig_infer *c);
ig_status ig_ref_scan_batch(ig_call *c);

#endif
