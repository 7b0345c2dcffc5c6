/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attr_kinds.c: what kind of value an attribute of ai.onnx and ai.onnx.ml has.
 *
 * In these domains an attribute's name tells its kind, whatever the operator: axis is an int, axes
 * are ints. The few names that have had two kinds (to, value, scale, p, seed, …) are left out.
 * Source: the operator schemas of the ONNX specification, opset 1 to 28.
 */
#include <string.h>

#include "ops/op.h"

/* Lists of kinds, words separated by blanks. */
static const struct {
    ig_attr_kind kind;
    const char *noun;
    const char *names;
} kinds[] = {
    { IG_ATTR_INT, "an int",
      " align_corners allowzero antialias axis batch_axis batch_dims block_size "
      "blocksize broadcast ceil_mode center_point_box chunk_size count_include_pad "
      "default_int64 detect_negative detect_positive dtype end exclude_outside "
      "exclusive fmod group hidden_size ignore_index input_forget interleaved inverse "
      "is_case_sensitive is_causal is_test k keepdims kv_num_heads largest layout "
      "left_window_size linear_before_reset max_gram_length max_map max_skip_count "
      "maxsplit min_gram_length multi_class n_supports n_targets new_axis "
      "noop_with_empty_axes num_groups num_heads num_outputs num_scan_inputs "
      "offset_group one_class onesided output_datatype output_dtype output_height "
      "output_sequence output_width periodic precision q_num_heads "
      "qk_matmul_output_mode replaced_value_int64 reverse right_window_size "
      "rotary_embedding_dim sample_size sampling_ratio saturate select_last_index size "
      "softmax_precision sorted spatial start stash_type storage_order targets "
      "time_axis training_mode transA transB upper value_int zeros " },
    { IG_ATTR_FLOAT, "a float",
      " alpha beta bias clip cubic_coeff_a default_float epsilon extrapolation_value "
      "gamma height_scale high lambd low max mean min momentum ratio "
      "replaced_value_float softcap spatial_scale threshold value_float width_scale " },
    { IG_ATTR_STRING, "a string",
      " activation approximate auto_pad case_change_action cast_to "
      "coordinate_transformation_mode default_string delimiter direction equation "
      "keep_aspect_ratio_policy kernel_type locale map_form mode nearest_mode norm "
      "padding_mode pattern pixel_format reduction round_mode update_rule value_string " },
    { IG_ATTR_TENSOR, "a tensor",
      " base_values_as_tensor class_weights_as_tensor default_tensor keys_tensor "
      "leaf_weights membership_values nodes_hitrates_as_tensor nodes_splits "
      "nodes_values_as_tensor target_weights_as_tensor values_tensor " },
    { IG_ATTR_GRAPH, "a graph", " body else_branch then_branch " },
    { IG_ATTR_INTS, "a list of ints",
      " axes cats_int64s class_ids class_nodeids class_treeids classlabels_int64s "
      "classlabels_ints consumed_inputs dilations directions ends imputed_value_int64s "
      "inputdimensions int64_vocabulary kernel_shape keys_int64s leaf_targetids "
      "ngram_counts ngram_indexes nodes_falseleafs nodes_falsenodeids nodes_featureids "
      "nodes_missing_value_tracks_true nodes_nodeids nodes_treeids nodes_trueleafs "
      "nodes_truenodeids output_padding output_shape paddings pads perm pool_int64s "
      "pooled_shape scan_input_axes scan_input_directions scan_output_axes "
      "scan_output_directions shape split starts strides target_ids target_nodeids "
      "target_treeids tree_roots value_ints values_int64s vectors_per_class " },
    { IG_ATTR_FLOATS, "a list of floats",
      " activation_alpha activation_beta base_values class_weights coefficients "
      "imputed_value_floats intercepts kernel_params keys_floats nodes_values offset "
      "prob_a prob_b rho scales support_vectors target_weights value_floats "
      "values_floats weights " },
    { IG_ATTR_STRINGS, "a list of strings",
      " activations cats_strings classes_strings classlabels_strings keys_strings "
      "pool_strings stopwords string_vocabulary value_strings values_strings " },
};

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    if (n == 0 || strchr(word, ' ')) return false; /* a file may call an attribute anything */
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ') return true;
    return false;
}

static const char *noun_of(ig_attr_kind kind)
{
    for (size_t i = 0; i < IG_COUNT(kinds); i++)
        if (kinds[i].kind == kind) return kinds[i].noun;
    return "something else";
}

/* The usual case, by a look at one list. */
static bool is_as_named(const ig_attr *attr)
{
    for (size_t i = 0; i < IG_COUNT(kinds); i++)
        if (kinds[i].kind == attr->kind) return has_word(kinds[i].names, attr->name);
    return false;
}

ig_status ig_attr_check_kinds(const ig_node *node, ig_error *err)
{
    if (node->domain[0] && strcmp(node->domain, "ai.onnx.ml") != 0) return INGOT_OK;
    for (uint32_t a = 0; a < node->n_attrs; a++) {
        const ig_attr *attr = &node->attrs[a];
        if (is_as_named(attr)) continue;
        for (size_t i = 0; i < IG_COUNT(kinds); i++)
            if (kinds[i].kind != attr->kind && has_word(kinds[i].names, attr->name))
                return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is %s, it should be %s",
                               attr->name, noun_of(attr->kind), kinds[i].noun);
    }
    return INGOT_OK;
}
