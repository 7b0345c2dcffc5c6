/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tf_idf_vectorizer.c: counts of the n-grams of a pool in each row of tokens, perhaps weighted.
 *
 * The pool becomes a trie whose edges (node, token) -> node lie in one hash table; strings are
 * numbered first, so that tokens always are integers. Each skip distance walks the trie from every
 * token of the row. Counts are exact; weights are applied once, at the end.
 */
#include <string.h>

#include "ops/strided.h"

typedef enum weighting { TF, IDF, TFIDF } weighting;

typedef struct edge {
    int64_t token;
    uint32_t from, to; /* to 0: free (the root is nobody's child) */
} edge;

typedef struct vectorizer {
    weighting mode;
    int64_t min_length, max_length, max_skip;
    size_t n_grams; /* in the pool, also of lengths that are not asked for */
    const int64_t *columns;
    const float *weights; /* NULL: ones */
    int64_t n_columns;
    const ig_attr *pool;
    ig_map numbers; /* of the pool's strings */
    edge *edges;
    size_t n_slots;   /* a power of two */
    int64_t *gram_of; /* by node: the n-gram that ends there, -1: none */
    bool *has_child;  /* by node */
    uint32_t n_nodes;
    /* of a run */
    ingot_dtype dtype;
    int64_t n_tokens; /* a row */
} vectorizer;

/* ---- the pool ---- */

/* The slot of this edge, or the free one where it belongs. */
static edge *find_edge(const vectorizer *v, uint32_t from, int64_t token)
{
    const uint64_t key[2] = { from, (uint64_t)token };
    for (size_t i = ig_hash(key, sizeof key, 0) & (v->n_slots - 1);; i = (i + 1) & (v->n_slots - 1))
        if (!v->edges[i].to || (v->edges[i].from == from && v->edges[i].token == token))
            return &v->edges[i];
}

static int64_t pool_token(const vectorizer *v, size_t i)
{
    if (v->pool->kind == IG_ATTR_INTS) return v->pool->ints[i];
    return ig_map_get(&v->numbers, v->pool->strings[i].data, v->pool->strings[i].bytes);
}

static ig_status add_gram(vectorizer *v, size_t first, size_t length, int64_t gram, ig_error *err)
{
    uint32_t node = 0;
    for (size_t k = 0; k < length; k++) {
        const int64_t token = pool_token(v, first + k);
        edge *e = find_edge(v, node, token);
        if (!e->to) *e = (edge){ token, node, ++v->n_nodes };
        v->has_child[node] = true;
        node = e->to;
    }
    if (v->gram_of[node] >= 0)
        return ig_fail(err, INGOT_ERR_INVALID, "n-grams %lld and %lld of the pool are the same",
                       (long long)v->gram_of[node], (long long)gram);
    v->gram_of[node] = gram;
    return INGOT_OK;
}

/* All n-grams of one length: items [begin, end) of the pool. */
static ig_status add_length(vectorizer *v, int64_t begin, int64_t end, size_t length, ig_error *err)
{
    if (begin < 0 || end < begin || (uint64_t)end > v->pool->n)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "ngram_counts: %zu-grams at %lld to %lld of a pool of %zu", length,
                       (long long)begin, (long long)end, v->pool->n);
    if ((size_t)(end - begin) % length)
        return ig_fail(err, INGOT_ERR_INVALID, "%lld items of the pool make no whole %zu-grams",
                       (long long)(end - begin), length);
    const bool is_wanted = (int64_t)length >= v->min_length && (int64_t)length <= v->max_length;
    for (size_t at = (size_t)begin; at < (size_t)end; at += length, v->n_grams++)
        if (is_wanted) IG_TRY(add_gram(v, at, length, (int64_t)v->n_grams, err));
    return INGOT_OK;
}

