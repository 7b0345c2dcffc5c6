/* SPDX-License-Identifier: Apache-2.0 */
/* Files and paths. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"

static char dir[] = "/tmp/ingot-test-XXXXXX";

static const char *in_dir(const char *name)
{
    static char path[2][PATH_MAX];
    static int i;
    i ^= 1;
    snprintf(path[i], PATH_MAX, "%s/%s", dir, name);
    return path[i];
}

static int n_entries(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}

static bool holds(const char *path, const char *text)
{
    ig_file f;
    if (ig_file_open(path, &f, NULL) != INGOT_OK) return false;
    const bool is_same = f.bytes == strlen(text) && memcmp(f.data, text, f.bytes) == 0;
    ig_file_close(&f);
    return is_same;
}

static void test_write_and_open(void)
{
    ig_error err = { 0 };
    CHECK(ig_file_write(in_dir("a"), "hello", 5, &err) == INGOT_OK && holds(in_dir("a"), "hello"));
    CHECK(chmod(in_dir("a"), 0640) == 0);
    CHECK(ig_file_write(in_dir("a"), "bye", 3, &err) == INGOT_OK && holds(in_dir("a"), "bye"));
    struct stat st;
    CHECK(stat(in_dir("a"), &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK(ig_file_write(in_dir("empty"), NULL, 0, &err) == INGOT_OK);
    ig_file f;
    CHECK(ig_file_open(in_dir("empty"), &f, &err) == INGOT_OK && f.bytes == 0 && f.data);
    ig_file_close(&f);
    ig_file_close(&f);
    CHECK(symlink("a", in_dir("link")) == 0);
    CHECK(ig_file_write(in_dir("link"), "via", 3, &err) == INGOT_OK && holds(in_dir("a"), "via"));
    CHECK(lstat(in_dir("link"), &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(ig_file_write("/dev/null", "x", 1, &err) == INGOT_OK);
    CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    CHECK(n_entries() == 3);
}

static void fails(ig_status status, ig_error *err, ig_status want, const char *part)
{
    CHECK(status == want && err->status == want);
    if (!CHECK(strstr(err->message, part) != NULL)) printf("  message: %s\n", err->message);
    ig_error_clear(err);
}

static void test_refusals(void)
{
    ig_error err = { 0 };
    ig_file f;
    char text[PATH_MAX + 32];
    fails(ig_file_open(in_dir("none"), &f, &err), &err, INGOT_ERR_IO,
          "/none: cannot open: No such file");
    snprintf(text, sizeof text, "%s: is a directory", dir);
    fails(ig_file_open(dir, &f, &err), &err, INGOT_ERR_IO, text);
    CHECK(mkfifo(in_dir("pipe"), 0600) == 0);
    fails(ig_file_open(in_dir("pipe"), &f, &err), &err, INGOT_ERR_IO, "is a pipe, not a regular");
    fails(ig_file_open("/dev/zero", &f, &err), &err, INGOT_ERR_IO, "is a device");
    fails(ig_file_write(dir, "x", 1, &err), &err, INGOT_ERR_IO, "is a directory");
    fails(ig_file_write(in_dir("no/such"), "x", 1, &err), &err, INGOT_ERR_IO,
          "no/such: cannot create");
    if (access("/dev/full", W_OK) == 0)
        fails(ig_file_write("/dev/full", "x", 1, &err), &err, INGOT_ERR_IO, "No space left");
    ig_file zeroed = { 0 };
    ig_file_close(&zeroed);
}

/* A disk that is full, as seen through a limit on file size: the old file stays, nothing new. */
static void test_full_disk(void)
{
    ig_error err = { 0 };
    struct rlimit old, small;
    static char data[100000];
    const int n_before = n_entries();
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &old) != 0) return;
    small = old;
    small.rlim_cur = 4096;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const ig_status over = ig_file_write(in_dir("a"), data, sizeof data, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    fails(over, &err, INGOT_ERR_IO, "/a: cannot write: ");
    CHECK(holds(in_dir("a"), "via") && n_entries() == n_before);
}

static void test_drop_pages(void)
{
    ig_file f;
    static char data[50000];
    memset(data, 'q', sizeof data);
    CHECK(ig_file_write(in_dir("big"), data, sizeof data, NULL) == INGOT_OK);
    CHECK(ig_file_open(in_dir("big"), &f, NULL) == INGOT_OK && f.bytes == sizeof data);
    CHECK(f.data[20000] == 'q');
    ig_file_drop_pages(f.data + 100, f.bytes - 100);
    ig_file_drop_pages(f.data + 100, 10);
    ig_file_drop_pages(f.data, 0);
    CHECK(memcmp(f.data, data, sizeof data) == 0);
    ig_file_close(&f);
}

