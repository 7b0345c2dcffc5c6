/* SPDX-License-Identifier: Apache-2.0 */
/* Code points: UTF-8, case, categories. */
#include "base/unicode.h"
#include "check.h"

static void test_utf8(void)
{
    static const int32_t points[] = { 0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xfffd, 0x10000, 0x10ffff };
    for (size_t i = 0; i < IG_COUNT(points); i++) {
        char s[4];
        size_t length;
        const size_t n = ig_utf8_put(points[i], s);
        CHECK(ig_utf8_get(s, n, &length) == points[i] && length == n);
        if (n > 1) CHECK(ig_utf8_get(s, n - 1, &length) == -1 && length == 1);
    }
    size_t length;
    CHECK(ig_utf8_get("\xc0\x80", 2, &length) == -1);     /* overlong */
    CHECK(ig_utf8_get("\xed\xa0\x80", 3, &length) == -1); /* a surrogate */
    CHECK(ig_utf8_get("\xf4\x90\x80\x80", 4, &length) == -1);
}

static void test_case(void)
{
    static const struct {
        int32_t c, lower, upper;
    } known[] = {
        { 'A', 'a', 'A' },          { 'z', 'z', 'Z' },
        { '1', '1', '1' },          { 0xdf, 0xdf, 0xdf },
        { 0x1e9e, 0xdf, 0x1e9e },   { 0xff, 0xff, 0x178 },
        { 0x130, 'i', 0x130 },      { 0x131, 0x131, 'I' },
        { 0x3a3, 0x3c3, 0x3a3 },    { 0x3c2, 0x3c2, 0x3a3 },
        { 0x1c5, 0x1c6, 0x1c4 },    { 0x100, 0x101, 0x100 },
        { 0x10d, 0x10d, 0x10c },    { 0x1f80, 0x1f80, 0x1f88 },
        { 0x1fb3, 0x1fb3, 0x1fbc }, { 0x10400, 0x10428, 0x10400 },
        { 0x4e2d, 0x4e2d, 0x4e2d }, { 0xab70, 0xab70, 0x13a0 },
    };
    for (size_t i = 0; i < IG_COUNT(known); i++) {
        CHECK(ig_unicode_lower(known[i].c) == known[i].lower);
        CHECK(ig_unicode_upper(known[i].c) == known[i].upper);
    }
}

static void test_rings(void)
{
    CHECK(ig_unicode_next_case('k') == 0x212a && ig_unicode_next_case(0x212a) == 'K');
    CHECK(ig_unicode_next_case('S') == 's' && ig_unicode_next_case('s') == 0x17f);
    CHECK(ig_unicode_next_case('a') == 'A' && ig_unicode_next_case('-') == '-');
    CHECK(ig_unicode_next_case(0x130) == 0x130);
    CHECK(ig_unicode_next_case(0xdf) == 0x1e9e && ig_unicode_next_case(0x1e9e) == 0xdf);
    CHECK(ig_unicode_find_cased('0') == 'A' && ig_unicode_find_cased(0x10ffff) == -1);
    /* Every ring closes, and finding jumps over those alone only. */
    bool is_closed = true, is_found = true;
    int32_t next = ig_unicode_find_cased(0);
    for (int32_t c = 0; c <= IG_CODE_POINT_MAX; c++) {
        int32_t d = ig_unicode_next_case(c);
        for (int steps = 0; d != c && steps < 5; steps++) d = ig_unicode_next_case(d);
        is_closed = is_closed && d == c;
        if (c < next && next >= 0) is_found = is_found && ig_unicode_next_case(c) == c;
        if (c == next) next = ig_unicode_find_cased(c + 1);
    }
    CHECK(is_closed);
    CHECK(is_found);
}

/* Is c in the category? */
static bool is_in(const char *name, int32_t c)
{
    size_t i = 0;
    int32_t first, last, before = -1;
    bool found = false;
    while (ig_unicode_category(name, strlen(name), &i, &first, &last)) {
        if (!CHECK(first > before && last >= first && last <= IG_CODE_POINT_MAX)) return false;
        before = last;
        found = found || (c >= first && c <= last);
    }
    return found;
}

static void test_categories(void)
{
    CHECK(is_in("Lu", 'A') && !is_in("Lu", 'a') && is_in("L", 'a') && is_in("Ll", 'a'));
    CHECK(is_in("Lu", 0x100) && !is_in("Lu", 0x101) && is_in("Ll", 0x101) && is_in("L", 0x101));
    CHECK(is_in("Lt", 0x1c5) && is_in("Lo", 0x4e2d) && is_in("Nd", 0x669) && is_in("N", 0xbd));
    CHECK(is_in("Sc", 0x20ac) && is_in("Zs", ' ') && is_in("Cc", 0) && is_in("Co", 0xe000));
    CHECK(!is_in("C", 0x378) && !is_in("C", 'a') && is_in("C", 0x10fffd) && is_in("Mn", 0x301));
    CHECK(ig_unicode_has_category("Lu", 2) && ig_unicode_has_category("Z", 1));
    CHECK(!ig_unicode_has_category("Cn", 2) && !ig_unicode_has_category("Lx", 2));
    CHECK(!ig_unicode_has_category("", 0) && !ig_unicode_has_category("Lu ", 3));
}

int main(void)
{
    test_utf8();
    test_case();
    test_rings();
    test_categories();
    CHECK(ig_unicode_version()[0] != 0);
    return check_report();
}
