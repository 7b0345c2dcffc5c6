/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.c: files that another file names. The name is not trusted: it may lead nowhere but down
 * from the directory of the file that has it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool has_dotdot(const char *name, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && name[end] != '/') end++;
        if (end - i == 2 && name[i] == '.' && name[i + 1] == '.') return true;
        i = end + 1;
    }
    return false;
}

ig_status ig_path_sibling(ig_arena *arena, const char *base_path, const char *name,
                          size_t name_bytes, char **out, ig_error *err)
{
    const int n_shown = (int)(name_bytes < 200 ? name_bytes : 200);
    const char *fault = NULL;
    if (name_bytes == 0)
        fault = "is empty";
    else if (memchr(name, '\0', name_bytes))
        fault = "holds a zero byte";
    else if (name_bytes >= PATH_MAX)
        fault = "is too long";
    else if (name[0] == '/')
        fault = "is absolute; it must be relative to the model's directory";
    else if (has_dotdot(name, name_bytes))
        fault = "leaves the model's directory ('..' is refused)";
    if (fault) {
        return ig_fail(err, INGOT_ERR_INVALID, "%s: file name '%.*s' %s", base_path, n_shown,
                       name_bytes ? name : "", fault);
    }
    const char *slash = strrchr(base_path, '/');
    const size_t dir_bytes = slash ? (size_t)(slash - base_path) + 1 : 0;
    char *path = ig_arena_get(arena, dir_bytes + name_bytes + 1);
    if (!path) return IG_NOMEM(err, dir_bytes + name_bytes + 1);
    memcpy(path, base_path, dir_bytes);
    memcpy(path + dir_bytes, name, name_bytes);
    *out = path;
    return INGOT_OK;
}

/* ---- without links ---- */

static ig_status fail_link(ig_error *err, const char *path, const char *what)
{
    return ig_fail(err, INGOT_ERR_INVALID,
                   "%s: %s, which a model's files may have only where links are allowed "
                   "(--allow-links, allow_links)",
                   path, what);
}

/* Opens one component in `dir` without following it. */
static int open_component(int dir, const char *component, bool is_last)
{
    /* O_PATH: a directory that may be searched need not be readable. */
    const int flags = is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    return openat(dir, component, flags | O_NOFOLLOW | O_CLOEXEC);
}

static ig_status fail_component(ig_error *err, int dir, const char *component, const char *path)
{
    const int code = errno;
    struct stat st;
    if (fstatat(dir, component, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        return fail_link(err, path, "leads through a symbolic link");
    return ig_fail(err, INGOT_ERR_IO, "%s: cannot open: %s", path, strerror(code));
}

/* The next component of a relative path, terminated in place; NULL at the end. */
static char *next_component(char **rest)
{
    for (;;) {
        char *component = *rest + strspn(*rest, "/");
        const size_t n = strcspn(component, "/");
        if (n == 0) return NULL;
        *rest = component + n;
        if (**rest) *(*rest)++ = '\0';
        if (strcmp(component, ".") != 0) return component;
    }
}

/* Walks down from the directory `dir_path`: each step is taken in the directory that the last one
 * opened, so nothing can be put in its place between a check and its use. */
static ig_status open_below(const char *dir_path, char *rest, const char *path, int *out,
                            ig_error *err)
{
    int dir = open(dir_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *component = next_component(&rest);
    if (dir < 0) return ig_fail(err, INGOT_ERR_IO, "%s: %s", path, strerror(errno));
    while (component) {
        char *next = next_component(&rest);
        const int fd = open_component(dir, component, !next);
        const ig_status status = fd < 0 ? fail_component(err, dir, component, path) : INGOT_OK;
        close(dir);
        IG_TRY(status);
        dir = fd;
        component = next;
    }
    *out = dir;
    return INGOT_OK;
}

/* A second name may stand in a directory that the reader of the model can see and its author
 * cannot. */
static ig_status check_names(int fd, const char *path, ig_error *err)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1)
        return fail_link(err, path, "has another name (a hard link)");
    return INGOT_OK;
}

ig_status ig_file_open_sibling(ig_arena *arena, const char *base_path, const char *name,
                               size_t name_bytes, bool allow_links, ig_file *out, ig_error *err)
{
    char *path = NULL, *rest, *dir_path;
    int fd = -1;
    *out = (ig_file){ NULL, 0, NULL };
    IG_TRY(ig_path_sibling(arena, base_path, name, name_bytes, &path, err));
    if (allow_links) return ig_file_open(path, out, err);
    const size_t dir_bytes = strlen(path) - name_bytes;
    dir_path = dir_bytes ? ig_arena_strndup(arena, path, dir_bytes) : "./";
    rest = ig_arena_strndup(arena, name, name_bytes);
    if (!dir_path || !rest) return IG_NOMEM(err, name_bytes);
    IG_TRY(open_below(dir_path, rest, path, &fd, err));
    ig_status status = check_names(fd, path, err);
    if (!status) status = ig_file_map(fd, path, out, err);
    close(fd);
    return status;
}
