/* SPDX-License-Identifier: Apache-2.0 */
/* Allocator, arena, growing string, map, hash. */
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "check.h"

static bool is_aligned(const void *ptr, size_t align)
{
    return ((uintptr_t)ptr & (align - 1)) == 0;
}

static void test_alloc_counts(void)
{
    ig_alloc a;
    ingot_memory_stats stats;
    ig_alloc_init(&a, NULL, 0);
    void *x = ig_alloc_get(&a, 1000, 0, INGOT_MEM_GRAPH);
    void *y = ig_alloc_get(&a, 500, 4096, INGOT_MEM_SLAB);
    void *big = ig_alloc_get(&a, (size_t)5 << 20, 64, INGOT_MEM_SLAB);
    CHECK(x && y && big && is_aligned(x, 16) && is_aligned(y, 4096) && is_aligned(big, 64));
    memset(big, 1, (size_t)5 << 20);
    ig_alloc_put(&a, big, (size_t)5 << 20, INGOT_MEM_SLAB);
    ig_alloc_stats(&a, &stats);
    CHECK(stats.current_bytes[INGOT_MEM_GRAPH] == 1000 &&
          stats.current_bytes[INGOT_MEM_SLAB] == 500);
    CHECK(stats.peak_bytes[INGOT_MEM_SLAB] == 500 + ((size_t)5 << 20));
    CHECK(stats.total_current_bytes == 1500 && stats.total_peak_bytes == 1500 + ((size_t)5 << 20));
    ig_alloc_put(&a, x, 1000, INGOT_MEM_GRAPH);
    ig_alloc_put(&a, y, 500, INGOT_MEM_SLAB);
    ig_alloc_put(&a, NULL, 77, INGOT_MEM_SLAB);
    void *e1 = ig_alloc_get(&a, 0, 0, INGOT_MEM_OTHER),
         *e2 = ig_alloc_get(&a, 0, 0, INGOT_MEM_OTHER);
    CHECK(e1 && e2 && e1 != e2);
    ig_alloc_put(&a, e1, 0, INGOT_MEM_OTHER);
    ig_alloc_put(&a, e2, 0, INGOT_MEM_OTHER);
    ig_alloc_stats(&a, &stats);
    CHECK(stats.total_current_bytes == 0);
    CHECK(ig_alloc_get(&a, SIZE_MAX, 0, INGOT_MEM_OTHER) == NULL);
    CHECK(ig_alloc_get(&a, SIZE_MAX - 100, 64, INGOT_MEM_OTHER) == NULL);
    CHECK(ig_alloc_default() == ig_alloc_default());
}

static void test_alloc_limit_and_failure(void)
{
    ig_alloc a;
    ig_alloc_init(&a, NULL, 1000);
    void *x = ig_alloc_get(&a, 600, 0, INGOT_MEM_PLAN);
    CHECK(x && !ig_alloc_get(&a, 401, 0, INGOT_MEM_PLAN));
    void *y = ig_alloc_get(&a, 400, 0, INGOT_MEM_PLAN);
    CHECK(y && !ig_alloc_get(&a, 1, 0, INGOT_MEM_PLAN));
    ig_alloc_put(&a, x, 600, INGOT_MEM_PLAN);
    ig_alloc_put(&a, y, 400, INGOT_MEM_PLAN);

    ig_alloc_init(&a, NULL, 0);
    a.fail_countdown = 3;
    void *p[4];
    for (int i = 0; i < 4; i++) p[i] = ig_alloc_get(&a, 8, 0, INGOT_MEM_PLAN);
    CHECK(p[0] && p[1] && !p[2] && !p[3] && a.is_failing);
    ig_alloc_put(&a, p[0], 8, INGOT_MEM_PLAN);
    ig_alloc_put(&a, p[1], 8, INGOT_MEM_PLAN);
    CHECK(atomic_load(&a.total) == 0);
}

typedef struct user_state {
    size_t n_live, bytes;
    bool is_tag_right;
} user_state;

static void *user_alloc(void *ctx, size_t bytes, size_t align, ingot_mem_tag tag)
{
    user_state *u = ctx;
    u->n_live++;
    u->bytes += bytes;
    u->is_tag_right = tag == INGOT_MEM_VALUE && align >= 8;
    return bytes > 10000 ? NULL : malloc(bytes);
}

static void user_free(void *ctx, void *ptr, size_t bytes, ingot_mem_tag tag)
{
    user_state *u = ctx;
    u->n_live--;
    u->bytes -= bytes;
    u->is_tag_right &= tag == INGOT_MEM_VALUE;
    free(ptr);
}

