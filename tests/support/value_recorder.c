/* SPDX-License-Identifier: MIT */
#include "tests/support/value_recorder.h"
#include "tests/support/probe.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

atomic_bool values_hang;

static char text[1 << 16], messages[1 << 16];
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    used += n > 0 && used + (size_t)n < sizeof text ? (size_t)n : 0;
}

/* ---- one kind each --------------------------------------------------------------------------- */

static void bins_add(const struct sw_bins *bins)
{
    for (size_t i = 0; i < bins->count; i++)
        if (sw_bins_at(bins, i)->count || bins->count < 8)
            add(" [%g %g) %d", sw_bins_at(bins, i)->low, sw_bins_at(bins, i)->high,
                (int)sw_bins_at(bins, i)->count);
    if (bins->nonfinite)
        add(" nonfinite %d", (int)bins->nonfinite);
}

static void cell_add(const struct sw_table_column *column, size_t row)
{
    add(" %s=", column->name);
    if (column->type == SW_I64)
        add("%" PRId64, ((const int64_t *)column->data)[row]);
    else if (column->type == SW_F64)
        add("%g", ((const double *)column->data)[row]);
    else if (column->type == SW_BOOL)
        add("%s", ((const bool *)column->data)[row] ? "true" : "false");
    else
        add("%s", ((const char *const *)column->data)[row]
                      ? ((const char *const *)column->data)[row]
                      : "?");
}

static void table_add(const struct sw_table *table)
{
    for (size_t row = 0; row < table->rows; row++) {
        add("%s", row ? " |" : "");
        for (size_t i = 0; i < table->columns; i++)
            cell_add(sw_table_at(table, i), row);
    }
}

static void picture_add(const struct sw_picture *picture)
{
    add(" %dx%d", picture->width, picture->height);
    if (picture->encoded)
        add(" %s of %zu bytes", picture->format, picture->encoded_size);
    if (picture->pixel)
        add("x%d ", picture->channels);
    int bytes = picture->width * picture->height * picture->channels;
    for (int i = 0; picture->pixel && i < bytes && i < 64; i++)
        add("%02x", picture->pixel[i]);
    if (picture->caption)
        add(" %s", picture->caption);
}

static void pictures_add(const struct sw_pictures *pictures)
{
    for (size_t i = 0; i < pictures->count; i++) {
        add("%s", i ? ";" : "");
        picture_add(sw_pictures_at(pictures, i));
    }
}

static void file_add(const struct sw_kept_file *file)
{
    char content[64] = "";
    ssize_t n = pread(file->fd, content, sizeof content - 1, 0);
    add(" %s %" PRId64 " bytes %s ", file->base, file->bytes, file->type ? file->type : "-");
    for (size_t i = 0; file->aliases[i]; i++)
        add("%s,", file->aliases[i]);
    add(": %.*s", n > 0 ? (int)n : 0, content);
}

static void value_add(const struct sw_record *record)
{
    static const char *const kinds[] = {"", "text", "table", "histogram", "images", "file", "line"};
    const struct sw_value *value = record->value;
    add("step %" PRId64 " %s %s:", record->step, kinds[value->kind], value->name);
    if (value->text)
        add(" %.200s", value->text);
    if (value->bins)
        bins_add(value->bins);
    if (value->table)
        table_add(value->table);
    if (value->pictures)
        pictures_add(value->pictures);
    if (value->file)
        file_add(value->file);
    add("\n");
}

static void rule_add(const struct sw_defined_rule *defined)
{
    const struct sw_rule *rule = defined->rule;
    add("rule %s axis %s keep %u goal %d%s unit %s: %s\n", defined->pattern,
        rule->axis ? rule->axis : "-", rule->keep, (int)rule->goal, rule->hidden ? " hidden" : "",
        rule->unit ? rule->unit : "-", rule->description ? rule->description : "-");
}

static void numbers_add(const struct sw_record *record)
{
    add("step %" PRId64 " numbers", record->step);
    for (size_t i = 0; i < record->metrics.count; i++)
        add(" %s=%g", sw_record_metric(record, i)->name, sw_record_metric(record, i)->value);
    add("\n");
}

static int values_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)state;
    (void)err;
    while (atomic_load(&values_hang))
        nanosleep(&pause, NULL);
    if (record->value)
        value_add(record);
    if (record->rule)
        rule_add(record->rule);
    if (record->summary && record->summary->text)
        add("summary %s %s\n", record->summary->name, record->summary->text);
    else if (record->summary)
        add("summary %s %g\n", record->summary->name, record->summary->value);
    if (record->line)
        add("line %d %s\n", (int)record->line->level, record->line->text);
    if (record->metrics.count)
        numbers_add(record);
    return 0;
}

static const struct sw_sink_plugin plugin = {
    SW_SINK_HEADER,
    .name = "values",
    .version = "1.0",
    .license = "MIT",
    .summary = "writes down values, for tests",
    .wants = SW_WANT(SW_RECORD_VALUE) | SW_WANT(SW_RECORD_RULE) | SW_WANT(SW_RECORD_SUMMARY) |
             SW_WANT(SW_RECORD_LINE) | SW_WANT(SW_RECORD_METRICS),
    .queue = SW_QUEUE_DROP_NEWEST,
    .record = values_record,
};

/* ---- the profiler ---------------------------------------------------------------------------- */

static void message(void *arg, enum sw_level level, const char *line)
{
    size_t length = strlen(messages);
    (void)arg;
    (void)level;
    snprintf(messages + length, sizeof messages - length, "%s\n", line);
}

struct sw_profiler *values_open_sinks(const char *profiler, const char *sinks)
{
    static bool registered;
    struct sw_error err = {0};
    char yaml[1024];
    used = 0;
    text[0] = messages[0] = '\0';
    if (!registered)
        ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), 0);
    registered = true;
    snprintf(yaml, sizeof yaml, "profiler: { show_report: false%s%s }\nlogger_callback: %s\n",
             *profiler ? ", " : "", profiler, sinks);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    sw_set_messages(sw, message, NULL);
    return sw;
}

struct sw_profiler *values_open(const char *profiler)
{
    return values_open_sinks(profiler, "values");
}

const char *values_text(void)
{
    return text;
}

const char *values_messages(void)
{
    return messages;
}

void assert_values(struct sw_profiler *sw, const char *expected)
{
    struct sw_error err;
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    ck_assert_str_eq(text, expected);
}
