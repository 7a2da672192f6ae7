/* SPDX-License-Identifier: MIT */
#include "config/keys.h"

#include "config/reading.h"
#include "core/nearest.h"
#include "core/parse.h"
#include "core/quote.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[] = {
    [SW_MODE_THROUGHPUT] = "throughput", [SW_MODE_SIMPLE] = "simple", [SW_MODE_OFF] = "off"};
enum { MODES = sizeof modes / sizeof *modes };

#define MODE_NAMES "throughput, simple or off"
#define SECOND INT64_C(1000000000)

enum type { MODE, BOOL, INT, DURATION, TEXT };

static const struct row {
    const char *name;
    enum type type;
    size_t offset;
    int64_t min;
    int64_t max;
    const char *range; /* as a message says it */
} rows[SWI_KEYS] = {
#define FIELD(name) offsetof(struct swi_keys, name)
    [SWI_KEY_MODE] = {"mode", MODE, FIELD(mode), 0, 0, NULL},
    [SWI_KEY_ROLLING_AVERAGE] = {"rolling_average", INT, FIELD(rolling_average), 1, 1000000,
                                 "1..1000000"},
    [SWI_KEY_DROP_FIRST_BATCH] = {"drop_first_batch", BOOL, FIELD(drop_first_batch), 0, 0, NULL},
    [SWI_KEY_SHOW_REPORT] = {"show_report", BOOL, FIELD(show_report), 0, 0, NULL},
    [SWI_KEY_PLAIN] = {"plain", BOOL, FIELD(plain), 0, 0, NULL},
    [SWI_KEY_MARKDOWN] = {"markdown", BOOL, FIELD(markdown), 0, 0, NULL},
    [SWI_KEY_SAVE_CSV] = {"save_csv", BOOL, FIELD(save_csv), 0, 0, NULL},
    [SWI_KEY_CSV_NAME] = {"csv_name", TEXT, FIELD(csv_name), 0, 0, NULL},
    [SWI_KEY_ACCOUNTING] = {"accounting", BOOL, FIELD(accounting), 0, 0, NULL},
    [SWI_KEY_SIGNALS] = {"signals", BOOL, FIELD(signals), 0, 0, NULL},
    [SWI_KEY_CLOSE_TIMEOUT] = {"close_timeout", DURATION, FIELD(close_timeout_ns), 0, 3600 * SECOND,
                               "0s..1h"},
};

void swi_keys_init(struct swi_keys *keys)
{
    *keys = (struct swi_keys){
        .mode = SW_MODE_THROUGHPUT,
        .rolling_average = 10,
        .drop_first_batch = true,
        .show_report = true,
        .accounting = true,
        .signals = true,
        .close_timeout_ns = 5 * SECOND,
    };
}

void swi_keys_fini(struct swi_keys *keys)
{
    free(keys->csv_name);
    keys->csv_name = NULL;
}

const char *swi_keys_csv_name(const struct swi_keys *keys)
{
    const char *by_mode = keys->mode == SW_MODE_SIMPLE ? "simpleprofiler.csv" : "throughput.csv";
    return keys->csv_name ? keys->csv_name : by_mode;
}

