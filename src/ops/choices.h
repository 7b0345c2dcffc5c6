/* SPDX-License-Identifier: Apache-2.0 */
/* choices.h: what a caller decides about the kernels of a model, where there are several. */
#ifndef IG_OPS_CHOICES_H
#define IG_OPS_CHOICES_H

#include "kernels/winograd/winograd.h"

/* All zeros: the defaults. */
typedef struct ig_choices {
    ingot_precision precision;
    bool is_conv_forced;
    ig_conv_algorithm conv; /* if forced: where it fits */
} ig_choices;

/* What the options say. `force` is a list of FAMILY:KERNEL, see ingot_model_options; NULL:
 * environment INGOT_FORCE. INGOT_ERR_INVALID: names that do not exist, and kernels that the
 * precision does not allow. */
ig_status ig_choices_of(ingot_precision precision, const char *force, ig_choices *out,
                        ig_error *err) IG_MUST_USE;

/* The algorithms that a convolution may use, as ig_winograd_choose takes them. */
unsigned ig_choices_conv(const ig_choices *choices);

#endif