static ig_status alloc_trie(vectorizer *v, ig_arena *arena, ig_error *err)
{
    const size_t n = v->pool->n;
    if (n >= UINT32_MAX / 2)
        return ig_fail(err, INGOT_ERR_LIMIT, "a pool of %zu items is too large", n);
    for (v->n_slots = 16; v->n_slots < 2 * n; v->n_slots *= 2) {}
    v->edges = ig_arena_array(arena, v->n_slots, sizeof *v->edges);
    v->gram_of = ig_arena_array(arena, n + 1, sizeof *v->gram_of);
    v->has_child = ig_arena_array(arena, n + 1, sizeof *v->has_child);
    if (!v->edges || !v->gram_of || !v->has_child)
        return IG_NOMEM(err, v->n_slots * sizeof *v->edges);
    for (size_t i = 0; i <= n; i++) v->gram_of[i] = -1;
    ig_map_init(&v->numbers, arena);
    for (size_t i = 0; v->pool->kind == IG_ATTR_STRINGS && i < n; i++)
        if (!ig_map_put(&v->numbers, v->pool->strings[i].data, v->pool->strings[i].bytes,
                        (uint32_t)i))
            return IG_NOMEM(err, n * sizeof(ig_map_slot));
    return INGOT_OK;
}

static ig_status read_pool(vectorizer *v, const ig_node *node, ig_arena *arena, ig_error *err)
{
    size_t n_counts;
    const int64_t *counts = ig_attr_ints(node, "ngram_counts", &n_counts);
    if (v->max_length > (int64_t)n_counts)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "max_gram_length is %lld, but ngram_counts has %zu entries",
                       (long long)v->max_length, n_counts);
    IG_TRY(alloc_trie(v, arena, err));
    for (size_t i = 0; i < n_counts; i++)
        IG_TRY(add_length(v, counts[i], i + 1 < n_counts ? counts[i + 1] : (int64_t)v->pool->n,
                          i + 1, err));
    return INGOT_OK;
}

/* ---- attributes ---- */

static ig_status read_mode(const ig_node *node, weighting *mode, ig_error *err)
{
    static const char *const names[] = { [TF] = "TF", [IDF] = "IDF", [TFIDF] = "TFIDF" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (ig_attr_is(node, "mode", names[i], false)) {
            *mode = (weighting)i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID, "mode must be TF, IDF or TFIDF");
}

/* Columns of the output: one more than the greatest of ngram_indexes. */
static ig_status read_columns(const ig_node *node, vectorizer *v, size_t *n, ig_error *err)
{
    v->columns = ig_attr_ints(node, "ngram_indexes", n);
    v->n_columns = 0;
    for (size_t i = 0; i < *n; i++) {
        if (v->columns[i] < 0 || v->columns[i] >= INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "ngram_indexes[%zu] is %lld", i,
                           (long long)v->columns[i]);
        if (v->columns[i] >= v->n_columns) v->n_columns = v->columns[i] + 1;
    }
    if (*n == 0) return ig_fail(err, INGOT_ERR_INVALID, "ngram_indexes is missing or empty");
    return INGOT_OK;
}

static ig_status find_pool(const ig_node *node, ingot_dtype dtype, const ig_attr **pool,
                           ig_error *err)
{
    const ig_attr *ints = ig_node_attr(node, "pool_int64s");
    const ig_attr *strings = ig_node_attr(node, "pool_strings");
    if (!ints == !strings)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "one of pool_int64s and pool_strings must be given, not %s",
                       ints ? "both" : "none");
    if (!ints != (dtype == INGOT_STRING))
        return ig_fail(err, INGOT_ERR_INVALID, "tokens are %s, but the pool has %s",
                       ingot_dtype_name(dtype), ints ? "integers" : "strings");
    *pool = ints ? ints : strings;
    return INGOT_OK;
}

static ig_status read_vectorizer(const ig_node *node, ingot_dtype dtype, int64_t n_tokens,
                                 ig_arena *arena, vectorizer *v, ig_error *err)
{
    size_t n_columns, n_weights;
    *v = (vectorizer){ .min_length = ig_attr_int(node, "min_gram_length", 0),
                       .max_length = ig_attr_int(node, "max_gram_length", 0),
                       .max_skip = ig_attr_int(node, "max_skip_count", -1),
                       .dtype = dtype,
                       .n_tokens = n_tokens };
    if (v->min_length < 1 || v->max_length < v->min_length || v->max_skip < 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "n-grams of length %lld to %lld with up to %lld skips are impossible",
                       (long long)v->min_length, (long long)v->max_length, (long long)v->max_skip);
    IG_TRY(read_mode(node, &v->mode, err));
    IG_TRY(read_columns(node, v, &n_columns, err));
    v->weights = ig_attr_floats(node, "weights", &n_weights);
    if (n_weights && n_weights != n_columns)
        return ig_fail(err, INGOT_ERR_INVALID, "%zu weights for %zu ngram_indexes", n_weights,
                       n_columns);
    IG_TRY(find_pool(node, dtype, &v->pool, err));
    IG_TRY(read_pool(v, node, arena, err));
    if (v->n_grams > n_columns)
        return ig_fail(err, INGOT_ERR_INVALID, "%zu n-grams in the pool, but %zu ngram_indexes",
                       v->n_grams, n_columns);
    return INGOT_OK;
}

