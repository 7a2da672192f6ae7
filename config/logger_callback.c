/* SPDX-License-Identifier: MIT */
#include "config/logger_callback.h"
#include "config/sink_settings.h"

#include "config/limits.h"
#include "config/show.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

#define EXPECTED "expected the name of a sink, or name: {options}"

/* How to write a list, if a name looks like an attempt at one; else NULL. */
static const char *as_written(const char *name)
{
    if (*name == '-')
        return "write an entry of a list as \"- one\", with a space after the dash";
    return strpbrk(name, ",;") ? "write a list as [one, two]" : NULL;
}

/* options: NULL if there are none. */
static void read_sink(struct swi_reading *reading, const struct swi_node *name,
                      const struct swi_node *options)
{
    if (!*name->text || name->is_null) {
        swi_mistakes_add(reading->mistakes, &name->where,
                         "logger_callback: found an empty entry, " EXPECTED);
        return;
    }
    const char *written = as_written(name->text);
    if (written) {
        swi_mistakes_add(reading->mistakes, &name->where,
                         "logger_callback: %s is not the name of a sink: %s", SWI_NODE_SHOWN(name),
                         written);
        return;
    }
    struct swi_sink_settings *sink = swi_sink_add(reading, name->text, &name->where);
    if (!sink || !options || options->wrong || options->is_null)
        return;
    if (options->kind != SWI_NODE_MAPPING)
        swi_mistakes_add(
            reading->mistakes, &options->where,
            "sink %s: found %s, expected a mapping of its options, like \"{name: value}\"",
            SWI_PRINTABLE(sink->name), SWI_NODE_FOUND(options));
    for (size_t i = 0; options->kind == SWI_NODE_MAPPING && i < options->count; i++)
        swi_sink_option_read(reading, sink->name, sink, &options->item[i]);
}

/* ---- the list ---- */

/* Reports a mistake such as `- csv:` followed by ` path: x`, where the options must be indented
 * further. */
static void too_many_keys(struct swi_reading *reading, const struct swi_node *node)
{
    const char *first = node->item[0].key->text;
    const struct swi_where *where = &node->item[1].key->where;
    if (node->item[0].value->is_null)
        swi_mistakes_add(
            reading->mistakes, where,
            "logger_callback: is \"%s\" an option of %s? If so, indent it further than "
            "%s: each entry of the list names one sink",
            SWI_PRINTABLE(node->item[1].key->text), SWI_PRINTABLE(first), SWI_PRINTABLE(first));
    else
        swi_mistakes_add(reading->mistakes, where,
                         "logger_callback: each entry of the list names one sink: begin the next "
                         "one with \"- \"");
}

static void read_entry(struct swi_reading *reading, const struct swi_node *node)
{
    if (node->wrong)
        return;
    if (node->kind == SWI_NODE_TEXT)
        read_sink(reading, node, NULL);
    else if (node->kind == SWI_NODE_MAPPING && node->count == 1)
        read_sink(reading, node->item[0].key, node->item[0].value);
    else if (node->kind == SWI_NODE_MAPPING && node->count > 1)
        too_many_keys(reading, node);
    else
        swi_mistakes_add(reading->mistakes, &node->where, "logger_callback: found %s, " EXPECTED,
                         node->kind == SWI_NODE_LIST ? "a list" : "an empty mapping");
}

void swi_logger_callback_read(struct swi_reading *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind == SWI_NODE_TEXT)
        read_sink(reading, node, NULL);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == SWI_NODE_LIST)
            read_entry(reading, node->item[i].value);
        else
            read_sink(reading, node->item[i].key, node->item[i].value);
    }
}

/* ---- what the profiler's keys add ---- */

void swi_logger_callback_complete(struct swi_reading *reading)
{
    const struct swi_keys *keys = &reading->config->keys;
    swi_sink_add_where_not_named(reading, "table", keys->show_report, SWI_KEY_SHOW_REPORT);
    swi_sink_add_where_not_named(reading, "markdown", keys->markdown, SWI_KEY_MARKDOWN);
    swi_sink_add_where_not_named(reading, "csv", keys->save_csv, SWI_KEY_SAVE_CSV);
    if (keys->given[SWI_KEY_PLAIN].given)
        swi_sink_hand_on(reading, SWI_KEY_PLAIN, "table", "plain", keys->plain ? "true" : "false");
    swi_sink_hand_on(reading, SWI_KEY_CSV_NAME, "csv", "path", swi_keys_csv_name(keys));
}
