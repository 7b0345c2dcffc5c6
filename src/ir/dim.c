/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dim.c: expressions over unknown dimensions.
 *
 * Sums and products are kept in one normal form, a polynomial: terms (coefficient times a product
 * of atoms) sorted by the id of the product, the constant last. An atom is a named or born
 * dimension, a quotient, a maximum or a minimum. Equal polynomials build the same tree, and the
 * tree is hash-consed, so that equal means same id.
 */
#include "ir/dim.h"

#include <string.h>

#include "base/map.h"

#define MAX_TERMS 12
#define MAX_FACTORS 12

typedef struct poly_term {
    ig_dim product; /* 1 for the constant */
    int64_t coef;
} poly_term;

typedef struct poly {
    int n;
    poly_term terms[MAX_TERMS];
} poly;

static ig_dim fail(ig_dims *t)
{
    t->has_failed = true;
    return 0;
}

static ig_dim out_of_memory(ig_dims *t)
{
    t->is_out_of_memory = true;
    return fail(t);
}

void ig_dims_init(ig_dims *t, ig_arena *arena)
{
    memset(t, 0, sizeof *t);
    t->arena = arena;
}

const ig_dim_expr *ig_dim_expr_of(const ig_dims *t, ig_dim d)
{
    if (ig_dim_is_const(d)) return NULL;
    const uint64_t id = (uint64_t)d - (uint64_t)INT64_MIN;
    return id < t->n ? &t->exprs[id] : NULL;
}

static uint32_t size_of(const ig_dims *t, ig_dim d)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    return e ? e->size : 1;
}

static bool is_nonneg(const ig_dims *t, ig_dim d)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    return e ? e->is_nonneg : d >= 0;
}

/* ---- the table ---- */

/* Where the table lies seeds it: no file can choose names that meet in one place. */
static uint64_t hash_expr(const ig_dims *t, const ig_dim_expr *e)
{
    const int64_t fields[3] = { e->op, e->a, e->b };
    const uintptr_t key = (uintptr_t)t->buckets;
    return e->name ? ig_hash_keyed(e->name, strlen(e->name), key + (uint64_t)e->op)
                   : ig_hash_keyed(fields, sizeof fields, key);
}

static bool is_same_expr(const ig_dim_expr *x, const ig_dim_expr *y)
{
    if (x->op != y->op || x->a != y->a || x->b != y->b) return false;
    return x->name && y->name ? !strcmp(x->name, y->name) : x->name == y->name;
}

/* Slot of the expression, or of the free place where it belongs. n_buckets > 0. */
static size_t find_bucket(const ig_dims *t, const ig_dim_expr *e)
{
    size_t at = (size_t)hash_expr(t, e) & (t->n_buckets - 1);
    while (t->buckets[at] && !is_same_expr(&t->exprs[t->buckets[at] - 1], e))
        at = (at + 1) & (t->n_buckets - 1);
    return at;
}

static bool grow_buckets(ig_dims *t)
{
    const size_t n = t->n_buckets ? t->n_buckets * 2 : 64;
    uint32_t *buckets = ig_arena_array(t->arena, n, sizeof *buckets);
    if (!buckets) return false;
    ig_arena_give_back(t->arena, t->buckets, t->n_buckets * sizeof *buckets);
    t->buckets = buckets;
    t->n_buckets = n;
    for (size_t i = 0; i < t->n; i++) buckets[find_bucket(t, &t->exprs[i])] = (uint32_t)i + 1;
    return true;
}

static ig_dim intern(ig_dims *t, const ig_dim_expr *e)
{
    if ((t->n + 1) * 2 > t->n_buckets && !grow_buckets(t)) return out_of_memory(t);
    const size_t at = find_bucket(t, e);
    if (!t->buckets[at]) {
        if (t->n >= UINT32_MAX - 1 || !IG_ARENA_PUSH(t->arena, t->exprs, t->n, t->cap, *e))
            return out_of_memory(t);
        t->buckets[at] = (uint32_t)t->n;
    }
    return INT64_MIN + (int64_t)(t->buckets[at] - 1);
}

