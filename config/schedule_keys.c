/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"

#include "config/yaml_reader.h"
#include "core/plugins/option_parse.h"
#include "core/text/path_text.h"
#include "core/text/printable.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_EXPECTED "a number of steps"

struct entry {
    struct sw_option option;
    const char *expected;
};

#define SCHEDULE(key, least)                                                                       \
    {                                                                                              \
        {.name = #key,                                                                             \
         .type = SW_OPTION_INT,                                                                    \
         .offset = offsetof(struct sw_schedule, key),                                              \
         .min = (least),                                                                           \
         .max = SW_SCHEDULE_MOST},                                                                 \
            STEPS_EXPECTED                                                                         \
    }

static const struct entry schedule_entries[] = {
    SCHEDULE(skip_first, 0),
    SCHEDULE(wait, 0),
    SCHEDULE(warmup, 0),
    SCHEDULE(active, 1),
    SCHEDULE(repeat, 0),
    {{.name = "skip_first_wait",
      .type = SW_OPTION_BOOL,
      .offset = offsetof(struct sw_schedule, skip_first_wait)},
     "true or false"},
};
enum { SCHEDULE_ENTRIES = sizeof schedule_entries / sizeof *schedule_entries };

static const struct entry capture_entries[] = {
    {{.name = "file", .type = SW_OPTION_PATH}, "the path of a file"},
    {{.name = "steps", .type = SW_OPTION_INT, .min = 1, .max = SW_SCHEDULE_MOST}, STEPS_EXPECTED},
    {{.name = "signal", .type = SW_OPTION_CHOICE, .choices = "USR1|USR2"}, "USR1 or USR2"},
};
enum { CAPTURE_ENTRIES = sizeof capture_entries / sizeof *capture_entries };
_Static_assert(sizeof capture_entries <= sizeof schedule_entries, "room for the names of both");
enum { CAPTURE_FILE, CAPTURE_STEPS, CAPTURE_SIGNAL };

/* ---- reading ---- */

/* Returns the text of an entry, or NULL if nothing was given or a mistake was reported. */
static const char *entry_text(struct swi_yaml_reader *reading, const char *key,
                              const struct entry *entry, const struct swi_node *value)
{
    if (value->wrong || value->is_null)
        return NULL;
    if (value->kind == SWI_NODE_TEXT)
        return value->text;
    SWI_NODE_MISTAKE(reading, value, "profiler: %s: %s: found %s, expected %s", key,
                     entry->option.name, SWI_NODE_FOUND(value), entry->expected);
    return NULL;
}

/* Returns false and reports a mistake if the text does not have the right type. */
static bool entry_parse(struct swi_yaml_reader *reading, const char *key, const struct entry *entry,
                        const struct swi_node *node, const char *text, union swi_value *value)
{
    SW_ERROR_SCOPE(err);
    if (swi_option_parse(&entry->option, text, value, &err) == 0)
        return true;
    SWI_NODE_MISTAKE(reading, node, "profiler: %s: %s: %s %s", key, entry->option.name,
                     SWI_NODE_SHOWN(node), sw_error_text(&err));
    return false;
}

/* torch uses a number here. */
static const char *bool_text(const char *text)
{
    return strcmp(text, "0") == 0 ? "false" : strcmp(text, "1") == 0 ? "true" : text;
}

static void schedule_set(struct swi_yaml_reader *reading, const struct entry *entry,
                         const struct swi_node *node)
{
    struct sw_schedule *schedule = &reading->config->keys.schedule;
    const char *text = entry_text(reading, "schedule", entry, node);
    union swi_value value;
    reading->config->keys.schedule_wrong |= node->kind != SWI_NODE_TEXT;
    if (!text)
        return;
    if (entry->option.type == SW_OPTION_BOOL)
        text = bool_text(text);
    if (entry_parse(reading, "schedule", entry, node, text, &value))
        memcpy((char *)schedule + entry->option.offset, &value,
               swi_option_size(entry->option.type));
    else
        reading->config->keys.schedule_wrong = true;
}

static void file_set(struct swi_yaml_reader *reading, const char *path)
{
    struct swi_config *config = reading->config;
    free(config->keys.capture_file);
    config->keys.capture_file = swi_path_text_below(config->settings.directory, path);
    reading->no_memory |= !config->keys.capture_file;
}

static void file_read(struct swi_yaml_reader *reading, const struct entry *entry,
                      const struct swi_node *node, const char *text)
{
    union swi_value value;
    char *path = swi_path_text_expand(text, secure_getenv("HOME"));
    if (!path)
        reading->no_memory = true;
    else if (!*path)
        SWI_NODE_MISTAKE(reading, node,
                         "profiler: capture: file: is empty: expected the path of a file");
    else if (entry_parse(reading, "capture", entry, node, path, &value))
        file_set(reading, path);
    free(path);
}

