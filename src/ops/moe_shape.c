/* SPDX-License-Identifier: Apache-2.0 */
/* moe_shape.c: attributes and shapes of mixtures of experts. */
#include <math.h>
#include <string.h>

#include "ops/moe.h"

#define MAX_SIZE (INT64_C(1) << 28)
#define MAX_CHOSEN 1024 /* routing looks at all experts for each */

static ig_status read_activation(const ig_node *node, ig_moe_shape *s, int64_t *fusion,
                                 ig_error *err)
{
    static const struct {
        const char *name;
        ig_moe_act act;
    } known[] = { { "relu", IG_MOE_RELU },   { "gelu", IG_MOE_GELU },
                  { "silu", IG_MOE_SILU },   { "identity", IG_MOE_IDENTITY },
                  { "relu2", IG_MOE_RELU2 }, { "swiglu", IG_MOE_SWIGLU },
                  { "geglu", IG_MOE_GEGLU } };
    size_t i = 0;
    while (i < IG_COUNT(known) && !ig_attr_is(node, "activation_type", known[i].name, i == 0)) i++;
    if (i == IG_COUNT(known))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "activation_type is none of relu, gelu, silu, identity, relu2, swiglu, "
                       "geglu");
    s->act = known[i].act;
    s->alpha = ig_attr_float(node, "activation_alpha", 1);
    s->beta = ig_attr_float(node, "activation_beta", 0);
    s->limit = ig_attr_float(node, "swiglu_limit", INFINITY);
    s->clamps_after = ig_attr_int(node, "swiglu_limit_after_activation", 0) != 0;
    *fusion = ig_attr_int(node, "swiglu_fusion", 0);
    if (*fusion < 0 || *fusion > 2 || (s->act == IG_MOE_GEGLU && *fusion == 0))
        return ig_fail(err, INGOT_ERR_INVALID, "swiglu_fusion is %lld; %s", (long long)*fusion,
                       s->act == IG_MOE_GEGLU ? "geglu needs 1 or 2" : "it may be 0, 1 or 2");
    s->is_interleaved = *fusion == 1;
    return INGOT_OK;
}

static ig_status read_options(const ig_node *node, bool is_quantized, ig_moe_shape *s,
                              ig_error *err)
{
    s->n_chosen = ig_attr_int(node, "k", 1);
    s->normalises = ig_attr_int(node, "normalize_routing_weights", 0) != 0;
    if (s->n_chosen < 1 || s->n_chosen > MAX_CHOSEN)
        return ig_fail(err, INGOT_ERR_INVALID, "k is %lld, not within 1 to %d",
                       (long long)s->n_chosen, MAX_CHOSEN);
    if (ig_attr_int(node, "use_sparse_mixer", 0))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "use_sparse_mixer is not supported");
    if (is_quantized && !ig_attr_is(node, "quant_type", "int", true))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "quant_type is not int; other weights are for GPUs");
    return INGOT_OK;
}

static ig_status wrong(ig_error *err, const char *what, int matrix, const ig_info *x,
                       const int64_t *want, int rank)
{
    char have_text[96], want_text[96];
    return ig_fail(err, INGOT_ERR_SHAPE, "%s of matrix %d are %s, not %s", what, matrix + 1,
                   ig_shape_format(x->type.dtype, x->rank, x->dims, have_text, sizeof have_text),
                   ig_shape_format(INGOT_UNDEFINED, rank, want, want_text, sizeof want_text));
}

static bool has_shape(const ig_info *x, ingot_dtype dtype, const int64_t *want, int rank)
{
    if (x->type.dtype != dtype || x->rank != rank) return false;
    for (int d = 0; d < rank; d++)
        if (x->dims[d] != want[d]) return false;
    return true;
}

static int64_t packed_bytes(int64_t n, int bits) { return (n * bits + 7) / 8; }

/* Scales and zero points of matrix j. */
static ig_status check_quantized(const ig_node *node, int j, const ig_info *const *in,
                                 int64_t n_experts, ig_moe_matrix *m, ig_error *err)
{
    const ig_info *scales = in[ig_moe_operand(j, IG_MOE_S)],
                  *zeros = in[ig_moe_operand(j, IG_MOE_Z)];
    const int64_t block = ig_attr_int(node, "block_size", 0);
    const int64_t n_blocks = block > 0 ? m->k / block : 1;
    const int rank = block > 0 ? 3 : 2;
    const int64_t want[3] = { n_experts, m->n, n_blocks };
    if (block > 0 && (block < 16 || (block & (block - 1)) || m->k % block))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "block_size is %lld; it must be a power of two from 16 that divides %lld",
                       (long long)block, (long long)m->k);
    m->block = block > 0 ? block : m->k;
    m->has_zero = zeros != NULL;
    m->packs_zero_by_rows = block <= 0;
    if (!scales) return ig_fail(err, INGOT_ERR_INVALID, "scales of matrix %d are missing", j + 1);
    if (!has_shape(scales, in[IG_MOE_X]->type.dtype, want, rank))
        return wrong(err, "scales", j, scales, want, rank);
    const int64_t by_rows[2] = { n_experts, packed_bytes(m->n, m->bits) };
    const int64_t by_blocks[3] = { n_experts, m->n, packed_bytes(n_blocks, m->bits) };
    if (zeros && !has_shape(zeros, INGOT_UINT8, block > 0 ? by_blocks : by_rows, rank))
        return wrong(err, "zero points", j, zeros, block > 0 ? by_blocks : by_rows, rank);
    return INGOT_OK;
}