static ig_dim intern_name(ig_dims *t, ig_dim_op op, const char *name, size_t name_bytes)
{
    const char *copy = ig_arena_strndup(t->arena, name, name_bytes);
    if (!copy) return out_of_memory(t);
    return intern(t, &(ig_dim_expr){ .op = op, .name = copy, .size = 1, .is_nonneg = true });
}

ig_dim ig_dim_input(ig_dims *t, const char *name, size_t name_bytes)
{
    return intern_name(t, IG_DIM_INPUT, name, name_bytes);
}

ig_dim ig_dim_born_named(ig_dims *t, const char *name, size_t name_bytes)
{
    return intern_name(t, IG_DIM_BORN, name, name_bytes);
}

ig_dim ig_dim_born(ig_dims *t)
{
    if (!t->n_buckets && !grow_buckets(t)) return out_of_memory(t);
    /* A text that was read may hold the name already; the next free number is close by. */
    for (size_t number = t->n;; number++) {
        const char *name = ig_arena_printf(t->arena, "?%zu", number);
        if (!name) return out_of_memory(t);
        const ig_dim_expr e = { .op = IG_DIM_BORN, .name = name, .size = 1, .is_nonneg = true };
        if (!t->buckets[find_bucket(t, &e)]) return intern(t, &e);
    }
}

static bool is_commutative(ig_dim_op op) { return op != IG_DIM_FLOOR_DIV; }

static bool is_result_nonneg(const ig_dims *t, ig_dim_op op, ig_dim a, ig_dim b)
{
    const bool na = is_nonneg(t, a), nb = is_nonneg(t, b);
    return op == IG_DIM_MAX_OP ? na || nb : na && nb;
}

/* The expression as it stands, without simplification. */
static ig_dim make(ig_dims *t, ig_dim_op op, ig_dim a, ig_dim b)
{
    if (is_commutative(op) && a > b) {
        const ig_dim swap = a;
        a = b;
        b = swap;
    }
    const uint32_t size = 1 + size_of(t, a) + size_of(t, b);
    if (size > IG_DIM_MAX_SIZE) return ig_dim_born(t);
    return intern(
        t,
        &(ig_dim_expr){
            .op = op, .a = a, .b = b, .size = size, .is_nonneg = is_result_nonneg(t, op, a, b) });
}

/* ---- products ---- */

typedef struct factor_list {
    int n;
    ig_dim factors[MAX_FACTORS]; /* ascending; none for the product 1 */
} factor_list;

static bool add_factors(const ig_dims *t, factor_list *list, ig_dim product)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, product);
    if (!e) return product == 1;
    if (e->op == IG_DIM_MUL && !ig_dim_is_const(e->b))
        return add_factors(t, list, e->a) && add_factors(t, list, e->b);
    if (list->n == MAX_FACTORS) return false;
    int at = list->n++;
    for (; at > 0 && list->factors[at - 1] > product; at--)
        list->factors[at] = list->factors[at - 1];
    list->factors[at] = product;
    return true;
}

static ig_dim product_of(ig_dims *t, const factor_list *list)
{
    ig_dim product = 1;
    for (int i = 0; i < list->n; i++)
        product = product == 1 ? list->factors[i] : make(t, IG_DIM_MUL, product, list->factors[i]);
    return product;
}

static ig_dim mul_products(ig_dims *t, ig_dim a, ig_dim b)
{
    factor_list list = { 0 };
    if (a == 1) return b;
    if (b == 1) return a;
    if (!add_factors(t, &list, a) || !add_factors(t, &list, b)) return ig_dim_born(t);
    return product_of(t, &list);
}

