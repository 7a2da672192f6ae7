/* SPDX-License-Identifier: MIT */
#include "core/plugins/placeholders.h"

#include "core/plugins/placeholder_text.h"
#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    swi_placeholder_name(out, run->host);
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
    size_t size = strlen(name);
    size_t plain = name_ends(name, size, ".gz") ? size - strlen(".gz") : size;
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

static const char *text_of(const struct sw_option *option, const void *state)
{
    return *(const char *const *)((const char *)state + option->offset);
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

static struct swi_where where_of(const struct swi_sink_settings *settings, const char *option)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->setting[i].name, option) == 0 && settings->setting[i].where.line)
            return settings->setting[i].where;
    return settings->where;
}

void swi_placeholders_check(const struct sw_sink_plugin *plugin,
                            const struct swi_sink_settings *settings, const void *state,
                            bool has_id, struct swi_mistakes *mistakes)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++) {
        char prefix[128];
        struct swi_where where = where_of(settings, option->name);
        const char *text = may_hold(option) ? text_of(option, state) : NULL;
        snprintf(prefix, sizeof prefix, "sink %s: %s", plugin->name, option->name);
        if (text)
            swi_placeholders_check_text(prefix, text, &where, has_id, mistakes);
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
    return swi_placeholder_in(text, SWI_RANK_PLACEHOLDER) ||
           (swi_placeholder_in(text, SWI_PID_PLACEHOLDER) &&
            swi_placeholder_in(text, SWI_HOST_PLACEHOLDER));
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
    const char *text = text_of(option, state);
    if (is_path(option) && plugin->path_is_folder && plugin->path_is_folder(state))
        return false;
    if (is_path(option))
        return strcmp(text, "-") != 0 &&
               !(is_fallback(option, text) ? swi_placeholder_in(text, SWI_RANK_PLACEHOLDER)
                                           : is_unique(text));
    if (!is_folder_of_run(option) || !*text || is_unique(text))
        return false;
    for (const struct sw_option *other = plugin->options; other->name; other++)
        if (other->type == SW_OPTION_PATH && text_of(other, state) &&
            is_unique(text_of(other, state)))
            return false;
    return true;
}

/* ---- filling ---- */

/* Returns the new text of an option, or NULL if out of memory. */
static char *filled(const struct sw_option *option, const char *text, const struct sw_run *run,
                    bool with_rank, bool pattern)
{
    struct swi_text expanded = {0}, out = {0};
    swi_placeholders_expand(&expanded, text, run, pattern);
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
    const char *text = text_of(option, state);
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
        if (!may_hold(option) || !text_of(option, state))
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
        const char *text = is_place ? text_of(option, state) : NULL;
        if (text && strcmp(text, "-") != 0)
            return filled(option, text, run,
                          is_path(option) && has_peers(run) && needs_rank(plugin, option, state),
                          true);
    }
    return NULL;
}
