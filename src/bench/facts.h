/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h: names and what is known under them, as texts; and what is known of this machine. */
#ifndef IG_BENCH_FACTS_H
#define IG_BENCH_FACTS_H

#include "base/arena.h"
#include "base/json.h"

typedef struct ig_fact {
    const char *name, *text;
} ig_fact;

/* A list in an arena. A failed allocation sticks, as in ig_str. */
typedef struct ig_facts {
    ig_arena *arena;
    ig_fact *items;
    size_t n, cap;
    bool has_failed;
} ig_facts;

/* `name` is kept, the text is copied. */
void ig_facts_add(ig_facts *facts, const char *name, const char *format, ...) IG_PRINTF(3, 4);
/* An object of texts. */
void ig_facts_put_json(const ig_facts *facts, const char *key, ig_json_writer *w);

/* machine.c: CPU, caches, memory, system, and what of the environment changes engines' speed. */
void ig_machine_facts(ig_facts *facts);
/* machine.c: how this process was called, quoted for a shell, and where. */
void ig_command_facts(ig_facts *facts);
/* A word as a shell takes it back. */
void ig_shell_put_word(ig_str *out, const char *word);

#endif