/* a / b where every factor of b is one of a's. */
static bool div_products(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    factor_list la = { 0 }, lb = { 0 };
    if (!add_factors(t, &la, a) || !add_factors(t, &lb, b)) return false;
    for (int i = 0; i < lb.n; i++) {
        int at = 0;
        while (at < la.n && la.factors[at] != lb.factors[i]) at++;
        if (at == la.n) return false;
        memmove(&la.factors[at], &la.factors[at + 1],
                (size_t)(la.n - at - 1) * sizeof la.factors[0]);
        la.n--;
    }
    *out = product_of(t, &la);
    return true;
}

/* ---- polynomials ---- */

/* p += coef * product. false: too many terms (or overflow, which sticks). */
static bool poly_add_term(ig_dims *t, poly *p, ig_dim product, int64_t coef)
{
    int at = 0;
    while (at < p->n && p->terms[at].product < product) at++;
    if (at < p->n && p->terms[at].product == product) {
        int64_t *sum = &p->terms[at].coef;
        if (__builtin_add_overflow(*sum, coef, sum)) return t->has_failed = true, false;
        if (*sum == 0) {
            memmove(&p->terms[at], &p->terms[at + 1], (size_t)(p->n - at - 1) * sizeof *p->terms);
            p->n--;
        }
        return true;
    }
    if (coef == 0) return true;
    if (p->n == MAX_TERMS) return false;
    memmove(&p->terms[at + 1], &p->terms[at], (size_t)(p->n - at) * sizeof *p->terms);
    p->terms[at] = (poly_term){ product, coef };
    p->n++;
    return true;
}

/* p += scale * d, taking sums apart. */
static bool poly_add_dim(ig_dims *t, poly *p, ig_dim d, int64_t scale)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    int64_t coef = scale;
    if (!e) {
        if (__builtin_mul_overflow(d, scale, &coef)) return t->has_failed = true, false;
        return poly_add_term(t, p, 1, coef);
    }
    if (e->op == IG_DIM_ADD)
        return poly_add_dim(t, p, e->a, scale) && poly_add_dim(t, p, e->b, scale);
    if (e->op == IG_DIM_MUL && ig_dim_is_const(e->b)) {
        if (__builtin_mul_overflow(e->b, scale, &coef)) return t->has_failed = true, false;
        return poly_add_term(t, p, e->a, coef);
    }
    return poly_add_term(t, p, d, coef);
}

static bool is_in_range(int64_t c) { return c >= IG_DIM_MIN_CONST && c <= IG_DIM_MAX; }

static ig_dim poly_build(ig_dims *t, const poly *p)
{
    ig_dim sum = 0;
    for (int i = 0; i < p->n; i++) {
        const poly_term *term = &p->terms[i];
        if (!is_in_range(term->coef)) return fail(t);
        ig_dim d = term->product;
        if (d == 1)
            d = term->coef;
        else if (term->coef != 1)
            d = make(t, IG_DIM_MUL, d, term->coef);
        sum = i == 0 ? d : make(t, IG_DIM_ADD, sum, d);
    }
    return t->has_failed ? 0 : sum;
}

/* a + scale * b; too many terms: left as they are. */
static ig_dim add_scaled(ig_dims *t, ig_dim a, ig_dim b, int64_t scale)
{
    poly p = { 0 };
    if (poly_add_dim(t, &p, a, 1) && poly_add_dim(t, &p, b, scale)) return poly_build(t, &p);
    if (t->has_failed) return 0;
    return make(t, IG_DIM_ADD, a, scale == 1 ? b : make(t, IG_DIM_MUL, b, scale));
}

ig_dim ig_dim_add(ig_dims *t, ig_dim a, ig_dim b) { return add_scaled(t, a, b, 1); }

ig_dim ig_dim_sub(ig_dims *t, ig_dim a, ig_dim b) { return add_scaled(t, a, b, -1); }

