/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent_read.c: attributes of recurrent operators: directions and activations. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "ops/recurrent.h"

/* alpha and beta lists give values to the activations that take them, in order. */
static const struct {
    const char *name;
    ig_gate_fn fn;
    bool has_alpha, has_beta;
    float alpha, beta;
} table[] = {
    { "Sigmoid", IG_GATE_SIGMOID, false, false, 0, 0 },
    { "Tanh", IG_GATE_TANH, false, false, 0, 0 },
    { "Relu", IG_GATE_RELU, false, false, 0, 0 },
    { "Affine", IG_GATE_AFFINE, true, true, 1, 0 },
    { "LeakyRelu", IG_GATE_LEAKY_RELU, true, false, 0.01f, 0 },
    { "ThresholdedRelu", IG_GATE_THRESHOLDED_RELU, true, false, 1, 0 },
    { "ScaledTanh", IG_GATE_SCALED_TANH, true, true, 1, 1 },
    { "HardSigmoid", IG_GATE_HARD_SIGMOID, true, true, 0.2f, 0.5f },
    { "Elu", IG_GATE_ELU, true, false, 1, 0 },
    { "Softsign", IG_GATE_SOFTSIGN, false, false, 0, 0 },
    { "Softplus", IG_GATE_SOFTPLUS, false, false, 0, 0 },
};

static int find_activation(ingot_string name)
{
    for (size_t i = 0; i < IG_COUNT(table); i++)
        if (strlen(table[i].name) == name.bytes &&
            strncasecmp(table[i].name, name.data, name.bytes) == 0)
            return (int)i;
    return -1;
}

static ig_status read_activations(const ig_node *node, ig_recurrent_kind kind,
                                  ig_recurrent_shape *s, ig_error *err)
{
    static const ig_gate_fn usual[3][3] = {
        [IG_RECURRENT_RNN] = { IG_GATE_TANH },
        [IG_RECURRENT_GRU] = { IG_GATE_SIGMOID, IG_GATE_TANH },
        [IG_RECURRENT_LSTM] = { IG_GATE_SIGMOID, IG_GATE_TANH, IG_GATE_TANH },
    };
    const size_t n = kind == IG_RECURRENT_LSTM ? 3 : kind == IG_RECURRENT_GRU ? 2 : 1;
    const ig_attr *names = ig_node_attr(node, "activations");
    size_t n_alpha, n_beta, i_alpha = 0, i_beta = 0;
    const float *alpha = ig_attr_floats(node, "activation_alpha", &n_alpha);
    const float *beta = ig_attr_floats(node, "activation_beta", &n_beta);
    const bool is_given = names && names->kind == IG_ATTR_STRINGS && names->n > 0;
    if (is_given && names->n != n * (size_t)s->n_dirs)
        return ig_fail(err, INGOT_ERR_INVALID, "%zu activations, expected %zu", names->n,
                       n * (size_t)s->n_dirs);
    for (size_t i = 0; i < n * (size_t)s->n_dirs; i++) {
        const int at = is_given ? find_activation(names->strings[i]) : -1;
        ig_gate_act *act = &s->cell[i / n].act[i % n];
        if (is_given && at < 0)
            return ig_fail(err, INGOT_ERR_INVALID, "unknown activation '%.*s'",
                           (int)(names->strings[i].bytes < 40 ? names->strings[i].bytes : 40),
                           names->strings[i].data);
        *act = (ig_gate_act){ .fn = usual[kind][i % n] };
        if (at < 0) continue;
        *act = (ig_gate_act){ table[at].fn, table[at].alpha, table[at].beta };
        if (table[at].has_alpha && i_alpha < n_alpha) act->alpha = alpha[i_alpha++];
        if (table[at].has_beta && i_beta < n_beta) act->beta = beta[i_beta++];
    }
    return INGOT_OK;
}

ig_status ig_recurrent_read(const ig_node *node, ig_recurrent_kind kind, ig_recurrent_shape *s,
                            ig_error *err)
{
    const float clip = ig_attr_float(node, "clip", 0);
    *s = (ig_recurrent_shape){ .kind = kind, .n_dirs = 1 };
    if (ig_attr_is(node, "direction", "bidirectional", false))
        s->n_dirs = 2, s->is_reverse[1] = true;
    else if (ig_attr_is(node, "direction", "reverse", false))
        s->is_reverse[0] = true;
    else if (!ig_attr_is(node, "direction", "forward", true))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "direction is none of forward, reverse, bidirectional");
    s->is_batch_first = ig_attr_int(node, "layout", 0) != 0;
    for (int d = 0; d < s->n_dirs; d++) {
        s->cell[d].clip = clip > 0 ? clip : INFINITY;
        s->cell[d].couples_input_forget = ig_attr_int(node, "input_forget", 0) != 0;
        s->cell[d].resets_after = ig_attr_int(node, "linear_before_reset", 0) != 0;
    }
    return read_activations(node, kind, s, err);
}