static void test_alloc_user(void)
{
    user_state u = { 0 };
    ingot_allocator user = { &u, user_alloc, user_free };
    ig_alloc a;
    ig_alloc_init(&a, &user, 0);
    void *x = ig_alloc_get(&a, 123, 0, INGOT_MEM_VALUE);
    CHECK(x && u.n_live == 1 && u.bytes == 123);
    ig_alloc_put(&a, x, 123, INGOT_MEM_VALUE);
    CHECK(u.n_live == 0 && u.bytes == 0 && u.is_tag_right);
    CHECK(!ig_alloc_get(&a, 10001, 0, INGOT_MEM_VALUE) && atomic_load(&a.total) == 0);
}

static void *hammer(void *arg)
{
    ig_alloc *a = arg;
    for (int i = 0; i < 2000; i++) {
        void *p = ig_alloc_get(a, 64, 0, INGOT_MEM_OTHER);
        ig_alloc_put(a, p, 64, INGOT_MEM_OTHER);
    }
    return NULL;
}

static void test_alloc_threads(void)
{
    ig_alloc a;
    pthread_t threads[4];
    ig_alloc_init(&a, NULL, 0);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hammer, &a);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&a.total) == 0 && atomic_load(&a.current[INGOT_MEM_OTHER]) == 0);
    const size_t peak = atomic_load(&a.peak[INGOT_MEM_OTHER]);
    CHECK(peak >= 64 && peak <= 256 && peak % 64 == 0);
}

static void test_sizes(void)
{
    size_t out;
    CHECK(ig_size_mul(3, 4, &out) && out == 12 && !ig_size_mul(SIZE_MAX, 2, &out));
    CHECK(ig_size_add(3, 4, &out) && out == 7 && !ig_size_add(SIZE_MAX, 1, &out));
    CHECK(ig_align_up(65, 64) == 128 && ig_align_up(64, 64) == 64 && ig_align_up(0, 64) == 0);
}

static void test_arena(void)
{
    ig_alloc a;
    ig_arena arena;
    ig_alloc_init(&a, NULL, 0);
    ig_arena_init(&arena, &a, INGOT_MEM_GRAPH);
    bool is_zero = true, is_placed = true;
    for (size_t i = 0; i < 3000; i++) {
        const size_t bytes = (i * 37) % 700, align = (size_t)1 << (4 + i % 6);
        uint8_t *p = ig_arena_get_aligned(&arena, bytes, align);
        is_placed &= p && is_aligned(p, align);
        for (size_t k = 0; p && k < bytes; k++) is_zero &= p[k] == 0;
        if (p) memset(p, 0xaa, bytes);
        if (i == 1500) ig_arena_reset(&arena);
    }
    CHECK(is_zero && is_placed);
    char *big = ig_arena_get(&arena, (size_t)3 << 20);
    CHECK(big && big[0] == 0 && big[((size_t)3 << 20) - 1] == 0);
    CHECK(is_aligned(ig_arena_get_aligned(&arena, 10, 4096), 4096));
    CHECK(!ig_arena_get(&arena, SIZE_MAX) && !ig_arena_get(&arena, SIZE_MAX - 64));
    CHECK(!ig_arena_array(&arena, SIZE_MAX / 2, 3));
    CHECK_STRING(ig_arena_printf(&arena, "%d-%s", 42, "x"), "42-x");
    CHECK_STRING(ig_arena_strndup(&arena, "abcdef", 3), "abc");
    CHECK_STRING(ig_arena_strdup(&arena, "abc"), "abc");
    CHECK(memcmp(ig_arena_copy(&arena, "a\0b", 3), "a\0b", 3) == 0);
    CHECK(atomic_load(&a.current[INGOT_MEM_GRAPH]) == atomic_load(&a.total));
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&a.total) == 0);
    int *items = NULL;
    size_t n = 0, cap = 0;
    for (int i = 0; i < 1000; i++) CHECK(IG_ARENA_PUSH(&arena, items, n, cap, i * i));
    CHECK(n == 1000 && items[999] == 999 * 999 && items[0] == 0);
    ig_arena_deinit(&arena);
    ig_arena zeroed = { 0 };
    ig_arena_deinit(&zeroed);
    CHECK(atomic_load(&a.total) == 0);
}

