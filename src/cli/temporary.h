/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h: a folder for files that other processes read, gone when the command ends. */
#ifndef IG_CLI_TEMPORARY_H
#define IG_CLI_TEMPORARY_H

#include "cli/cli.h"

/* A new folder in TMPDIR, else in the system's folder of that kind; its name is the arena's. */
ig_status ig_temporary_folder(ig_cli *cli, const char **folder) IG_MUST_USE;
/* With the files in it; NULL does nothing. */
void ig_temporary_remove(const char *folder);

#endif