ig_dim ig_dim_mul(ig_dims *t, ig_dim a, ig_dim b)
{
    poly pa = { 0 }, pb = { 0 }, p = { 0 };
    bool ok = poly_add_dim(t, &pa, a, 1) && poly_add_dim(t, &pb, b, 1);
    for (int i = 0; ok && i < pa.n; i++) {
        for (int j = 0; ok && j < pb.n; j++) {
            int64_t coef;
            if (__builtin_mul_overflow(pa.terms[i].coef, pb.terms[j].coef, &coef)) return fail(t);
            ok = poly_add_term(t, &p, mul_products(t, pa.terms[i].product, pb.terms[j].product),
                               coef);
        }
    }
    if (ok) return poly_build(t, &p);
    return t->has_failed ? 0 : make(t, IG_DIM_MUL, a, b);
}

/* ---- quotients ---- */

static int64_t floor_div_const(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* floor((rest) / c), rest without a multiple of c: folds quotients of quotients,
 * floor((floor(x/k) + r) / c) = floor((x + k*r) / (k*c)). */
static ig_dim div_rest(ig_dims *t, const poly *rest, int64_t c)
{
    const ig_dim_expr *e = rest->n ? ig_dim_expr_of(t, rest->terms[0].product) : NULL;
    const bool has_const = rest->n == 2 && rest->terms[1].product == 1;
    int64_t shift, divisor;
    if (rest->n == 1 && !e && rest->terms[0].coef < c) return 0;
    if (e && (rest->n == 1 || has_const) && rest->terms[0].coef == 1 && e->op == IG_DIM_FLOOR_DIV &&
        ig_dim_is_const(e->b) &&
        !__builtin_mul_overflow(e->b, has_const ? rest->terms[1].coef : 0, &shift) &&
        !__builtin_mul_overflow(e->b, c, &divisor) && is_in_range(divisor) && is_in_range(shift))
        return ig_dim_floor_div(t, ig_dim_add(t, e->a, shift), divisor);
    return make(t, IG_DIM_FLOOR_DIV, poly_build(t, rest), c);
}

/* floor((c*A + rest) / c) = A + floor(rest / c), for c > 0. */
static ig_dim div_by_const(ig_dims *t, const poly *a, int64_t c)
{
    poly whole = { 0 }, rest = { 0 };
    for (int i = 0; i < a->n; i++) {
        const poly_term term = a->terms[i];
        if (term.product == 1) {
            const int64_t q = floor_div_const(term.coef, c);
            (void)(poly_add_term(t, &whole, 1, q) && poly_add_term(t, &rest, 1, term.coef - q * c));
        } else if (term.coef % c == 0) {
            (void)poly_add_term(t, &whole, term.product, term.coef / c);
        } else {
            (void)poly_add_term(t, &rest, term.product, term.coef);
        }
    }
    const ig_dim quotient = poly_build(t, &whole);
    if (!rest.n) return quotient;
    const ig_dim fraction = div_rest(t, &rest, c);
    return ig_dim_add(t, quotient, fraction);
}

/* All products of a divisible by that of b: floor(m*P / (m*c)) = floor(P / c). */
static bool div_by_term(ig_dims *t, const poly *a, const poly_term *b, ig_dim *out)
{
    poly p = { 0 };
    for (int i = 0; i < a->n; i++) {
        ig_dim product;
        if (!div_products(t, a->terms[i].product, b->product, &product)) return false;
        if (!poly_add_term(t, &p, product, a->terms[i].coef)) return false;
    }
    *out = div_by_const(t, &p, b->coef);
    return true;
}

/* a = q*b for a q of one term. */
static bool div_exact(ig_dims *t, ig_dim a, ig_dim b, const poly *pa, const poly *pb, ig_dim *out)
{
    poly q = { 0 };
    ig_dim product;
    if (pa->n != pb->n || pb->n == 0) return false;
    /* Sorting by product need not keep the order of terms under multiplication: try each. */
    for (int i = 0; i < pa->n; i++) {
        const poly_term *x = &pa->terms[i], *y = &pb->terms[0];
        if (x->coef % y->coef != 0 || !div_products(t, x->product, y->product, &product)) continue;
        q = (poly){ 1, { { product, x->coef / y->coef } } };
        *out = poly_build(t, &q);
        if (ig_dim_mul(t, *out, b) == a) return true;
    }
    return false;
}

ig_dim ig_dim_floor_div(ig_dims *t, ig_dim a, ig_dim b)
{
    poly pa = { 0 }, pb = { 0 };
    ig_dim out;
    if (b == 0) return fail(t);
    if (b == 1 || a == 0) return a;
    if (a == b) return 1;
    if (ig_dim_is_const(b) && b < 0) return ig_dim_floor_div(t, ig_dim_sub(t, 0, a), -b);
    if (!poly_add_dim(t, &pa, a, 1) || !poly_add_dim(t, &pb, b, 1))
        return t->has_failed ? 0 : make(t, IG_DIM_FLOOR_DIV, a, b);
    if (ig_dim_is_const(b)) return div_by_const(t, &pa, b);
    if (pb.n == 1 && pb.terms[0].coef > 0 && div_by_term(t, &pa, &pb.terms[0], &out)) return out;
    if (pb.n > 1 && div_exact(t, a, b, &pa, &pb, &out)) return out;
    return t->has_failed ? 0 : make(t, IG_DIM_FLOOR_DIV, a, b);
}

ig_dim ig_dim_ceil_div(ig_dims *t, ig_dim a, ig_dim b)
{
    return ig_dim_floor_div(t, ig_dim_add(t, a, ig_dim_sub(t, b, 1)), b);
}

/* ---- bounds ---- */

/* Is a >= b for sure? depth bounds the walk through nested bounds. */
static bool is_ge_within(ig_dims *t, ig_dim a, ig_dim b, int depth);

/* a and b as bounds of others: max(x,y) >= b if x or y is, a >= min(x,y) if a >= x or y, … */
static bool is_ge_bound(ig_dims *t, ig_dim a, ig_dim b, int depth)
{
    const ig_dim_expr *ea = ig_dim_expr_of(t, a), *eb = ig_dim_expr_of(t, b);
    const ig_dim_op op_a = ea ? ea->op : IG_DIM_INPUT, op_b = eb ? eb->op : IG_DIM_INPUT;
    const ig_dim a0 = ea ? ea->a : 0, a1 = ea ? ea->b : 0, b0 = eb ? eb->a : 0, b1 = eb ? eb->b : 0;
    if (depth == 0) return false;
    if (op_a == IG_DIM_MAX_OP &&
        (is_ge_within(t, a0, b, depth - 1) || is_ge_within(t, a1, b, depth - 1)))
        return true;
    if (op_b == IG_DIM_MIN_OP &&
        (is_ge_within(t, a, b0, depth - 1) || is_ge_within(t, a, b1, depth - 1)))
        return true;
    if (op_a == IG_DIM_MIN_OP && is_ge_within(t, a0, b, depth - 1) &&
        is_ge_within(t, a1, b, depth - 1))
        return true;
    return op_b == IG_DIM_MAX_OP && is_ge_within(t, a, b0, depth - 1) &&
           is_ge_within(t, a, b1, depth - 1);
}

static bool is_ge_within(ig_dims *t, ig_dim a, ig_dim b, int depth)
{
    poly p = { 0 };
    if (a == b || is_ge_bound(t, a, b, depth)) return true;
    if (!poly_add_dim(t, &p, a, 1) || !poly_add_dim(t, &p, b, -1)) return false;
    for (int i = 0; i < p.n; i++)
        if (p.terms[i].coef < 0 || !is_nonneg(t, p.terms[i].product)) return false;
    return true;
}

static bool is_ge(ig_dims *t, ig_dim a, ig_dim b) { return is_ge_within(t, a, b, 3); }

ig_dim ig_dim_max(ig_dims *t, ig_dim a, ig_dim b)
{
    if (is_ge(t, a, b)) return a;
    if (is_ge(t, b, a)) return b;
    return t->has_failed ? 0 : make(t, IG_DIM_MAX_OP, a, b);
}

ig_dim ig_dim_min(ig_dims *t, ig_dim a, ig_dim b)
{
    if (is_ge(t, a, b)) return b;
    if (is_ge(t, b, a)) return a;
    return t->has_failed ? 0 : make(t, IG_DIM_MIN_OP, a, b);
}

/* ---- text ---- */

static bool is_plain_name(const char *s)
{
    if (!strcmp(s, "max") || !strcmp(s, "min")) return false;
    if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) return false;
    for (; *s; s++)
        if (!(*s == '_' || *s == '.' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9')))
            return false;
    return true;
}

static void print_name(const ig_dim_expr *e, ig_str *out)
{
    if (e->op == IG_DIM_BORN || is_plain_name(e->name)) {
        ig_str_puts(out, e->name);
        return;
    }
    ig_str_putc(out, '"');
    for (const char *s = e->name; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            ig_str_printf(out, "\\%c", c);
        else if (c < 32 || c == 127)
            ig_str_printf(out, "\\x%02x", c);
        else
            ig_str_putc(out, (char)c);
    }
    ig_str_putc(out, '"');
}

enum { LEVEL_SUM, LEVEL_PRODUCT, LEVEL_ATOM };

static void print_level(const ig_dims *t, ig_dim d, int level, ig_str *out);

/* A summand after the first: "+x", "-x", "-x*2", "-3". */
static void print_summand(const ig_dims *t, ig_dim d, ig_str *out)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    if (!e && d < 0) {
        ig_str_printf(out, "%lld", (long long)d);
    } else if (e && e->op == IG_DIM_MUL && ig_dim_is_const(e->b) && e->b < 0) {
        ig_str_putc(out, '-');
        print_level(t, e->a, LEVEL_PRODUCT, out);
        if (e->b != -1) ig_str_printf(out, "*%lld", -(long long)e->b);
    } else if (e && e->op == IG_DIM_ADD) {
        print_summand(t, e->a, out);
        print_summand(t, e->b, out);
    } else {
        ig_str_putc(out, '+');
        print_level(t, d, LEVEL_PRODUCT, out);
    }
}

static void print_level(const ig_dims *t, ig_dim d, int level, ig_str *out)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    if (!e) {
        /* An id beyond the table belongs to a damaged graph. */
        if (ig_dim_is_const(d))
            ig_str_printf(out, "%lld", (long long)d);
        else
            ig_str_puts(out, "?");
        return;
    }
    if (e->name) {
        print_name(e, out);
        return;
    }
    if (e->op == IG_DIM_MAX_OP || e->op == IG_DIM_MIN_OP) {
        ig_str_puts(out, e->op == IG_DIM_MAX_OP ? "max(" : "min(");
        print_level(t, e->a, LEVEL_SUM, out);
        ig_str_putc(out, ',');
        print_level(t, e->b, LEVEL_SUM, out);
        ig_str_putc(out, ')');
        return;
    }
    const bool is_sum = e->op == IG_DIM_ADD;
    const bool has_parens = is_sum ? level > LEVEL_SUM : level > LEVEL_PRODUCT;
    if (has_parens) ig_str_putc(out, '(');
    print_level(t, e->a, is_sum ? LEVEL_SUM : LEVEL_PRODUCT, out);
    if (is_sum) {
        print_summand(t, e->b, out);
    } else {
        ig_str_puts(out, e->op == IG_DIM_MUL ? "*" : "//");
        print_level(t, e->b, LEVEL_ATOM, out);
    }
    if (has_parens) ig_str_putc(out, ')');
}

void ig_dim_print(const ig_dims *t, ig_dim d, ig_str *out) { print_level(t, d, LEVEL_SUM, out); }
