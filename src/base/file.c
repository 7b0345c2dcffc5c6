/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

/* "path: what failed: system's words" */
static ig_status fail_io(ig_error *err, const char *path, const char *what)
{
    const int code = errno;
    return ig_fail(err, code == ENOMEM ? INGOT_ERR_NOMEM : INGOT_ERR_IO, "%s: %s: %s", path, what,
                   strerror(code));
}

/* ---- reading ---- */

static const char *kind_name(mode_t mode)
{
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

ig_status ig_file_map(int fd, const char *path, ig_file *out, ig_error *err)
{
    *out = (ig_file){ NULL, 0, NULL };
    struct stat st;
    if (fstat(fd, &st) != 0) return fail_io(err, path, "cannot stat");
    if (!S_ISREG(st.st_mode))
        return ig_fail(err, INGOT_ERR_IO, "%s: is %s, not a regular file", path,
                       kind_name(st.st_mode));
    if (st.st_size == 0) {
        *out = (ig_file){ (const uint8_t *)"", 0, NULL };
        return INGOT_OK;
    }
    if ((uintmax_t)st.st_size > PTRDIFF_MAX)
        return ig_fail(err, INGOT_ERR_IO, "%s: too large to map (%jd bytes)", path,
                       (intmax_t)st.st_size);
    const size_t bytes = (size_t)st.st_size;
    void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) return fail_io(err, path, "cannot map");
    *out = (ig_file){ map, bytes, map };
    return INGOT_OK;
}

ig_status ig_file_open(const char *path, ig_file *out, ig_error *err)
{
    *out = (ig_file){ NULL, 0, NULL };
    /* O_NONBLOCK: a pipe without a writer is refused, not waited for. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return fail_io(err, path, "cannot open");
    const ig_status status = ig_file_map(fd, path, out, err);
    close(fd);
    return status;
}

void ig_file_close(ig_file *file)
{
    if (file->map) munmap(file->map, file->bytes);
    *file = (ig_file){ NULL, 0, NULL };
}

void ig_file_drop_pages(const void *data, size_t bytes)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ig_align_up((uintptr_t)data, page_bytes);
    const uintptr_t end = ((uintptr_t)data + bytes) & ~(uintptr_t)(page_bytes - 1);
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* ---- writing ---- */

static bool write_all(int fd, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes) {
        /* Linux writes at most about 2 GiB in one call. */
        const ssize_t n = write(fd, p, bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (n == 0) errno = ENOSPC;
            return false;
        }
        p += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Devices and pipes cannot be replaced by a rename: write into them. */
static ig_status write_through(const char *path, const void *data, size_t bytes, ig_error *err)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return fail_io(err, path, "cannot open for writing");
    ig_status status = INGOT_OK;
    if (!write_all(fd, data, bytes)) status = fail_io(err, path, "cannot write");
    if (close(fd) != 0 && status == INGOT_OK) status = fail_io(err, path, "cannot write");
    return status;
}

/* A new file beside `target`; its name goes to temp. */
static int create_neighbour(const char *target, char temp[PATH_MAX])
{
    for (int i = 0; i < 100; i++) {
        const unsigned long long stamp = (unsigned long long)ig_clock_ns() + (unsigned)i;
        const int n =
            snprintf(temp, PATH_MAX, "%s.%lx.%llx.tmp", target, (unsigned long)getpid(), stamp);
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* Makes the rename itself durable, where the file system lets us. */
static void sync_directory(const char *target)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(target, '/');
    if (!slash) {
        memcpy(dir, ".", 2);
    } else {
        snprintf(dir, sizeof dir, "%.*s", (int)(slash == target ? 1 : slash - target), target);
    }
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

/* `target` is where the data go, `path` what the user calls it; old_mode 0: a new file. */
static ig_status replace(const char *path, const char *target, mode_t old_mode, const void *data,
                         size_t bytes, ig_error *err)
{
    char temp[PATH_MAX];
    const int fd = create_neighbour(target, temp);
    if (fd < 0) return fail_io(err, path, "cannot create");
    bool is_ok = write_all(fd, data, bytes);
    if (is_ok && old_mode) (void)fchmod(fd, old_mode & 07777);
    /* Some file systems have no fsync (EINVAL); all others must say that the bytes are safe. */
    if (is_ok && fsync(fd) != 0 && errno != EINVAL) is_ok = false;
    ig_status status = is_ok ? INGOT_OK : fail_io(err, path, "cannot write");
    if (close(fd) != 0 && is_ok) status = fail_io(err, path, "cannot write");
    if (status == INGOT_OK && rename(temp, target) != 0)
        status = fail_io(err, path, "cannot replace");
    if (status != INGOT_OK)
        (void)unlink(temp);
    else
        sync_directory(target);
    return status;
}

ig_status ig_file_write(const char *path, const void *data, size_t bytes, ig_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno != ENOENT) return fail_io(err, path, "cannot create");
        return replace(path, path, 0, data, bytes, err);
    }
    if (S_ISDIR(st.st_mode))
        return ig_fail(err, INGOT_ERR_IO, "%s: is a directory, cannot write a file there", path);
    if (!S_ISREG(st.st_mode)) return write_through(path, data, bytes, err);
    /* Through a link: replace what it points to, keep the link. */
    char target[PATH_MAX];
    if (!realpath(path, target)) return fail_io(err, path, "cannot resolve");
    return replace(path, target, st.st_mode, data, bytes, err);
}
