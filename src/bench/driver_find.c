/* SPDX-License-Identifier: Apache-2.0 */
/* driver_find.c: where drivers are. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/driver.h"

static char *try_file(const char *folder, size_t n_folder, const char *name, ig_arena *arena)
{
    static const char *const endings[] = { "", ".py" };
    for (size_t i = 0; i < IG_COUNT(endings); i++) {
        char *path = ig_arena_printf(arena, "%.*s/%s%s", (int)n_folder, folder, name, endings[i]);
        if (path && access(path, X_OK) == 0) return path;
    }
    return NULL;
}

char *ig_driver_find(const char *name, ig_arena *arena)
{
    char self[PATH_MAX];
    char *path = NULL;
    if (strchr(name, '/')) return access(name, X_OK) == 0 ? ig_arena_strdup(arena, name) : NULL;
    for (const char *list = getenv("INGOT_DRIVERS"); list && *list && !path;) {
        const size_t n = strcspn(list, ":");
        path = try_file(list, n, name, arena);
        list += n + (list[n] == ':');
    }
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    /* Installed in bin/, or in a build folder's src/cli/. */
    static const char *const places[] = { "../share/ingot/drivers", "../../share/ingot/drivers" };
    for (size_t i = 0; slash && !path && i < IG_COUNT(places); i++) {
        char *folder = ig_arena_printf(arena, "%.*s/%s", (int)(slash - self), self, places[i]);
        if (folder) path = try_file(folder, strlen(folder), name, arena);
    }
    return path;
}