static void capture_set(struct swi_yaml_reader *reading, const struct entry *entry,
                        const struct swi_node *node)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    const char *text = entry_text(reading, "capture", entry, node);
    bool prefixed =
        text && entry == &capture_entries[CAPTURE_SIGNAL] && strncmp(text, "SIG", 3) == 0;
    union swi_value value;
    if (!text)
        return;
    if (entry == &capture_entries[CAPTURE_FILE]) {
        file_read(reading, entry, node, text);
        return;
    }
    if (!entry_parse(reading, "capture", entry, node, prefixed ? text + 3 : text, &value))
        return;
    if (entry == &capture_entries[CAPTURE_STEPS])
        keys->capture.steps = value.integer;
    else
        keys->capture.signal = strcmp(value.text, "USR1") == 0 ? SIGUSR1 : SIGUSR2;
}

typedef void set_fn(struct swi_yaml_reader *reading, const struct entry *entry,
                    const struct swi_node *node);

static void entry_read(struct swi_yaml_reader *reading, const char *prefix,
                       const struct swi_item *item, const struct entry *entries, size_t count,
                       set_fn *set)
{
    const char *names[SCHEDULE_ENTRIES]; /* capture has fewer */
    for (size_t i = 0; i < count; i++) {
        names[i] = entries[i].option.name;
        if (strcmp(item->key->text, names[i]) == 0) {
            set(reading, &entries[i], item->value);
            return;
        }
    }
    swi_key_unknown(reading, prefix, item->key, names, count, NULL);
}

/* Reports a mistake and returns false if the value is not a mapping. */
static bool is_mapping(struct swi_yaml_reader *reading, const char *key, const char *example,
                       const struct swi_node *node)
{
    if (node->kind == SWI_NODE_MAPPING)
        return true;
    SWI_NODE_MISTAKE(reading, node, "profiler: %s: found %s, expected a mapping, like %s", key,
                     SWI_NODE_FOUND(node), example);
    return false;
}

#define SCHEDULE_EXAMPLE "{wait: 1, warmup: 1, active: 3, repeat: 2}"

void swi_schedule_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    keys->schedule.given = is_mapping(reading, "schedule", SCHEDULE_EXAMPLE, node);
    keys->schedule_wrong = keys->schedule_wrong || !keys->schedule.given;
    for (size_t i = 0; keys->schedule.given && i < node->count; i++)
        entry_read(reading, "profiler: schedule: ", &node->item[i], schedule_entries,
                   SCHEDULE_ENTRIES, schedule_set);
}

void swi_capture_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    keys->capture.given = is_mapping(reading, "capture", "{file: capture, steps: 5}", node);
    for (size_t i = 0; keys->capture.given && i < node->count; i++)
        entry_read(reading, "profiler: capture: ", &node->item[i], capture_entries, CAPTURE_ENTRIES,
                   capture_set);
}

void swi_windows_complete(struct swi_yaml_reader *reading)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    if (keys->schedule.given && !keys->schedule.active && !keys->schedule_wrong)
        swi_mistakes_add(reading->mistakes, &keys->given[SWI_KEY_SCHEDULE].where,
                         "profiler: schedule: active is missing: expected the number of steps "
                         "that a window records, like " SCHEDULE_EXAMPLE);
    if (!keys->schedule.active || keys->schedule_wrong)
        keys->schedule.given = false;
    keys->capture.file = keys->capture_file;
}

/* ---- printing ---- */

void swi_schedule_print(const struct swi_profiler_keys *keys, FILE *out)
{
    const struct sw_schedule *s = &keys->schedule;
    fprintf(out,
            "{skip_first: %" PRId64 ", wait: %" PRId64 ", warmup: %" PRId64 ", active: %" PRId64
            ", repeat: %" PRId64 ", skip_first_wait: %s}",
            s->skip_first, s->wait, s->warmup, s->active, s->repeat,
            s->skip_first_wait ? "true" : "false");
}

void swi_capture_print(const struct swi_profiler_keys *keys, FILE *out)
{
    fputc('{', out);
    if (keys->capture_file) {
        fputs("file: ", out);
        swi_quote_print(keys->capture_file, out);
        fputs(", ", out);
    }
    fprintf(out, "steps: %" PRId64, keys->capture.steps);
    if (keys->capture.signal)
        fputs(keys->capture.signal == SIGUSR1 ? ", signal: USR1" : ", signal: USR2", out);
    fputc('}', out);
}