/* ---- one row ---- */

/* Count the n-grams that begin at token `first`, with tokens `distance` apart. */
static void count_from(const vectorizer *v, const int64_t *tokens, int64_t first, int64_t distance,
                       int64_t min_length, int64_t *counts)
{
    uint32_t node = 0;
    int64_t length = 1;
    for (int64_t i = first; i < v->n_tokens && v->has_child[node]; i += distance, length++) {
        node = find_edge(v, node, tokens[i])->to;
        if (!node) return;
        if (v->gram_of[node] >= 0 && length >= min_length) counts[v->gram_of[node]]++;
    }
}

static void count_row(const vectorizer *v, const int64_t *tokens, int64_t *counts)
{
    int64_t min_length = v->min_length;
    if (min_length > v->n_tokens) return;
    for (int64_t distance = 1; distance - 1 <= v->max_skip && distance <= v->n_tokens; distance++) {
        /* Past this, no n-gram fits into the row. */
        const int64_t last = v->n_tokens - 1 - distance * (min_length - 1);
        if (last < 0) return;
        for (int64_t i = 0; i <= last; i++) count_from(v, tokens, i, distance, min_length, counts);
        /* Single tokens are the same at each distance. */
        if (min_length == 1 && ++min_length > v->max_length) return;
    }
}

static void read_tokens(const vectorizer *v, const void *x, int64_t row, int64_t *tokens)
{
    const int64_t first = row * v->n_tokens;
    for (int64_t i = 0; i < v->n_tokens; i++) {
        if (v->dtype != INGOT_STRING) {
            tokens[i] = ig_get_i64(v->dtype, x, first + i);
            continue;
        }
        const ingot_string s = ((const ingot_string *)x)[first + i];
        const uint32_t number = ig_map_get(&v->numbers, s.data, s.bytes);
        tokens[i] = number == IG_MAP_NONE ? -1 : (int64_t)number;
    }
}

/* scratch: n_tokens + n_grams numbers. */
static void vectorize_row(const vectorizer *v, const void *x, int64_t row, int64_t *scratch,
                          float *y)
{
    int64_t *counts = scratch + v->n_tokens;
    memset(counts, 0, v->n_grams * sizeof *counts);
    memset(y, 0, (size_t)v->n_columns * sizeof *y);
    read_tokens(v, x, row, scratch);
    count_row(v, scratch, counts);
    for (size_t g = 0; g < v->n_grams; g++) {
        if (!counts[g]) continue;
        const double n = v->mode == IDF ? 1 : (double)counts[g];
        const double weight = v->weights && v->mode != TF ? (double)v->weights[g] : 1;
        y[v->columns[g]] += (float)(n * weight);
    }
}

/* Bytes of scratch of a thread, multiples of 64; SIZE_MAX when they are too many. */
static size_t scratch_bytes(const vectorizer *v)
{
    size_t n, bytes;
    if (!ig_size_add((size_t)v->n_tokens, v->n_grams + 8, &n) ||
        !ig_size_mul(n, sizeof(int64_t), &bytes))
        return SIZE_MAX;
    return bytes & ~(size_t)63;
}

/* ---- the operator ---- */

