/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"

#include "config/yaml_reader.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define AUTO_NS (60 * SECOND)
#define DURATION "a duration of at least 1s, such as 60s, or auto, or off"

static const char *const names[] = {"timeout", "command", "webhook"};
enum { TIMEOUT, COMMAND, WEBHOOK, NAMES };

static void refuse(struct swi_yaml_reader *reading, const struct swi_node *node, const char *key,
                   const char *expected)
{
    SWI_NODE_MISTAKE(reading, node, "profiler: watchdog%s%s: found %s, expected %s",
                     *key ? ": " : "", key, SWI_NODE_FOUND(node), expected);
}

static void timeout_set(struct swi_yaml_reader *reading, const char *key,
                        const struct swi_node *node)
{
    struct swi_watchdog_settings *watchdog = &reading->config->keys.watchdog;
    SW_ERROR_SCOPE(err);
    int64_t ns = AUTO_NS;
    bool is_text = node->kind == SWI_NODE_TEXT;
    if (is_text && (strcmp(node->text, "off") == 0 || strcmp(node->text, "false") == 0)) {
        watchdog->timeout_ns = 0;
        return;
    }
    bool parsed = is_text && (strcmp(node->text, "auto") == 0 ||
                              swi_parse_duration(node->text, &ns, &err) == 0);
    if (parsed && ns >= SECOND)
        watchdog->timeout_ns = ns;
    else
        refuse(reading, node, key, DURATION);
}

static void text_set(struct swi_yaml_reader *reading, const char *key, const struct swi_node *node,
                     char **to, const char *expected)
{
    if (node->kind != SWI_NODE_TEXT || !*node->text) {
        refuse(reading, node, key, expected);
        return;
    }
    free(*to);
    *to = swi_yaml_reader_copy(reading, node->text);
}

/* Messages do not show the address, which is a secret. */
static void webhook_set(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    bool is_text = node->kind == SWI_NODE_TEXT;
    if (is_text && strncmp(node->text, "https://", 8) != 0 &&
        strncmp(node->text, "http://", 7) != 0) {
        SWI_NODE_MISTAKE(
            reading, node,
            "profiler: watchdog: webhook: expected an address that begins with https://");
        return;
    }
    text_set(reading, names[WEBHOOK], node, &keys->watchdog_webhook,
             "an address that begins with https://");
}

static void entry_read(struct swi_yaml_reader *reading, const struct swi_item *item)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    const struct swi_node *value = item->value;
    int entry = 0;
    while (entry < NAMES && strcmp(item->key->text, names[entry]) != 0)
        entry++;
    if (entry == NAMES)
        swi_key_unknown(reading, "profiler: watchdog: ", item->key, names, NAMES, NULL);
    else if (value->wrong || value->is_null)
        return;
    else if (entry == TIMEOUT)
        timeout_set(reading, names[TIMEOUT], value);
    else if (entry == COMMAND)
        text_set(reading, names[COMMAND], value, &keys->watchdog_command, "a shell command");
    else
        webhook_set(reading, value);
}

void swi_watchdog_read(struct swi_yaml_reader *reading, const struct swi_node *node)
{
    struct swi_profiler_keys *keys = &reading->config->keys;
    struct swi_watchdog_settings *watchdog = &keys->watchdog;
    if (node->kind == SWI_NODE_MAPPING && !watchdog->given)
        watchdog->timeout_ns = AUTO_NS;
    if (node->kind == SWI_NODE_MAPPING)
        for (size_t i = 0; i < node->count; i++)
            entry_read(reading, &node->item[i]);
    else
        timeout_set(reading, "", node);
    watchdog->command = keys->watchdog_command;
    watchdog->webhook = keys->watchdog_webhook;
    watchdog->given = watchdog->timeout_ns > 0 || watchdog->command || watchdog->webhook;
}

void swi_watchdog_print(const struct swi_profiler_keys *keys, FILE *out)
{
    const struct swi_watchdog_settings *watchdog = &keys->watchdog;
    fputs("{timeout: ", out);
    fputs(watchdog->timeout_ns
              ? swi_print_duration((char[SWI_DURATION_TEXT]){0}, watchdog->timeout_ns)
              : "off",
          out);
    if (watchdog->command) {
        fputs(", command: ", out);
        swi_quote_print(watchdog->command, out);
    }
    fputs(watchdog->webhook ? ", webhook: \"***\"}" : "}", out);
}
