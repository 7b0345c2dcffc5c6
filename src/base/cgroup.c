/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* A first line of a small file; "" when it cannot be read. */
static void read_line(const char *path, char *line, size_t line_bytes)
{
    FILE *f = fopen(path, "re");
    if (!f || !fgets(line, (int)line_bytes, f)) line[0] = '\0';
    if (f) fclose(f);
    line[strcspn(line, "\n")] = '\0';
}

/* quota/period rounded up; 0 when either is not a positive number ("max" and -1 mean no quota). */
static int cpus_of(const char *quota, const char *period)
{
    const long long q = strtoll(quota, NULL, 10), p = strtoll(period, NULL, 10);
    if (q <= 0 || p <= 0) return 0;
    const long long cpus = (q - 1) / p + 1;
    return cpus < INT_MAX ? (int)cpus : INT_MAX;
}

static int quota_v2(const char *dir)
{
    char path[PATH_MAX], line[128];
    if (snprintf(path, sizeof path, "%s/cpu.max", dir) >= (int)sizeof path) return 0;
    read_line(path, line, sizeof line);
    const char *space = strchr(line, ' ');
    return space ? cpus_of(line, space + 1) : 0;
}

static int quota_v1(const char *dir)
{
    char path[PATH_MAX], quota[64], period[64];
    if (snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir) >= (int)sizeof path) return 0;
    read_line(path, quota, sizeof quota);
    if (snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir) >= (int)sizeof path) return 0;
    read_line(path, period, sizeof period);
    return cpus_of(quota, period);
}

static int tighter(int a, int b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* The tightest quota from mount+group up to mount. In a container the group's own path may not
 * exist below the mount; its root then is the container's group. */
static int walk_up(const char *mount, const char *group, int (*quota)(const char *dir))
{
    char dir[PATH_MAX];
    const size_t mount_bytes = strlen(mount);
    int n_cpus = 0;
    if (snprintf(dir, sizeof dir, "%s%s", mount, group) >= (int)sizeof dir) return 0;
    for (;;) {
        n_cpus = tighter(n_cpus, quota(dir));
        char *slash = strrchr(dir, '/');
        if (!slash || (size_t)(slash - dir) < mount_bytes) return n_cpus;
        *slash = '\0';
    }
}

int ig_cgroup_n_cpus(const char *proc_file, const char *root)
{
    static const char *const mounts_v1[] = { "cpu", "cpu,cpuacct", "cpuacct,cpu" };
    static const char *const mounts_v2[] = { "", "/unified" };
    char line[PATH_MAX], mount[PATH_MAX];
    int n_cpus = 0;
    FILE *f = fopen(proc_file, "re");
    if (!f) return 0;
    /* Lines are "id:controllers:/path"; version 2 has id 0 and no controllers. */
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *controllers++ = '\0';
        *group++ = '\0';
        const bool is_v2 = *controllers == '\0';
        if (!is_v2 && !ig_list_has(controllers, "cpu")) continue;
        const size_t n_mounts = is_v2 ? IG_COUNT(mounts_v2) : IG_COUNT(mounts_v1);
        for (size_t i = 0; i < n_mounts; i++) {
            if (snprintf(mount, sizeof mount, "%s%s%s", root, is_v2 ? "" : "/",
                         is_v2 ? mounts_v2[i] : mounts_v1[i]) >= (int)sizeof mount)
                continue;
            n_cpus = tighter(n_cpus, walk_up(mount, group, is_v2 ? quota_v2 : quota_v1));
        }
    }
    fclose(f);
    return n_cpus;
}