/* A list that grows keeps one copy of what is large; what shares a block stays. */
static void test_arena_gives_back(void)
{
    enum { N = 1000000 };
    ig_alloc a;
    ig_arena arena;
    ig_alloc_init(&a, NULL, 0);
    ig_arena_init(&arena, &a, INGOT_MEM_GRAPH);
    uint64_t *items = NULL;
    size_t n = 0, cap = 0;
    bool is_right = true;
    for (uint64_t i = 0; i < N; i++) {
        is_right &= IG_ARENA_PUSH(&arena, items, n, cap, i);
        if (i % 1000 == 0) is_right &= ig_arena_get(&arena, 24) != NULL;
    }
    for (uint64_t i = 0; i < N; i++) is_right &= items[i] == i;
    CHECK(is_right && cap < 2 * N);
    CHECK(atomic_load(&a.total) < cap * sizeof *items + ((size_t)2 << 20));
    /* Not the first of its block, or no longer the last: kept. */
    char *first = ig_arena_get(&arena, 3000), *second = ig_arena_get(&arena, 3000);
    const size_t before = atomic_load(&a.total);
    ig_arena_give_back(&arena, first, 3000);
    ig_arena_give_back(&arena, second, 3000);
    ig_arena_give_back(&arena, NULL, 0);
    ig_arena_give_back(&arena, &a, 1 << 20);
    CHECK(atomic_load(&a.total) == before);
    memset(second, 1, 3000);
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&a.total) == 0);
    /* The only block goes, and the arena goes on. */
    void *only = ig_arena_get(&arena, 100000);
    ig_arena_give_back(&arena, only, 100000);
    CHECK(atomic_load(&a.total) == 0 && ig_arena_get(&arena, 100));
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&a.total) == 0);
}

/* Whatever allocation fails, an arena stays sound. */
static void test_arena_failure(void)
{
    for (int k = 1; k < 12; k++) {
        ig_alloc a;
        ig_arena arena;
        ig_alloc_init(&a, NULL, 0);
        a.fail_countdown = k;
        ig_arena_init(&arena, &a, INGOT_MEM_GRAPH);
        int n_got = 0;
        while (n_got < 100000 && ig_arena_get(&arena, 1000)) n_got++;
        CHECK(n_got < 100000 && a.is_failing);
        ig_arena_deinit(&arena);
        CHECK(atomic_load(&a.total) == 0);
    }
}

static void test_str(void)
{
    ig_alloc a;
    ig_str s;
    ig_alloc_init(&a, NULL, 0);
    ig_str_init(&s, &a);
    CHECK_STRING(ig_str_cstr(&s), "");
    ig_str_printf(&s, "%s", "");
    for (int i = 0; i < 1000; i++) ig_str_printf(&s, "%d,", i);
    CHECK(ig_str_ok(&s) && s.n == 10 * 2 + 90 * 3 + 900 * 4);
    CHECK(strcmp(ig_str_cstr(&s) + s.n - 8, "998,999,") == 0);
    ig_str_clear(&s);
    ig_str_puts(&s, "ab");
    ig_str_putc(&s, 'c');
    ig_str_append(&s, "d\0e", 3);
    CHECK(s.n == 6 && memcmp(s.data, "abcd\0e", 7) == 0);
    a.fail_countdown = 1;
    for (int i = 0; i < 1000; i++) ig_str_printf(&s, "%09d", i);
    for (int i = 0; i < 10000; i++) ig_str_putc(&s, 'x');
    CHECK(!ig_str_ok(&s) && s.data[s.n] == '\0');
    ig_str_deinit(&s);
    CHECK(atomic_load(&a.total) == 0);

    CHECK(ig_list_has("a,bc, d ", "a") && ig_list_has("a,bc, d ", "bc") &&
          ig_list_has("a,bc, d ", "d"));
    CHECK(!ig_list_has("a,bc", "b") && !ig_list_has("abc", "ab") && !ig_list_has(NULL, "a"));
    CHECK(!ig_list_has("", "a") && !ig_list_has(" , ,", "a") && !ig_list_has("a,,b", ""));
}

static void test_utf8(void)
{
    CHECK(ig_utf8_bytes("a", 1) == 1 && ig_utf8_bytes("\xc3\xa9", 2) == 2);
    CHECK(ig_utf8_bytes("\xe2\x82\xac", 3) == 3 && ig_utf8_bytes("\xf0\x9f\x98\x80", 4) == 4);
    CHECK(ig_utf8_bytes("\xc0\x80", 2) == 0 && ig_utf8_bytes("\xed\xa0\x80", 3) == 0);
    CHECK(ig_utf8_bytes("\xf4\x90\x80\x80", 4) == 0 && ig_utf8_bytes("\xe0\x9f\xbf", 3) == 0);
    CHECK(ig_utf8_bytes("\x80", 1) == 0 && ig_utf8_bytes("\xe2\x82", 2) == 0 &&
          !ig_utf8_bytes("", 0));
    CHECK(ig_utf8_is_cut("\xe2\x82", 2) && ig_utf8_is_cut("\xf0", 1) && !ig_utf8_is_cut("a", 1));
    CHECK(!ig_utf8_is_cut("\xe2\x28", 2) && !ig_utf8_is_cut("\x80", 1));
}

