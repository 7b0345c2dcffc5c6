/* SPDX-License-Identifier: Apache-2.0 */
/* op_library.c: custom operators out of a shared library. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"

#define ENTRY "ingot_register_ops"
#define MAX_PATH_BYTES 4096

typedef ingot_status (*entry_fn)(ingot_ops *ops, int api_version, ingot_error *err);

static ig_status open_library(const char *path, void **out, ig_error *err)
{
    char here[MAX_PATH_BYTES];
    /* The system would look for a plain name in its own folders, not in the working directory. */
    const int n = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (n < 0 || (size_t)n >= sizeof here)
        return ig_fail(err, INGOT_ERR_INVALID, "the path is longer than %d bytes", MAX_PATH_BYTES);
    if (access(here, R_OK) != 0) return ig_fail(err, INGOT_ERR_IO, "no such file, or not readable");
    *out = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (*out) return INGOT_OK;
    const char *why = dlerror();
    return ig_fail(err, INGOT_ERR_INVALID, "cannot be loaded (%s)", why ? why : "no reason given");
}

static ig_status find_entry(void *library, entry_fn *out, ig_error *err)
{
    void *symbol = dlsym(library, ENTRY);
    if (!symbol)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "is no library of custom operators: it exports no function " ENTRY);
    memcpy(out, &symbol, sizeof *out); /* C has no conversion from object to function pointers */
    return INGOT_OK;
}

static ig_status register_all(ingot_ops *ops, void *library, ig_error *err)
{
    entry_fn entry = NULL;
    ingot_error said = { INGOT_OK, "" };
    IG_TRY(find_entry(library, &entry, err));
    return ig_custom_settle(entry(ops, INGOT_OP_API_VERSION, &said), &said, ENTRY, err);
}

ingot_status ingot_ops_load(ingot_ops *ops, const char *path, ingot_error *err)
{
    const size_t n_before = ops->n_defs;
    void *library = NULL;
    ig_error_clear(err);
    ig_status status = open_library(path, &library, err);
    if (!status) status = register_all(ops, library, err);
    if (!status &&
        !IG_ARENA_PUSH(&ops->arena, ops->libraries, ops->n_libraries, ops->cap_libraries, library))
        status = IG_NOMEM(err, sizeof library);
    if (!status) return INGOT_OK;
    ops->n_defs = n_before; /* their code goes with the library */
    if (library) dlclose(library);
    ig_error_prepend(err, "%s", path);
    return status;
}
