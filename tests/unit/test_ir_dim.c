/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions: equal means same number; printed form. */
#include "check.h"
#include "ir/dim.h"

static ig_dims dims;

static ig_dim in(const char *name) { return ig_dim_input(&dims, name, strlen(name)); }

static void check_text(ig_dim d, const char *want)
{
    ig_str s;
    ig_str_init(&s, ig_alloc_default());
    ig_dim_print(&dims, d, &s);
    CHECK_STRING(ig_str_cstr(&s), want);
    ig_str_deinit(&s);
}

static void sums(void)
{
    const ig_dim b = in("batch"), s = in("seq"), p = in("past");
    CHECK(in("batch") == b && b != s);
    CHECK(ig_dim_add(&dims, 2, 3) == 5);
    CHECK(ig_dim_add(&dims, b, 0) == b);
    CHECK(ig_dim_sub(&dims, b, b) == 0);
    CHECK(ig_dim_add(&dims, b, s) == ig_dim_add(&dims, s, b));
    CHECK(ig_dim_add(&dims, ig_dim_add(&dims, b, s), p) ==
          ig_dim_add(&dims, b, ig_dim_add(&dims, p, s)));
    CHECK(ig_dim_add(&dims, ig_dim_add(&dims, b, 3), 4) == ig_dim_add(&dims, 7, b));
    CHECK(ig_dim_sub(&dims, ig_dim_add(&dims, s, p), p) == s);
    CHECK(ig_dim_add(&dims, b, b) == ig_dim_mul(&dims, b, 2));
    check_text(ig_dim_add(&dims, b, 1), "batch+1");
    check_text(ig_dim_sub(&dims, s, p), "seq-past");
    check_text(ig_dim_sub(&dims, b, 2), "batch-2");
}

static void products(void)
{
    const ig_dim b = in("batch"), s = in("seq");
    CHECK(ig_dim_mul(&dims, b, 1) == b && ig_dim_mul(&dims, b, 0) == 0);
    CHECK(ig_dim_mul(&dims, ig_dim_mul(&dims, b, 12), s) ==
          ig_dim_mul(&dims, ig_dim_mul(&dims, s, 3), ig_dim_mul(&dims, 4, b)));
    CHECK(ig_dim_mul(&dims, ig_dim_add(&dims, s, 1), b) ==
          ig_dim_add(&dims, ig_dim_mul(&dims, b, s), b));
    check_text(ig_dim_mul(&dims, b, 2), "batch*2");
}

static void quotients(void)
{
    const ig_dim b = in("batch"), s = in("seq"), h = in("height"), p = in("past");
    const ig_dim total = ig_dim_mul(&dims, ig_dim_mul(&dims, b, s), 768);
    CHECK(ig_dim_floor_div(&dims, 7, 2) == 3 && ig_dim_floor_div(&dims, -7, 2) == -4);
    CHECK(ig_dim_floor_div(&dims, 7, -2) == -4 && ig_dim_ceil_div(&dims, 7, 2) == 4);
    CHECK(ig_dim_floor_div(&dims, total, 64) == ig_dim_mul(&dims, ig_dim_mul(&dims, b, s), 12));
    CHECK(ig_dim_floor_div(&dims, total, ig_dim_mul(&dims, s, 64)) == ig_dim_mul(&dims, b, 12));
    CHECK(ig_dim_floor_div(&dims, total, ig_dim_mul(&dims, b, s)) == 768);
    const ig_dim sum = ig_dim_add(&dims, s, p);
    CHECK(ig_dim_floor_div(&dims, ig_dim_mul(&dims, sum, ig_dim_mul(&dims, b, 8)), sum) ==
          ig_dim_mul(&dims, b, 8));
    const ig_dim half = ig_dim_floor_div(&dims, ig_dim_add(&dims, h, 1), 2);
    check_text(half, "(height+1)//2");
    CHECK(ig_dim_floor_div(&dims, ig_dim_add(&dims, h, 3), 2) == ig_dim_add(&dims, half, 1));
    CHECK(ig_dim_floor_div(&dims, ig_dim_add(&dims, half, 1), 2) ==
          ig_dim_floor_div(&dims, ig_dim_add(&dims, h, 3), 4));
    CHECK(ig_dim_floor_div(&dims, ig_dim_mul(&dims, h, 2), 2) == h);
    /* 2*(x/2) is not x. */
    CHECK(ig_dim_mul(&dims, ig_dim_floor_div(&dims, h, 2), 2) != h);
    check_text(ig_dim_floor_div(&dims, h, ig_dim_add(&dims, s, 1)), "height//(seq+1)");
}

static void bounds(void)
{
    const ig_dim b = in("batch"), s = in("seq");
    CHECK(ig_dim_max(&dims, b, b) == b && ig_dim_max(&dims, 3, 4) == 4);
    CHECK(ig_dim_max(&dims, b, 0) == b && ig_dim_min(&dims, b, ig_dim_add(&dims, b, 2)) == b);
    CHECK(ig_dim_max(&dims, b, s) == ig_dim_max(&dims, s, b));
    check_text(ig_dim_max(&dims, b, 1), "max(batch,1)");
    const ig_dim least = ig_dim_min(&dims, s, 512), most = ig_dim_max(&dims, s, b);
    CHECK(ig_dim_max(&dims, s, least) == s && ig_dim_min(&dims, least, s) == least);
    CHECK(ig_dim_max(&dims, s, most) == most && ig_dim_min(&dims, most, b) == b);
    CHECK(ig_dim_max(&dims, least, 512) == 512 && ig_dim_max(&dims, most, least) == most);
    CHECK(ig_dim_max(&dims, least, b) != b);
}

static void limits(void)
{
    const ig_dim x = ig_dim_born(&dims), y = ig_dim_born(&dims);
    CHECK(x != y && !ig_dim_is_const(x) && ig_dim_expr_of(&dims, x)->op == IG_DIM_BORN);
    CHECK(!dims.has_failed);
    ig_dim d = in("deep");
    for (int i = 0; i < 5000; i++)
        d = ig_dim_max(&dims, ig_dim_mul(&dims, ig_dim_add(&dims, d, in("w")), d), i);
    CHECK(!ig_dim_is_const(d) && ig_dim_expr_of(&dims, d)->size <= IG_DIM_MAX_SIZE);
    CHECK(ig_dim_mul(&dims, IG_DIM_MAX, 4) == 0 && dims.has_failed);
    dims.has_failed = false;
    CHECK(ig_dim_floor_div(&dims, 1, 0) == 0 && dims.has_failed);
    dims.has_failed = false;
    ig_dim_mul(&dims, ig_dim_mul(&dims, x, IG_DIM_MAX), 16);
    CHECK(dims.has_failed);
}

int main(void)
{
    ig_arena arena;
    ig_arena_init(&arena, ig_alloc_default(), INGOT_MEM_GRAPH);
    ig_dims_init(&dims, &arena);
    sums();
    products();
    quotients();
    bounds();
    limits();
    ig_arena_deinit(&arena);
    return check_report();
}