static void test_map(void)
{
    ig_alloc a;
    ig_arena arena;
    ig_map map;
    static char keys[5000][16];
    ig_alloc_init(&a, NULL, 0);
    ig_arena_init(&arena, &a, INGOT_MEM_IMPORT);
    ig_map_init(&map, &arena);
    CHECK(ig_map_get(&map, "a", 1) == IG_MAP_NONE);
    bool is_ok = true;
    for (uint32_t i = 0; i < 5000; i++) {
        const int n = snprintf(keys[i], sizeof keys[i], "key%u", i);
        is_ok &= ig_map_put(&map, keys[i], (size_t)n, i);
    }
    for (uint32_t i = 0; i < 5000; i++) is_ok &= ig_map_get(&map, keys[i], strlen(keys[i])) == i;
    CHECK(is_ok && map.n == 5000);
    CHECK(ig_map_get(&map, "key5000", 7) == IG_MAP_NONE &&
          ig_map_get(&map, "key", 3) == IG_MAP_NONE);
    CHECK(ig_map_put(&map, "key7", 4, 77) && map.n == 5000 && ig_map_get(&map, "key7", 4) == 77);
    CHECK(ig_map_put(&map, "", 0, 9) && ig_map_get(&map, NULL, 0) == 9);
    CHECK(ig_map_reserve(&map, 100000));
    const size_t cap = map.cap;
    CHECK(cap >= 100000 && ig_map_reserve(&map, 100) && map.cap == cap);
    CHECK(ig_map_get(&map, "key4999", 7) == 4999 && map.n == 5001);
    ig_arena_deinit(&arena);
    ig_map_init(&map, &arena);
    CHECK(!ig_map_reserve(&map, SIZE_MAX));
    ig_arena_deinit(&arena);
}

static void test_hash(void)
{
    uint8_t data[200];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 7);
    /* Length, seed and every bit count; alignment does not. */
    bool is_distinct = true;
    for (size_t n = 0; n < 130; n++) {
        const uint64_t h = ig_hash(data, n, 0);
        is_distinct &= h != ig_hash(data, n + 1, 0) && h != ig_hash(data, n, 1);
        for (size_t bit = 0; bit < n * 8; bit++) {
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            is_distinct &= h != ig_hash(data, n, 0);
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    CHECK(is_distinct);
    uint8_t moved[101];
    memcpy(moved + 1, data, 100);
    CHECK(ig_hash(moved + 1, 100, 5) == ig_hash(data, 100, 5));
    const uint8_t zeros[64] = { 0 };
    CHECK(ig_hash(zeros, 32, 0) != ig_hash(zeros, 64, 0) &&
          ig_hash(zeros, 0, 0) != ig_hash(zeros, 1, 0));
    /* The value is part of file formats: the same on every machine. */
    CHECK(ig_hash("ingot", 5, 0) == 0xaf6388d71226537eu);
    CHECK(ig_hash("0123456789abcdef0123456789abcdef!", 33, 7) == 0xb572f2338acb7d58u);

    /* Data that takes a factor of the products to zero hides what is in front of it, in a hash
     * without a key. */
    uint8_t x[16] = { 1 }, y[16] = { 2 };
    const uint64_t zero_factor = 0x3c6ef372fe94f82bu;
    memcpy(x + 8, &zero_factor, 8);
    memcpy(y + 8, &zero_factor, 8);
    CHECK(ig_hash(x, 16, 0) == ig_hash(y, 16, 0) && ig_hash(x, 16, 9) == ig_hash(y, 16, 9));
    for (uint64_t key = 0; key < 100; key++)
        CHECK(ig_hash_keyed(x, 16, key * 64) != ig_hash_keyed(y, 16, key * 64));
}

int main(void)
{
    test_alloc_counts();
    test_alloc_limit_and_failure();
    test_alloc_user();
    test_alloc_threads();
    test_sizes();
    test_arena();
    test_arena_gives_back();
    test_arena_failure();
    test_str();
    test_utf8();
    test_map();
    test_hash();
    return check_report();
}