/* Matrix j must be n x k for each expert. */
static ig_status check_matrix(const ig_node *node, bool is_quantized, int j,
                              const ig_info *const *in, int64_t n_experts, ig_moe_matrix *m,
                              ig_error *err)
{
    static const char *const bits_names[] = { "fc1_expert_weight_bits", "fc2_expert_weight_bits",
                                              "fc3_expert_weight_bits" };
    const ig_info *w = in[ig_moe_operand(j, IG_MOE_W)], *bias = in[ig_moe_operand(j, IG_MOE_B)];
    const ingot_dtype real = in[IG_MOE_X]->type.dtype;
    const int64_t bits =
        is_quantized ? ig_attr_int(node, bits_names[j], ig_attr_int(node, "expert_weight_bits", 4))
                     : 0;
    int64_t want[3] = { n_experts, m->n, m->k };
    if (is_quantized && bits != 2 && bits != 4 && bits != 8)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "weights of matrix %d have %lld bits; 2, 4 and 8 are supported", j + 1,
                       (long long)bits);
    m->bits = (int)bits;
    m->block = m->k;
    if (is_quantized && m->k * bits % 8)
        return ig_fail(err, INGOT_ERR_SHAPE, "%lld weights of %lld bits are no whole bytes",
                       (long long)m->k, (long long)bits);
    if (is_quantized) want[2] = m->k * bits / 8;
    if (!has_shape(w, is_quantized ? INGOT_UINT8 : real, want, 3))
        return wrong(err, "weights", j, w, want, 3);
    if (bias && !has_shape(bias, real, want, 2)) return wrong(err, "biases", j, bias, want, 2);
    return is_quantized ? check_quantized(node, j, in, n_experts, m, err) : INGOT_OK;
}

static ig_status check_router(const ig_info *x, const ig_moe_shape *s, ingot_dtype real,
                              const char *what, ig_error *err)
{
    const int64_t want[2] = { s->n_tokens, s->n_experts };
    char have_text[96];
    if (!x || has_shape(x, real, want, 2)) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "%s is %s; there are %lld tokens and %lld experts", what,
                   ig_shape_format(x->type.dtype, x->rank, x->dims, have_text, sizeof have_text),
                   (long long)s->n_tokens, (long long)s->n_experts);
}

ig_status ig_moe_read(const ig_node *node, bool is_quantized, const ig_info *const in[IG_MOE_N_IN],
                      ig_moe_shape *s, ig_error *err)
{
    const ig_info *x = in[IG_MOE_X], *router = in[IG_MOE_ROUTER];
    const ig_info *w1 = in[ig_moe_operand(0, IG_MOE_W)], *w3 = in[ig_moe_operand(2, IG_MOE_W)];
    int64_t fusion = 0;
    *s = (ig_moe_shape){ 0 };
    IG_TRY(read_options(node, is_quantized, s, err));
    IG_TRY(read_activation(node, s, &fusion, err));
    if (x->rank < 2 || x->rank > 3 || router->rank != 2 || w1->rank != 3)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "input, router and weights have ranks %d, %d, %d, not 2 or 3, 2, 3", x->rank,
                       router->rank, w1->rank);
    const bool is_gated = s->act == IG_MOE_SWIGLU || s->act == IG_MOE_GEGLU;
    const bool is_fused = is_gated && fusion != 0;
    s->n_tokens = ig_count(x->rank - 1, x->dims);
    s->n_hidden = x->dims[x->rank - 1];
    s->n_experts = router->dims[1];
    s->n_inter = is_fused ? w1->dims[1] / 2 : w1->dims[1];
    if (s->n_tokens < 0 || s->n_tokens > MAX_SIZE || s->n_hidden < 1 || s->n_hidden > MAX_SIZE ||
        s->n_inter < 1 || s->n_inter > MAX_SIZE || s->n_experts < 1 || s->n_experts > MAX_SIZE)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%lld tokens of %lld, %lld experts of %lld: a size is not within 1 to 2^28",
                       (long long)s->n_tokens, (long long)s->n_hidden, (long long)s->n_experts,
                       (long long)s->n_inter);
    if (s->n_chosen > s->n_experts)
        return ig_fail(err, INGOT_ERR_INVALID, "k is %lld of %lld experts", (long long)s->n_chosen,
                       (long long)s->n_experts);
    if (is_fused == (w3 != NULL) && is_gated)
        return ig_fail(err, INGOT_ERR_INVALID, "swiglu_fusion is %lld, and the third matrix is %s",
                       (long long)fusion, w3 ? "there" : "missing");
    s->matrix[0] = (ig_moe_matrix){ .n = is_fused ? 2 * s->n_inter : s->n_inter, .k = s->n_hidden };
    s->matrix[1] = (ig_moe_matrix){ .n = s->n_hidden, .k = s->n_inter };
    if (w3) s->matrix[2] = (ig_moe_matrix){ .n = s->n_inter, .k = s->n_hidden };
    IG_TRY(check_router(router, s, x->type.dtype, "router_probs", err));
    IG_TRY(check_router(in[IG_MOE_MIX], s, x->type.dtype, "router_weights", err));
    for (int j = 0; j < 3; j++)
        if (s->matrix[j].n)
            IG_TRY(check_matrix(node, is_quantized, j, in, s->n_experts, &s->matrix[j], err));
    return INGOT_OK;
}
