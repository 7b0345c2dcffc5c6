/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/temporary.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

ig_status ig_temporary_folder(ig_cli *cli, const char **folder)
{
    const char *wanted = getenv("TMPDIR"), *tmp = wanted && *wanted ? wanted : P_tmpdir;
    char *path = ig_arena_printf(&cli->arena, "%s/ingot-%s-XXXXXX", tmp, cli->command->name);
    *folder = NULL;
    if (!path) return IG_NOMEM(&cli->err, 0);
    if (!mkdtemp(path))
        return ig_fail(&cli->err, INGOT_ERR_IO, "no folder for inputs can be made in %s", tmp);
    *folder = path;
    return INGOT_OK;
}

void ig_temporary_remove(const char *folder)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    if (!folder) return;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}