static void test_sibling(void)
{
    ig_alloc a;
    ig_arena arena;
    ig_error err = { 0 };
    char *path = NULL;
    ig_alloc_init(&a, NULL, 0);
    ig_arena_init(&arena, &a, INGOT_MEM_IMPORT);
    CHECK(ig_path_sibling(&arena, "m/n.onnx", "w.bin", 5, &path, &err) == INGOT_OK);
    CHECK_STRING(path, "m/w.bin");
    CHECK(ig_path_sibling(&arena, "n.onnx", "x/..y/w.binJUNK", 11, &path, &err) == INGOT_OK);
    CHECK_STRING(path, "x/..y/w.bin");
    static const char *const bad[] = { "", "/etc/passwd", "..", "../x", "a/../b", "a/.." };
    for (size_t i = 0; i < IG_COUNT(bad); i++)
        fails(ig_path_sibling(&arena, "m/n.onnx", bad[i], strlen(bad[i]), &path, &err), &err,
              INGOT_ERR_INVALID, "m/n.onnx: file name '");
    fails(ig_path_sibling(&arena, "n", "a\0b", 3, &path, &err), &err, INGOT_ERR_INVALID,
          "zero byte");
    ig_arena_deinit(&arena);
}

static void open_sibling(ig_arena *arena, const char *name, bool allow_links, ig_status status,
                         const char *text)
{
    ig_error err = { 0 };
    ig_file f;
    const ig_status seen =
        ig_file_open_sibling(arena, in_dir("n.onnx"), name, strlen(name), allow_links, &f, &err);
    if (status)
        fails(seen, &err, status, text);
    else
        CHECK(seen == INGOT_OK && f.bytes == 2 && memcmp(f.data, "ab", 2) == 0);
    ig_file_close(&f);
}

static void test_open_sibling(void)
{
    ig_alloc a;
    ig_arena arena;
    char path[300];
    ig_alloc_init(&a, NULL, 0);
    ig_arena_init(&arena, &a, INGOT_MEM_IMPORT);
    CHECK(mkdir(in_dir("sub"), 0700) == 0);
    CHECK(ig_file_write(in_dir("sub/w"), "ab", 2, NULL) == INGOT_OK);
    CHECK(symlink("w", in_dir("sub/link")) == 0 && symlink("sub", in_dir("under")) == 0);
    open_sibling(&arena, "sub/w", false, INGOT_OK, NULL);
    open_sibling(&arena, ".//sub/./w", false, INGOT_OK, NULL);
    open_sibling(&arena, "sub/link", false, INGOT_ERR_INVALID, "symbolic link");
    open_sibling(&arena, "under/w", false, INGOT_ERR_INVALID, "symbolic link");
    open_sibling(&arena, "under/link", true, INGOT_OK, NULL);
    open_sibling(&arena, "sub", false, INGOT_ERR_IO, "a directory");
    open_sibling(&arena, ".", false, INGOT_ERR_IO, "a directory");
    open_sibling(&arena, "sub/gone", false, INGOT_ERR_IO, "sub/gone: cannot open");
    open_sibling(&arena, "sub/w/x", false, INGOT_ERR_IO, "cannot open");
    snprintf(path, sizeof path, "%s", in_dir("sub/w"));
    CHECK(link(path, in_dir("sub/second")) == 0);
    open_sibling(&arena, "sub/w", false, INGOT_ERR_INVALID, "hard link");
    open_sibling(&arena, "sub/w", true, INGOT_OK, NULL);
    ig_arena_deinit(&arena);
}

int main(void)
{
    if (!mkdtemp(dir)) return 1;
    test_write_and_open();
    test_refusals();
    test_full_disk();
    test_drop_pages();
    test_sibling();
    test_open_sibling();
    static const char *const names[] = { "a",     "empty",    "link",       "pipe", "big",
                                         "sub/w", "sub/link", "sub/second", "under" };
    for (size_t i = 0; i < IG_COUNT(names); i++) unlink(in_dir(names[i]));
    CHECK(rmdir(in_dir("sub")) == 0 && rmdir(dir) == 0);
    return check_report();
}