static ig_status infer(ig_infer *c)
{
    vectorizer v = { 0 };
    size_t n;
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    c->out[0].type.dtype = INGOT_FLOAT;
    IG_TRY(read_mode(c->node, &v.mode, c->err));
    IG_TRY(read_columns(c->node, &v, &n, c->err));
    IG_TRY(find_pool(c->node, in->type.dtype, &v.pool, c->err));
    if (in->rank < 0) return INGOT_OK;
    if (in->rank != 1 && in->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "tokens must have rank 1 or 2, not %d", in->rank);
    const ig_dim dims[2] = { in->rank == 1 ? v.n_columns : in->dims[0], v.n_columns };
    ig_info_set_shape(&c->out[0], INGOT_FLOAT, in->rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    vectorizer v;
    IG_TRY(ig_call_ready(c));
    const ig_tensor *x = c->in[0];
    const int64_t n_rows = x->rank == 2 ? x->dims[0] : 1;
    IG_TRY(read_vectorizer(c->node, x->dtype, x->dims[x->rank - 1], c->scratch, &v, c->err));
    int64_t *scratch = ig_arena_get(c->scratch, scratch_bytes(&v));
    if (!scratch) return IG_NOMEM(c->err, scratch_bytes(&v));
    for (int64_t r = 0; r < n_rows; r++)
        vectorize_row(&v, x->data, r, scratch, (float *)c->out[0]->data + r * v.n_columns);
    return INGOT_OK;
}

static void k_tf_idf(const void *params, void *const *operands, ig_part part)
{
    const vectorizer *v = params;
    int64_t *scratch = (int64_t *)((char *)operands[2] + scratch_bytes(v) * (size_t)part.i_thread);
    for (int64_t r = part.begin; r < part.end; r++)
        vectorize_row(v, operands[0], r, scratch, (float *)operands[1] + r * v->n_columns);
}

/* Rows in parallel, and the trie is built once. */
static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    const ig_info *in = l->in[0];
    if (!ig_info_is_static(in, dims)) return INGOT_OK;
    vectorizer *v = ig_arena_get(l->arena, sizeof *v);
    if (!v) return IG_NOMEM(l->err, sizeof *v);
    IG_TRY(read_vectorizer(l->node, in->type.dtype, dims[in->rank - 1], l->arena, v, l->err));
    if (!ig_size_mul(scratch_bytes(v), (size_t)l->n_threads, &l->scratch_bytes))
        return ig_fail(l->err, INGOT_ERR_LIMIT, "rows of %lld tokens are too long",
                       (long long)v->n_tokens);
    l->params = v;
    l->kernel = k_tf_idf;
    l->kernel_name = "ig_k_tf_idf";
    l->n_operand_in = 1;
    l->n_work = in->rank == 2 ? dims[0] : 1;
    l->grain = 1 + 1000 / (v->n_tokens + 1);
    return INGOT_OK;
}

#define GRAMS " min_gram_length=1 max_gram_length=2 max_skip_count=0 ngram_counts=[0,2] "
#define POOL "pool_int64s=[1,2,1,2] ngram_indexes=[2,0,1] "
#define ONE " min_gram_length=1 max_gram_length=1 max_skip_count=0 ngram_counts=[0] mode=\"TF\" "

