/* SPDX-License-Identifier: MIT */
#include "core/plugins/options.h"

#include "core/plugins/option_parse.h"
#include "core/text/buffer.h"
#include "core/text/config_mistakes.h"
#include "core/text/names.h"
#include "core/text/printable.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- {rank}, {host} and others in a text: finding them, and their values --------------------- */

enum placeholder {
    SWI_NAME_PLACEHOLDER,
    SWI_TIME_PLACEHOLDER,
    SWI_PID_PLACEHOLDER,
    SWI_RANK_PLACEHOLDER,
    SWI_WORLD_SIZE_PLACEHOLDER,
    SWI_LOCAL_RANK_PLACEHOLDER,
    SWI_HOST_PLACEHOLDER,
    SWI_JOB_PLACEHOLDER,
    SWI_ATTEMPT_PLACEHOLDER,
    SWI_RUN_PLACEHOLDER,
    SWI_PLACEHOLDERS,
    SWI_NO_PLACEHOLDER = -1
};

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
    enum placeholder placeholder; /* SWI_NO_PLACEHOLDER: a byte, the last one of the token */
    size_t length;
};

static struct token token_at(const char *text)
{
    if (strncmp(text, "{{", 2) == 0)
        return (struct token){SWI_NO_PLACEHOLDER, 2};
    for (int i = 0; i < SWI_PLACEHOLDERS; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return (struct token){(enum placeholder)i, strlen(names[i])};
    return (struct token){SWI_NO_PLACEHOLDER, 1};
}

/* Returns whether a text has a placeholder. */
static bool placeholder_in(const char *text, enum placeholder placeholder)
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

/* Adds a mistake for each placeholder of a text that is unknown, or has no value. */
static void placeholders_check_text(const char *prefix, const char *text,
                                    const struct swi_where *where, bool has_id,
                                    struct swi_mistakes *mistakes)
{
    if (!has_id && placeholder_in(text, SWI_RUN_PLACEHOLDER))
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

/* Adds a name of the user or of the machine so that it is a single part of a path and not a hidden
 * file. */
static void placeholder_name(struct swi_text *out, const char *name)
{
    char room[SWI_FILE_PART_MAX + 1];
    name = swi_name_shorten(name, SWI_FILE_PART_MAX, room);
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

/* A run without other ranks needs no name that is the same in all of them. */
static void id_put(struct swi_text *out, const struct sw_run *run)
{
    if (*run->id) {
        placeholder_name(out, run->id);
        return;
    }
    time_put(out, run);
    swi_text_format(out, "-%" PRId64, run->pid);
}

static void value_put(struct swi_text *out, enum placeholder placeholder, const struct sw_run *run)
{
    const char *const text[SWI_PLACEHOLDERS] = {[SWI_NAME_PLACEHOLDER] = run->name,
                                                [SWI_HOST_PLACEHOLDER] = run->host,
                                                [SWI_JOB_PLACEHOLDER] = *run->job ? run->job : "x"};
    const int64_t number[SWI_PLACEHOLDERS] = {[SWI_RANK_PLACEHOLDER] = run->rank,
                                              [SWI_WORLD_SIZE_PLACEHOLDER] =
                                                  run->world_size > 0 ? run->world_size : -1,
                                              [SWI_LOCAL_RANK_PLACEHOLDER] = run->local_rank,
                                              [SWI_ATTEMPT_PLACEHOLDER] = run->attempt};
    if (placeholder == SWI_TIME_PLACEHOLDER)
        time_put(out, run);
    else if (placeholder == SWI_RUN_PLACEHOLDER)
        id_put(out, run);
    else if (placeholder == SWI_PID_PLACEHOLDER)
        swi_text_integer(out, run->pid);
    else if (text[placeholder])
        placeholder_name(out, text[placeholder]);
    else if (number[placeholder] >= 0)
        swi_text_integer(out, number[placeholder]);
    else
        swi_text_put(out, "x");
}

static bool differs_by_rank(enum placeholder placeholder)
{
    return placeholder == SWI_TIME_PLACEHOLDER || placeholder == SWI_PID_PLACEHOLDER ||
           placeholder == SWI_RANK_PLACEHOLDER || placeholder == SWI_LOCAL_RANK_PLACEHOLDER ||
           placeholder == SWI_HOST_PLACEHOLDER;
}

/* Adds a text with its values. pattern: writes * for what differs between ranks. */
static void placeholders_expand(struct swi_text *out, const char *text, const struct sw_run *run,
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

/* ---- adds the rank to a path that is the same in all of them --------------------------------- */

/* Adds "3", or "3-HOST-PID" if another process may believe that it
 * has the same rank. */
static void rank_put(struct swi_text *out, const struct sw_run *run, bool pattern)
{
    if (pattern) {
        swi_text_put(out, "*");
        return;
    }
    swi_text_integer(out, run->rank);
    if (run->rank_certain)
        return;
    swi_text_put(out, "-");
    placeholder_name(out, run->host);
    swi_text_format(out, "-%" PRId64, run->pid);
}

static bool name_ends(const char *name, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size > length && memcmp(name + size - length, end, length) == 0;
}

/* Returns the length of a file's name without its extension. Programs that read a file know it by
 * all parts of .json.gz or .pt.trace.json. A leading dot does not begin an extension. */
static size_t stem_of(const char *name)
{
    size_t plain = swi_length_unpacked(name);
    if (name_ends(name, plain, ".pt.trace.json"))
        return plain - strlen(".pt.trace.json");
    const char *dot = memrchr(name, '.', plain);
    return dot && dot != name ? (size_t)(dot - name) : plain;
}

/* Makes r.3.csv of r.csv. pattern: * instead of the rank. */
static void rank_in_path(struct swi_text *out, const char *path, const struct sw_run *run,
                         bool pattern)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t stem = (size_t)(name - path) + stem_of(name);
    swi_text_add(out, path, stem);
    swi_text_put(out, ".");
    rank_put(out, run, pattern);
    swi_text_put(out, path + stem);
}

/* Makes runs/rank_3 of runs. */
static void rank_folder(struct swi_text *out, const char *path, const struct sw_run *run)
{
    swi_text_put(out, path);
    swi_text_put(out, "/rank_");
    rank_put(out, run, false);
}

/* ---- the options that may have some ---- */

static bool may_hold(const struct sw_option *option)
{
    return option->type == SW_OPTION_PATH || option->type == SW_OPTION_SUBPATH ||
           option->type == SW_OPTION_NAME ||
           (option->type == SW_OPTION_STRING && option->placeholders);
}

static bool is_path(const struct sw_option *option)
{
    return option->type == SW_OPTION_PATH && strcmp(option->name, "path") == 0;
}

static bool is_folder_of_run(const struct sw_option *option)
{
    return option->type == SW_OPTION_SUBPATH && strcmp(option->name, "run") == 0;
}

/* ---- mistakes ---- */

bool swi_placeholders_have_id(const struct sw_run *run)
{
    return *run->id || (run->world_size == 1 && run->rank_certain);
}

void swi_placeholders_check(const struct sw_sink_plugin *plugin,
                            const struct swi_sink_settings *settings, const void *state,
                            bool has_id, struct swi_mistakes *mistakes)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char prefix[128];
        struct swi_where where = swi_setting_where(settings, option->name);
        const char *text = may_hold(option) ? swi_option_text(option, state) : NULL;
        snprintf(prefix, sizeof prefix, "sink %s: %s", plugin->name, option->name);
        if (text)
            placeholders_check_text(prefix, text, &where, has_id, mistakes);
    }
}

/* ---- names that differ ---- */

static bool is_fallback(const struct sw_option *option, const char *text)
{
    return option->fallback && strcmp(option->fallback, text) == 0;
}

/* Returns whether each process has another text. */
static bool is_unique(const char *text)
{
    return placeholder_in(text, SWI_RANK_PLACEHOLDER) ||
           (placeholder_in(text, SWI_PID_PLACEHOLDER) &&
            placeholder_in(text, SWI_HOST_PLACEHOLDER));
}

/* Returns whether other processes may use the same configuration at the same time. The user gives
 * the path of a replay. */
static bool has_peers(const struct sw_run *run)
{
    return !run->replayed && (run->world_size != 1 || !run->rank_certain);
}

static bool needs_rank(const struct sw_sink_plugin *plugin, const struct sw_option *option,
                       const void *state)
{
    const char *text = swi_option_text(option, state);
    if (is_path(option) && plugin->path_is_folder && plugin->path_is_folder(state))
        return false;
    if (is_path(option))
        return strcmp(text, "-") != 0 &&
               !(is_fallback(option, text) ? placeholder_in(text, SWI_RANK_PLACEHOLDER)
                                           : is_unique(text));
    if (!is_folder_of_run(option) || !*text || is_unique(text))
        return false;
    for (const struct sw_option *other = plugin->options; other->name; other++)
        if (other->type == SW_OPTION_PATH && swi_option_text(other, state) &&
            is_unique(swi_option_text(other, state)))
            return false;
    return true;
}

/* ---- filling ---- */

/* Returns the new text of an option, or NULL if out of memory. */
static char *filled(const struct sw_option *option, const char *text, const struct sw_run *run,
                    bool with_rank, bool pattern)
{
    struct swi_text expanded = {0}, out = {0};
    placeholders_expand(&expanded, text, run, pattern);
    if (expanded.failed || !with_rank)
        out = expanded;
    else if (is_folder_of_run(option))
        rank_folder(&out, expanded.data, run);
    else
        rank_in_path(&out, expanded.data, run, pattern);
    if (out.data != expanded.data)
        swi_text_free(&expanded);
    if (!out.failed)
        return out.data;
    swi_text_free(&out);
    return NULL;
}

/* Returns whether the file's name was not written by the user. */
static bool is_made(const struct sw_option *option, const char *text, bool with_rank)
{
    return is_path(option) && (with_rank || (is_fallback(option, text) && is_unique(text)));
}

/* The new text of an option. Nothing is replaced before all options are read, because some depend
 * on others. */
struct placed {
    const struct sw_option *option;
    char *text;
};

static bool placed_make(struct placed *placed, const struct sw_sink_plugin *plugin,
                        const void *state, struct swi_strings *strings, const struct sw_run *run,
                        bool *fresh)
{
    const struct sw_option *option = placed->option;
    const char *text = swi_option_text(option, state);
    bool with_rank = has_peers(run) && needs_rank(plugin, option, state);
    *fresh = *fresh || (!run->replayed && is_made(option, text, with_rank));
    placed->text = swi_strings_keep(strings, filled(option, text, run, with_rank, false));
    return placed->text;
}

bool swi_placeholders_fill(const struct sw_sink_plugin *plugin, void *state,
                           struct swi_strings *strings, const struct sw_run *run, bool *fresh)
{
    enum { MOST = 64 };
    struct placed placed[MOST];
    size_t count = 0;
    *fresh = false;
    for (const struct sw_option *option = plugin->options; option && option->name && count < MOST;
         option++) {
        if (!may_hold(option) || !swi_option_text(option, state))
            continue;
        placed[count].option = option;
        if (!placed_make(&placed[count++], plugin, state, strings, run, fresh))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        memcpy((char *)state + placed[i].option->offset, &placed[i].text, sizeof(char *));
    return true;
}

char *swi_placeholders_pattern(const struct sw_sink_plugin *plugin, const void *state,
                               const struct sw_run *run)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        bool is_place = is_path(option) ||
                        (option->type == SW_OPTION_PATH && strcmp(option->name, "logdir") == 0);
        const char *text = is_place ? swi_option_text(option, state) : NULL;
        if (text && strcmp(text, "-") != 0)
            return filled(option, text, run,
                          is_path(option) && has_peers(run) && needs_rank(plugin, option, state),
                          true);
    }
    return NULL;
}