static const struct row *row_find(const char *name)
{
    for (int i = 0; i < SWI_KEYS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool swi_keys_has(const char *name)
{
    return row_find(name) != NULL;
}

/* ---- reading ---- */

/* Says what is wrong with a value: "profiler: KEY: VALUE CLAUSE". */
static void refuse(struct swi_reading *reading, const char *key, const struct swi_node *value,
                   const char *clause)
{
    swi_mistakes_add(reading->mistakes, &value->where, "profiler: %s: %s %s", key,
                     SWI_NODE_SHOWN(value), clause);
}

static void read_mode(struct swi_reading *reading, const struct swi_node *value)
{
    struct swi_keys *keys = &reading->config->keys;
    for (int i = 0; i < MODES; i++) {
        if (strcmp(value->text, modes[i]) == 0) {
            keys->mode = (enum sw_mode)i;
            return;
        }
    }
    const char *nearest = swi_nearest(value->text, modes, MODES);
    swi_mistakes_add(reading->mistakes, &value->where,
                     "profiler: %s is no mode: %s%s%s throughput, simple and off",
                     SWI_NODE_SHOWN(value), nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? Allowed are" : "allowed are");
}

static int read_number(const struct row *row, const char *text, int64_t *number,
                       struct sw_error *err)
{
    int64_t value = 0;
    int rc =
        row->type == INT ? swi_parse_int(text, &value, err) : swi_parse_duration(text, &value, err);
    if (rc < 0)
        return rc;
    if (value < row->min || value > row->max)
        return sw_error_set(err, SW_EINVAL, "is not within %s", row->range);
    *number = value;
    return 0;
}

static int read_text(struct swi_reading *reading, const char *text, char **field,
                     struct sw_error *err)
{
    if (!*text)
        return sw_error_set(err, SW_EINVAL, "is empty: expected a file name");
    *field = swi_reading_copy(reading, text);
    return 0;
}

static void read_value(struct swi_reading *reading, const struct row *row,
                       const struct swi_node *value)
{
    void *field = (char *)&reading->config->keys + row->offset;
    struct sw_error err;
    int rc = 0;
    if (row->type == MODE)
        read_mode(reading, value);
    else if (row->type == BOOL)
        rc = swi_parse_bool(value->text, field, &err);
    else if (row->type == TEXT)
        rc = read_text(reading, value->text, field, &err);
    else
        rc = read_number(row, value->text, field, &err);
    if (rc < 0)
        refuse(reading, row->name, value, err.text);
}

static void read_row(struct swi_reading *reading, enum swi_key key, const struct swi_node *value)
{
    static const char *const expected[] = {
        [MODE] = MODE_NAMES, [BOOL] = "true or false",
        [INT] = "a number",  [DURATION] = "a duration, like 250ms or 5s",
        [TEXT] = "a text",
    };
    struct swi_keys *keys = &reading->config->keys;
    if (value->wrong || value->is_null)
        return;
    keys->given[key].given = true;
    keys->given[key].from_environment = value->from_environment;
    keys->given[key].where = value->where;
    if (value->kind == SWI_NODE_TEXT)
        read_value(reading, &rows[key], value);
    else
        swi_mistakes_add(reading->mistakes, &value->where, "profiler: %s: found %s, expected %s",
                         rows[key].name, SWI_NODE_FOUND(value), expected[rows[key].type]);
}

static void unknown_key(struct swi_reading *reading, const struct swi_node *key)
{
    static const char *const mode_hints[MODES] = {"write mode: throughput", "write mode: simple",
                                                  "write mode: off"};
    const char *names[SWI_KEYS], *hint = NULL;
    for (int i = 0; i < SWI_KEYS; i++)
        names[i] = rows[i].name;
    for (int i = 0; i < MODES; i++)
        if (strcmp(key->text, modes[i]) == 0)
            hint = mode_hints[i];
    if (strcmp(key->text, "logger_callback") == 0 || strcmp(key->text, "plugin_path") == 0 ||
        strcmp(key->text, "name") == 0)
        hint = "it belongs to the top level, beside profiler";
    swi_key_unknown(reading, "profiler: ", key, names, SWI_KEYS, hint);
}

static void read_entry(struct swi_reading *reading, const struct swi_item *entry)
{
    const struct row *row = row_find(entry->key->text);
    if (row)
        read_row(reading, (enum swi_key)(row - rows), entry->value);
    else
        unknown_key(reading, entry->key);
}

void swi_keys_read(struct swi_reading *reading, const struct swi_node *node)
{
    if (node->wrong || node->is_null)
        return;
    if (node->kind == SWI_NODE_TEXT)
        read_row(reading, SWI_KEY_MODE, node);
    else if (node->kind == SWI_NODE_LIST)
        swi_mistakes_add(reading->mistakes, &node->where,
                         "profiler: found a list, expected " MODE_NAMES
                         ", or a mapping of its keys");
    for (size_t i = 0; node->kind == SWI_NODE_MAPPING && i < node->count; i++)
        read_entry(reading, &node->item[i]);
}

/* ---- printing ---- */

/* In the largest unit that needs no fraction. */
static void print_duration(FILE *out, int64_t ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"s", SECOND}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    size_t i = 0;
    while (ns % units[i].ns)
        i++;
    fprintf(out, "%" PRId64 "%s", ns / units[i].ns, units[i].name);
}

static void print_value(const struct swi_keys *keys, const struct row *row, FILE *out)
{
    const char *field = (const char *)keys + row->offset;
    if (row->type == MODE)
        fputs(modes[keys->mode], out);
    else if (row->type == BOOL)
        fputs(*(const bool *)field ? "true" : "false", out);
    else if (row->type == INT)
        fprintf(out, "%" PRId64, *(const int64_t *)(const void *)field);
    else if (row->type == DURATION)
        print_duration(out, *(const int64_t *)(const void *)field);
    else
        swi_quote_print(swi_keys_csv_name(keys), out);
}

void swi_keys_print(const struct swi_keys *keys, FILE *out)
{
    for (int i = 0; i < SWI_KEYS; i++) {
        fprintf(out, "  %s: ", rows[i].name);
        print_value(keys, &rows[i], out);
        fputc('\n', out);
    }
}
