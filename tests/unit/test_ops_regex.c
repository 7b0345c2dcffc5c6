/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions. Expected results are RE2's. */
#include <stdlib.h>

#include "check.h"
#include "ops/regex.h"

static ig_alloc alloc;
static ig_arena arena;

/* 1 matches, 0 does not, -1 does not compile; then err tells why. */
static int match_bytes(const char *pattern, const char *text, size_t bytes, ig_error *err)
{
    const ig_regex *regex;
    *err = (ig_error){ 0 };
    ig_arena_reset(&arena);
    if (ig_regex_compile(&arena, pattern, strlen(pattern), &regex, err) != INGOT_OK) return -1;
    /* Exact copies, so that a sanitizer sees any access past the end; scratch is not cleared. */
    char *copy = malloc(bytes ? bytes : 1);
    void *scratch = malloc(ig_regex_scratch_bytes(regex));
    int result = -1;
    if (copy && scratch) {
        memcpy(copy, text, bytes);
        memset(scratch, 0x5a, ig_regex_scratch_bytes(regex));
        result = ig_regex_full_match(regex, copy, bytes, scratch);
    }
    free(copy);
    free(scratch);
    return result;
}

/* Each of the texts, which are separated by '|', must give `want`. */
static void check_texts(const char *pattern, const char *texts, int want)
{
    ig_error err;
    for (const char *end; texts; texts = *end ? end + 1 : NULL) {
        end = strchr(texts, '|');
        if (!end) end = texts + strlen(texts);
        const int got = match_bytes(pattern, texts, (size_t)(end - texts), &err);
        if (!CHECK(got == want))
            printf("  %s on %.*s: %d %s\n", pattern, (int)(end - texts), texts, got, err.message);
    }
}

static void test_matches(void)
{
    static const struct {
        const char *pattern, *yes, *no;
    } known[] = {
        { "", "", "a" },
        { "abc", "abc", "ab|abcd|xabc|" },
        { "a|bc|", "a|bc|", "b|abc" },
        { "a*", "|a|aaaa", "b|ab" },
        { "(a|b)+c?", "a|ab|bac", "c|abcc" },
        { "a{2}", "aa", "a|aaa" },
        { "(ab){2,3}x{0}", "abab|ababab", "ab|abababab|ababx" },
        { "a{2,}?b{0,2}", "aa|aaaabb", "a|aabbb" },
        { "(a{2}){3}", "aaaaaa", "aaaaa|aaaaaaa" },
        { "a{,2}{", "a{,2}{", "aa{" },
        { "(a*)*(b*)*", "|aab|b", "ba" },
        { "(|a)+", "|aa", "b" },
        { ".", "a|é|\t", "|\n|ab" },
        { "(?s).", "\n|a", "" },
        { "^a$", "a", "a\n|\na" },
        { "(?m)a$\\n^b", "a\nb", "ab|a b" },
        { "(?m:^)*a", "a", "b" },
        { "\\bfoo\\b.*", "foo|foo bar", "foobar|xfoo" },
        { "a\\Bb", "ab", "a b" },
        { "[a-c]+", "abc", "d|" },
        { "[^a-c\\n]", "d|é", "a|\n" },
        { "[]a-]+", "]a-", "b" },
        { "[^]a]", "b", "]|a" },
        { "[[:alpha:][:^print:]]+", "aZ\té", "1|a1" },
        { "[\\d\\-x]+", "1-x", "y" },
        { "[[:a]+", "[:a", "b" },
        { "\\w\\W\\d\\D\\s\\S", "a-1a b", "é-1a b|aa1a b" },
        { "\\x41\\x{e9}\\101\\t\\.\\_", "AéA\t._", "A" },
        { "\\Qa.b*\\E+", "a.b*|a.b**", "aab*|a.b" },
        { "\\pL\\p{Lu}\\PN\\p{^Lu}", "aÄxx|éZ-1", "aäxx|aÄ1x" },
        { "[^\\pL]", "1", "a|é" },
        { "\\p{Any}+", "aé\n", "" },
        { "[^\\x00-\\x{10ffff}]|a", "a", "b" },
        { "(?i)straße", "STRAßE|Straẞe", "STRASSE" },
        { "(?i)k[^k]", "Kx|\u212ax", "kk|k\u212a|x" },
        { "(?i)[s-t]+", "sSſtT", "r" },
        { "(?i)\\x{3c3}+", "Σσς", "s" },
        { "(?i:a)b(?i)c(?-i)d", "AbCd|abcd", "ABcd|abcD" },
        { "((?i)a)b", "Ab|ab", "aB" },
        { "(?P<x>a)(?<y>b)(?:c)", "abc", "ab" },
        { "a(?i)*b", "aaB|B", "Ab" },
        { "日本.", "日本語", "日本" },
    };
    for (size_t i = 0; i < IG_COUNT(known); i++) {
        check_texts(known[i].pattern, known[i].yes, 1);
        check_texts(known[i].pattern, known[i].no, 0);
    }
}

/* Bytes that no list of texts can hold. */
static void test_bytes(void)
{
    ig_error err;
    CHECK(match_bytes("a\\0b", "a\0b", 3, &err) == 1);
    CHECK(match_bytes("a\\x00b", "a\0b", 3, &err) == 1);
    CHECK(match_bytes(".*", "a\xff", 2, &err) == 0);
    CHECK(match_bytes("[^a]", "\xc3", 1, &err) == 0);
    CHECK(match_bytes("a|b", "|", 1, &err) == 0);
}

