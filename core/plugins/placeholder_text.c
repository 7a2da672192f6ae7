/* SPDX-License-Identifier: MIT */
#include "core/plugins/placeholder_text.h"
#include "core/text/nearest.h"
#include "core/text/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {[SWI_NAME_PLACEHOLDER] = "{name}",
                                    [SWI_TIME_PLACEHOLDER] = "{time}",
                                    [SWI_PID_PLACEHOLDER] = "{pid}",
                                    [SWI_RANK_PLACEHOLDER] = "{rank}",
                                    [SWI_WORLD_SIZE_PLACEHOLDER] = "{world_size}",
                                    [SWI_LOCAL_RANK_PLACEHOLDER] = "{local_rank}",
                                    [SWI_HOST_PLACEHOLDER] = "{host}",
                                    [SWI_JOB_PLACEHOLDER] = "{job}",
                                    [SWI_ATTEMPT_PLACEHOLDER] = "{attempt}",
                                    [SWI_RUN_PLACEHOLDER] = "{run}"};

#define ALL                                                                                        \
    "{name}, {time}, {pid}, {rank}, {world_size}, {local_rank}, {host}, {job}, {attempt} and "     \
    "{run}"

/* The placeholder or the byte at the start of a text, and its length there. */
struct token {
    enum swi_placeholder placeholder; /* SWI_NO_PLACEHOLDER: a byte, the last one of the token */
    size_t length;
};

static struct token token_at(const char *text)
{
    if (strncmp(text, "{{", 2) == 0)
        return (struct token){SWI_NO_PLACEHOLDER, 2};
    for (int i = 0; i < SWI_PLACEHOLDERS; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return (struct token){(enum swi_placeholder)i, strlen(names[i])};
    return (struct token){SWI_NO_PLACEHOLDER, 1};
}

bool swi_placeholder_in(const char *text, enum swi_placeholder placeholder)
{
    for (struct token token; *text; text += token.length) {
        token = token_at(text);
        if (token.placeholder == placeholder)
            return true;
    }
    return false;
}

static void unknown_add(const char *prefix, const char *text, const struct swi_where *where,
                        struct swi_mistakes *mistakes)
{
    size_t length = strcspn(text, "}");
    char *word = strndup(text, length + 1);
    const char *nearest = word && text[length] ? swi_nearest(word, names, SWI_PLACEHOLDERS) : NULL;
    if (!word || !text[length])
        swi_mistakes_add(mistakes, where, "%s: the { in \"%s\" has no }: write {{ for a brace",
                         prefix, SWI_PRINTABLE(text));
    else if (nearest)
        swi_mistakes_add(mistakes, where,
                         "%s: unknown placeholder %s: did you mean %s? Known are " ALL
                         "; write {{ for a brace",
                         prefix, SWI_PRINTABLE(word), nearest);
    else
        swi_mistakes_add(mistakes, where,
                         "%s: unknown placeholder %s: known are " ALL "; write {{ for a brace",
                         prefix, SWI_PRINTABLE(word));
    free(word);
}

void swi_placeholders_check_text(const char *prefix, const char *text,
                                 const struct swi_where *where, bool has_id,
                                 struct swi_mistakes *mistakes)
{
    if (!has_id && swi_placeholder_in(text, SWI_RUN_PLACEHOLDER))
        swi_mistakes_add(mistakes, where,
                         "%s: {run} is not known: the launcher names no job; set the environment "
                         "variable STEPWATCH_RUN to the same text in all ranks",
                         prefix);
    for (struct token token; *text; text += token.length) {
        token = token_at(text);
        if (token.placeholder == SWI_NO_PLACEHOLDER && token.length == 1 && *text == '{')
            unknown_add(prefix, text, where, mistakes);
    }
}

void swi_placeholder_name(struct swi_text *out, const char *name)
{
    swi_text_put(out, *name == '.' || !*name ? "run" : "");
    for (; *name; name++) {
        bool kept = (unsigned char)*name > 0x20 && *name != '/' && *name != 0x7f;
        swi_text_add(out, kept ? name : "_", 1);
    }
}

static void time_put(struct swi_text *out, const struct sw_run *run)
{
    char text[64];
    time_t at = (time_t)run->started_s + (time_t)run->utc_offset_s;
    struct tm local;
    if (gmtime_r(&at, &local) && strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local))
        swi_text_put(out, text);
}

static void number_put(struct swi_text *out, int64_t number, int64_t least)
{
    if (number >= least)
        swi_text_integer(out, number);
    else
        swi_text_put(out, "x");
}

/* A run without other ranks needs no name that is the same in all of them. */
static void id_put(struct swi_text *out, const struct sw_run *run)
{
    if (*run->id) {
        swi_placeholder_name(out, run->id);
        return;
    }
    time_put(out, run);
    swi_text_format(out, "-%" PRId64, run->pid);
}

static void value_put(struct swi_text *out, enum swi_placeholder placeholder,
                      const struct sw_run *run)
{
    switch (placeholder) {
    case SWI_NAME_PLACEHOLDER:
        swi_placeholder_name(out, run->name);
        break;
    case SWI_TIME_PLACEHOLDER:
        time_put(out, run);
        break;
    case SWI_PID_PLACEHOLDER:
        swi_text_integer(out, run->pid);
        break;
    case SWI_RANK_PLACEHOLDER:
        number_put(out, run->rank, 0);
        break;
    case SWI_WORLD_SIZE_PLACEHOLDER:
        number_put(out, run->world_size, 1);
        break;
    case SWI_LOCAL_RANK_PLACEHOLDER:
        number_put(out, run->local_rank, 0);
        break;
    case SWI_HOST_PLACEHOLDER:
        swi_placeholder_name(out, run->host);
        break;
    case SWI_JOB_PLACEHOLDER:
        swi_placeholder_name(out, *run->job ? run->job : "x");
        break;
    case SWI_ATTEMPT_PLACEHOLDER:
        number_put(out, run->attempt, 0);
        break;
    case SWI_RUN_PLACEHOLDER:
        id_put(out, run);
        break;
    case SWI_PLACEHOLDERS:
    case SWI_NO_PLACEHOLDER:
        break;
    }
}

static bool differs_by_rank(enum swi_placeholder placeholder)
{
    return placeholder == SWI_TIME_PLACEHOLDER || placeholder == SWI_PID_PLACEHOLDER ||
           placeholder == SWI_RANK_PLACEHOLDER || placeholder == SWI_LOCAL_RANK_PLACEHOLDER ||
           placeholder == SWI_HOST_PLACEHOLDER;
}

void swi_placeholders_expand(struct swi_text *out, const char *text, const struct sw_run *run,
                             bool pattern)
{
    swi_text_put(out, "");
    for (struct token token; *text; text += token.length) {
        token = token_at(text);
        if (token.placeholder == SWI_NO_PLACEHOLDER)
            swi_text_add(out, text + token.length - 1, 1);
        else if (pattern && differs_by_rank(token.placeholder))
            swi_text_put(out, "*");
        else
            value_put(out, token.placeholder, run);
    }
}