/* Expected values of the first ones are ONNX Runtime's. */
static const char *const cases[] = {
    "i64{1,1,2,1,2}" GRAMS POOL "mode=\"TFIDF\" weights=[10.0,20.0,30.0] = f32{40,60,30}",
    "i64{1,1,2,1,2}" GRAMS POOL "mode=\"IDF\" weights=[10.0,20.0,30.0] = f32{20,30,10}",
    "i32[2,3]{1,1,2,7,2,-1}" GRAMS POOL "mode=\"TF\" = f32[2,3]{1,1,2,1,0,0}",
    "i64{1,1,2,1,2}" GRAMS "pool_int64s=[1,2,1,2] ngram_indexes=[5,0,1] mode=\"TFIDF\" "
    "weights=[10.0,20.0,30.0] = f32{40,60,0,0,0,30}",
    "i64{1,2,1,1,2,2,1} min_gram_length=1 max_gram_length=2 max_skip_count=2 ngram_counts=[0,2] "
    "pool_int64s=[1,2,1,2] ngram_indexes=[0,1,2] mode=\"TFIDF\" = f32{4,3,5}",
    "i64{1,1,2,1,2} min_gram_length=2 max_gram_length=2 max_skip_count=0 ngram_counts=[0,2] " POOL
    "mode=\"TFIDF\" weights=[10.0,20.0,30.0] = f32{0,60,0}",
    "str{\"a\",\"b\",\"a\"} min_gram_length=1 max_gram_length=2 max_skip_count=2 "
    "ngram_counts=[0,2] ngram_indexes=[0,1,2] pool_strings=[\"a\",\"b\",\"a\",\"b\"] "
    "mode=\"TF\" = f32{2,1,1}",
    "str[2,2]{\"a\",\"b\",\"\",\"c\"}" ONE "pool_strings=[\"b\",\"\"] ngram_indexes=[0,1] = "
    "f32[2,2]{1,0,0,1}",
    /* 2-grams that begin a 3-gram */
    "i64{1,2,3,1,2,9,8} min_gram_length=2 max_gram_length=3 max_skip_count=0 mode=\"TF\" "
    "ngram_counts=[0,0,4] pool_int64s=[9,8,1,2,1,2,3] ngram_indexes=[0,1,2] = f32{1,2,1}",
    "i64{1,1,2}" ONE "pool_int64s=[1,2] ngram_indexes=[0,0] = f32{3}",
    "i64[2,0]" GRAMS POOL "mode=\"TF\" = f32[2,3]{0}",
    "i64[0]" GRAMS POOL "mode=\"IDF\" = f32{0,0,0}",
    "i64[0,3]" GRAMS POOL "mode=\"TF\"",
    "i64[9,40] min_gram_length=1 max_gram_length=2 max_skip_count=9223372036854775807 "
    "ngram_counts=[0,2] mode=\"TF\" " POOL,
    "i64[] " GRAMS POOL "mode=\"TF\" ! rank 1 or 2, not 0",
    "i64[2]" GRAMS POOL "mode=\"tf\" ! mode must be TF, IDF or TFIDF",
    "str[2]" GRAMS POOL "mode=\"TF\" ! tokens are string, but the pool has integers",
    "i64[2]" ONE "ngram_indexes=[0] ! must be given, not none",
    "i64[2]" ONE "ngram_indexes=[0] pool_int64s=[1] pool_strings=[\"a\"] ! not both",
    "i64[2]" ONE "ngram_indexes=[0,-1] pool_int64s=[1,2] ! ngram_indexes[1] is -1",
    "i64[2]" ONE "ngram_indexes=[9223372036854775807] pool_int64s=[1] ! ngram_indexes[0] is",
    "i64[2]" ONE "pool_int64s=[1] ! ngram_indexes is missing",
    "i64[2]" ONE "ngram_indexes=[0] pool_int64s=[1,2] ! 2 n-grams in the pool, but 1 ngram_indexes",
    "i64[2]" ONE "ngram_indexes=[0,1] pool_int64s=[1,1] ! n-grams 0 and 1 of the pool are the same",
    "i64[2]" ONE "ngram_indexes=[0] pool_int64s=[1] weights=[1.0,2.0] ! 2 weights for 1",
    "i64[2] min_gram_length=1 max_gram_length=2 max_skip_count=0 ngram_counts=[0,1] mode=\"TF\" "
    "pool_int64s=[1,2,1,2] ngram_indexes=[0,1] ! make no whole 2-grams",
    "i64[2] min_gram_length=1 max_gram_length=2 max_skip_count=0 ngram_counts=[5,0] mode=\"TF\" "
    "pool_int64s=[1,2] ngram_indexes=[0,1] ! 1-grams at 5 to 0 of a pool of 2",
    "i64[2] min_gram_length=1 max_gram_length=3 max_skip_count=0 ngram_counts=[0] mode=\"TF\" "
    "pool_int64s=[1,2] ngram_indexes=[0,1] ! max_gram_length is 3, but ngram_counts has 1",
    "i64[2] min_gram_length=3 max_gram_length=2 max_skip_count=0 ngram_counts=[0] mode=\"TF\" "
    "pool_int64s=[1,2] ngram_indexes=[0,1] ! n-grams of length 3 to 2",
    NULL,
};

const ig_op ig_op_tf_idf_vectorizer = {
    .onnx = "TfIdfVectorizer",
    .since = { 9 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING | IG_T(INGOT_INT32) | IG_T(INGOT_INT64),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