static void refuses(const char *pattern, const char *message)
{
    ig_error err;
    CHECK(match_bytes(pattern, "", 0, &err) == -1);
    CHECK_STRING(err.message, message);
}

static void test_errors(void)
{
    refuses("ab(c", "pattern, near byte 4: a ( lacks its )");
    refuses("ab)c", "pattern, near byte 2: a ) without its (");
    refuses("*", "pattern, near byte 1: there is nothing to repeat");
    refuses("(|+)", "pattern, near byte 3: there is nothing to repeat");
    refuses("a**", "pattern, near byte 3: a repetition follows a repetition");
    refuses("a{2}{3}", "pattern, near byte 7: a repetition follows a repetition");
    refuses("a{1001}", "pattern, near byte 7: more than 1000 repetitions");
    refuses("a{99999999999}", "pattern, near byte 14: more than 1000 repetitions");
    refuses("a{3,2}", "pattern, near byte 6: at least 3, but at most 2 repetitions");
    refuses("[a", "pattern, near byte 0: [ lacks its ]");
    refuses("[^]", "pattern, near byte 0: [ lacks its ]");
    refuses("[b-a]", "pattern, near byte 4: the range ends before it begins");
    refuses("[[:nose:]]", "pattern, near byte 1: there is no such class");
    refuses("a\\", "pattern, near byte 2: a \\ at the end");
    refuses("\\1", "pattern, near byte 2: there is no such escape");
    refuses("\\x{110000}", "pattern, near byte 8: there is no character above 10ffff");
    refuses("(?=a)", "pattern, near byte 2: a group that RE2 does not have");
    refuses("(?P<n>a)(?P<n>b)", "pattern, near byte 13: two groups have this name");
    refuses("\\C", "pattern, near byte 2: \\C (any byte) is not supported");
    refuses("\\p{Greek}",
            "pattern, near byte 0: \\p knows general categories such as L and Lu alone, "
            "no scripts");
    refuses("a\xff", "pattern, near byte 1: this is no UTF-8");
    refuses("(((a{1000}){1000}){1000})",
            "pattern, near byte 17: the program would have more than 100000 steps");
}

static void test_bounds(void)
{
    static char text[IG_REGEX_MAX_PATTERN + 2];
    ig_error err;
    memset(text, '(', sizeof text - 1);
    CHECK(match_bytes(text, "", 0, &err) == -1 && err.status == INGOT_ERR_LIMIT);
    text[2000] = 0;
    CHECK(match_bytes(text, "", 0, &err) == -1 && strstr(err.message, "nested more than 1000"));
    /* What takes a backtracker 2^50 steps */
    memset(text, 'a', 50);
    text[50] = 'c';
    CHECK(match_bytes("((((a*)*)*)*)*b", text, 51, &err) == 0);
    CHECK(match_bytes("(a?){50}a{50}", text, 50, &err) == 1);
}

/* The first match at or after `from` must be text[begin, end); begin -1: there is none. */
static void finds(const char *pattern, const char *text, size_t from, int begin, int end)
{
    const ig_regex *regex;
    ig_error err = { 0 };
    size_t got_begin = 0, got_end = 0;
    ig_arena_reset(&arena);
    if (!CHECK(ig_regex_compile(&arena, pattern, strlen(pattern), &regex, &err) == INGOT_OK))
        return;
    const size_t bytes = strlen(text);
    char *copy = malloc(bytes ? bytes : 1);
    void *scratch = malloc(ig_regex_search_scratch_bytes(regex));
    if (CHECK(copy && scratch)) {
        memcpy(copy, text, bytes);
        memset(scratch, 0x5a, ig_regex_search_scratch_bytes(regex));
        const bool found = ig_regex_search(regex, copy, bytes, from, scratch, &got_begin, &got_end);
        CHECK(found == (begin >= 0));
        if (found && !CHECK((int)got_begin == begin && (int)got_end == end))
            printf("  %s in %s from %zu: %zu to %zu\n", pattern, text, from, got_begin, got_end);
    }
    free(copy);
    free(scratch);
}

static void test_search(void)
{
    finds("a|ab|abc", "xabcd", 0, 1, 4);  /* the longest, whatever the order */
    finds("bcd|abcx|b", "abcd", 0, 1, 4); /* abcx fails late */
    finds("abcd|b", "abcx", 0, 1, 2);
    finds("abcd|bc", "abcd", 0, 0, 4); /* begins first, ends later */
    finds("x*", "axx", 0, 0, 0);
    finds("x*", "axx", 1, 1, 3);
    finds("x+", "aaa", 0, -1, 0);
    finds("^a", "ba", 1, -1, 0);    /* the text before counts */
    finds("\\bé", "aé é", 1, 1, 3); /* é is no word character */
    finds("a$", "aba", 1, 2, 3);
    finds("", "ab", 2, 2, 2);
    finds("a", "", 0, -1, 0);
    finds("", "", 0, 0, 0);
}

int main(void)
{
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_OTHER);
    test_matches();
    test_bytes();
    test_errors();
    test_bounds();
    test_search();
    ig_arena_deinit(&arena);
    return check_report();
}
