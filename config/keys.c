/* SPDX-License-Identifier: MIT */
#include "config/keys.h"

#include "config/counter_keys.h"
#include "config/functions_keys.h"
#include "config/reading.h"
#include "config/show.h"
#include "config/watchdog_keys.h"
#include "config/window_keys.h"
#include "core/plugins/option_parse.h"
#include "core/plugins/option_path.h"
#include "core/plugins/option_value.h"
#include "core/text/nearest.h"
#include "core/text/parse.h"
#include "core/text/printable.h"
#include "core/text/quote.h"

#include <stepwatch/inspect.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[] = {
    [SW_MODE_THROUGHPUT] = "throughput", [SW_MODE_SIMPLE] = "simple", [SW_MODE_OFF] = "off"};
enum { MODES = sizeof modes / sizeof *modes };

#define MODE_NAMES "throughput, simple, advanced or off"

/* The value of `mode` that means the mode simple, and functions. */
#define ADVANCED "advanced"

#define FIELD(name) offsetof(struct swi_keys, name)

/* The keys that a configuration may have and that tools show. The default of csv_name depends on
 * the mode. */
static const struct sw_option rows[SWI_KEYS + 1] = {
    [SWI_KEY_MODE] = {.name = "mode",
                      .type = SW_OPTION_CHOICE,
                      .offset = FIELD(mode),
                      .fallback = "throughput",
                      .choices = "throughput|simple|advanced|off",
                      .help = "throughput: step, draw, batch and your own actions; simple: "
                              "forward, loss, backward and the others as well; advanced: simple, "
                              "with the functions of each action; off: nothing"},
    [SWI_KEY_ROLLING_AVERAGE] = {.name = "rolling_average",
                                 .type = SW_OPTION_INT,
                                 .offset = FIELD(rolling_average),
                                 .fallback = "10",
                                 .min = 1,
                                 .max = 1000000,
                                 .unit = "steps",
                                 .help = "training steps in the rolling average, and between two "
                                         "logs of it"},
    [SWI_KEY_DROP_FIRST_BATCH] = {.name = "drop_first_batch",
                                  .type = SW_OPTION_BOOL,
                                  .offset = FIELD(drop_first_batch),
                                  .fallback = "true",
                                  .help = "leave the first batch of train and of valid out of the "
                                          "report: it often includes warm-up time"},
    [SWI_KEY_SHOW_REPORT] = {.name = "show_report",
                             .type = SW_OPTION_BOOL,
                             .offset = FIELD(show_report),
                             .fallback = "true",
                             .help = "show the report at the end of a fit: adds the sink table"},
    [SWI_KEY_PLAIN] = {.name = "plain",
                       .type = SW_OPTION_BOOL,
                       .offset = FIELD(plain),
                       .fallback = "false",
                       .help = "print the table without lines and boxes"},
    [SWI_KEY_MARKDOWN] = {.name = "markdown",
                          .type = SW_OPTION_BOOL,
                          .offset = FIELD(markdown),
                          .fallback = "false",
                          .help = "adds the sink markdown"},
    [SWI_KEY_SAVE_CSV] = {.name = "save_csv",
                          .type = SW_OPTION_BOOL,
                          .offset = FIELD(save_csv),
                          .fallback = "false",
                          .help = "adds the sink csv"},
    [SWI_KEY_CSV_NAME] = {.name = "csv_name",
                          .type = SW_OPTION_PATH,
                          .offset = FIELD(csv_name),
                          .help = "the file that the sink csv writes (default: throughput.csv or "
                                  "simpleprofiler.csv, depending on mode)"},
    [SWI_KEY_ACCOUNTING] = {.name = "accounting",
                            .type = SW_OPTION_BOOL,
                            .offset = FIELD(accounting),
                            .fallback = "true",
                            .help = "show below the table how much of the time is accounted for, "
                                    "and how much stepwatch itself took"},
    [SWI_KEY_SIGNALS] = {.name = "signals",
                         .type = SW_OPTION_BOOL,
                         .offset = FIELD(signals),
                         .fallback = "true",
                         .help = "make the report when SIGINT, SIGTERM or SIGHUP ends a program "
                                 "that has no handler of its own"},
    [SWI_KEY_CLOSE_TIMEOUT] = {.name = "close_timeout",
                               .type = SW_OPTION_DURATION,
                               .offset = FIELD(close_timeout_ns),
                               .fallback = "5s",
                               .max = 3600,
                               .help = "how long sw_close() waits for all sinks together"},
    [SWI_KEY_VALUES_MEMORY] = {.name = "values_memory",
                               .type = SW_OPTION_SIZE,
                               .offset = FIELD(values_memory),
                               .fallback = "64MiB",
                               .max = 1e12,
                               .help = "memory for texts, tables, images and other values that "
                                       "wait for the sinks; 0: such values are not logged"},
    [SWI_KEY_WAIT] = {.name = "wait",
                      .type = SW_OPTION_LIST,
                      .offset = FIELD(wait),
                      .help = "actions in which a process waits for the other ranks, such as "
                              "allreduce: \"stepwatch merge\" finds with them which rank is late"},
    [SWI_KEY_SCHEDULE] = {.name = "schedule",
                          .type = SW_OPTION_MAP,
                          .offset = FIELD(schedule),
                          .help = "record regions in some training steps only: skip_first, then "
                                  "cycles of wait, warmup and active, of which the active ones "
                                  "are recorded; repeat, skip_first_wait"},
    [SWI_KEY_CAPTURE] = {.name = "capture",
                         .type = SW_OPTION_MAP,
                         .offset = FIELD(capture),
                         .help = "record regions on demand, for a number of steps (5): when file "
                                 "is touched, signal (USR1 or USR2) comes, \"stepwatch capture\" "
                                 "or the program asks for it"},
    [SWI_KEY_COUNTERS] = {.name = "counters",
                          .type = SW_OPTION_LIST,
                          .offset = FIELD(counter),
                          .help = "what to measure of each region besides time, such as "
                                  "[allocated, page_faults, cpu: steps] or an event of the "
                                  "processor, raw:0xCODE or pfm:NAME; NAME: steps reads a "
                                  "counter for fit, epoch, train, valid, draw and batch alone"},
    [SWI_KEY_PEAK_FLOPS] = {.name = "peak_flops",
                            .type = SW_OPTION_STRING,
                            .offset = FIELD(peak_flops),
                            .help = "floating point operations per second that the hardware can "
                                    "do, such as 91.8T: adds the model FLOPs utilization, if the "
                                    "program counts flops"},
    [SWI_KEY_WATCHDOG] = {.name = "watchdog",
                          .type = SW_OPTION_MAP,
                          .offset = FIELD(watchdog),
                          .help =
                              "say when the loop stands still: after a duration, or auto (60s); "
                              "or a mapping of timeout, command (of the shell, run at each "
                              "alert) and webhook (an address that gets each alert as JSON)"},
    [SWI_KEY_FUNCTIONS] = {.name = "functions",
                           .type = SW_OPTION_MAP,
                           .offset = FIELD(functions),
                           .help = "profile the functions of the program: adds the sink functions; "
                                   "times (exact, sampled, sample or wall), rate (97 samples a "
                                   "second), and the sink's options"},
};

const struct sw_option *sw_profiler_options(void)
{
    return rows;
}

const char *swi_keys_mode_name(enum sw_mode mode)
{
    return (unsigned)mode < MODES ? modes[mode] : NULL;
}

static bool mode_find(const char *text, enum sw_mode *mode)
{
    for (int i = 0; i < MODES; i++) {
        if (strcmp(text, modes[i]) == 0) {
            *mode = (enum sw_mode)i;
            return true;
        }
    }
    if (strcmp(text, ADVANCED) != 0)
        return false;
    *mode = SW_MODE_SIMPLE;
    return true;
}

/* Stores a value in its field. A text is copied. Returns false if out of memory. */
static bool value_set(struct swi_keys *keys, const struct sw_option *row,
                      const union swi_value *value)
{
    void *field = (char *)keys + row->offset;
    if (row->type == SW_OPTION_CHOICE) {
        mode_find(value->text, &keys->mode);
        keys->advanced = strcmp(value->text, ADVANCED) == 0;
    } else if (row->type == SW_OPTION_PATH) {
        free(keys->csv_name);
        keys->csv_name = strdup(value->text);
    } else {
        memcpy(field, value, swi_option_size(row->type));
    }
    return row->type != SW_OPTION_PATH || keys->csv_name;
}

/* The defaults in the table are valid: a test reads them back. */
static void default_set(struct swi_keys *keys, const struct sw_option *row)
{
    union swi_value value;
    SW_ERROR_SCOPE(err);
    if (swi_option_parse(row, row->fallback, &value, &err) == 0)
        value_set(keys, row, &value);
}

void swi_keys_init(struct swi_keys *keys)
{
    *keys = (struct swi_keys){0};
    for (int i = 0; i < SWI_KEYS; i++)
        if (rows[i].fallback)
            default_set(keys, &rows[i]);
    keys->schedule.size = sizeof keys->schedule;
    keys->capture.steps = SWI_CAPTURE_STEPS;
}

static void list_free(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

void swi_keys_fini(struct swi_keys *keys)
{
    list_free(keys->wait);
    keys->wait = NULL;
    free(keys->capture_file);
    keys->capture_file = NULL;
    free(keys->watchdog_command);
    free(keys->watchdog_webhook);
    keys->watchdog_command = keys->watchdog_webhook = NULL;
    free(keys->csv_name);
    keys->csv_name = NULL;
    swi_sink_settings_fini(&keys->functions_sink);
    keys->functions_sink = (struct swi_sink_settings){0};
}

const char *swi_keys_csv_name(const struct swi_keys *keys)
{
    const char *by_mode = keys->mode == SW_MODE_SIMPLE ? "simpleprofiler.csv" : "throughput.csv";
    return keys->csv_name ? keys->csv_name : by_mode;
}

static const struct sw_option *row_find(const char *name)
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

/* Reports what is wrong with a value: "profiler: KEY: VALUE CLAUSE". */
static void refuse(struct swi_reading *reading, const char *key, const struct swi_node *value,
                   const char *clause)
{
    swi_mistakes_add(reading->mistakes, &value->where, "profiler: %s: %s %s", key,
                     SWI_NODE_SHOWN(value), clause);
}

static void refuse_mode(struct swi_reading *reading, const struct swi_node *value)
{
    const char *names[MODES + 1] = {[MODES] = ADVANCED};
    memcpy(names, modes, sizeof modes);
    const char *nearest = swi_nearest(value->text, names, MODES + 1);
    if (strncmp(value->text, "mode:", 5) == 0) {
        swi_mistakes_add(reading->mistakes, &value->where,
                         "profiler: %s is not a mode: did you mean \"mode: %s\" (with a space)?",
                         SWI_NODE_SHOWN(value), SWI_PRINTABLE(value->text + 5));
        return;
    }
    swi_mistakes_add(reading->mistakes, &value->where,
                     "profiler: %s is not a mode: %s%s%s throughput, simple, advanced and off",
                     SWI_NODE_SHOWN(value), nearest ? "did you mean " : "", nearest ? nearest : "",
                     nearest ? "? The modes are" : "the modes are");
}

static void read_value(struct swi_reading *reading, const struct sw_option *row,
                       const struct swi_node *value)
{
    struct swi_keys *keys = &reading->config->keys;
    union swi_value parsed;
    SW_ERROR_SCOPE(err);
    bool is_path = row->type == SW_OPTION_PATH;
    char *text = is_path ? swi_option_path_expand(value->text) : strdup(value->text);
    if (!text)
        reading->no_memory = true;
    else if (is_path && !*text)
        refuse(reading, row->name, value, "is empty: expected a file name");
    else if (swi_option_parse(row, text, &parsed, &err) == 0)
        reading->no_memory = !value_set(keys, row, &parsed) || reading->no_memory;
    else if (row->type == SW_OPTION_CHOICE)
        refuse_mode(reading, value);
    else
        refuse(reading, row->name, value, sw_error_text(&err));
    free(text);
}

/* Reads the name of an action into *list, which must have room. */
static void read_name(struct swi_reading *reading, const struct sw_option *row,
                      const struct swi_node *value, char **list)
{
    if (value->wrong)
        return;
    if (value->kind != SWI_NODE_TEXT || value->is_null || !*value->text)
        refuse(reading, row->name, value, "is not the name of an action");
    else if (!(*list = swi_reading_copy(reading, value->text)))
        reading->no_memory = true;
}

/* Reads a list of names, or one name. It replaces the list before. */
static void read_names(struct swi_reading *reading, const struct sw_option *row,
                       const struct swi_node *value)
{
    struct swi_keys *keys = &reading->config->keys;
    size_t count = value->kind == SWI_NODE_LIST ? value->count : 1;
    char **list = calloc(count + 1, sizeof *list), **end = list;
    list_free(keys->wait);
    keys->wait = list;
    if (!list)
        reading->no_memory = true;
    for (size_t i = 0; list && i < count; i++) {
        read_name(reading, row, value->kind == SWI_NODE_LIST ? value->item[i].value : value, end);
        end += *end != NULL;
    }
}

static void read_row(struct swi_reading *reading, enum swi_key key, const struct swi_node *value)
{
    static const char *const expected[] = {
        [SW_OPTION_CHOICE] = MODE_NAMES,
        [SW_OPTION_BOOL] = "true or false",
        [SW_OPTION_INT] = "a number",
        [SW_OPTION_DURATION] = "a duration, like 250ms or 5s",
        [SW_OPTION_PATH] = "text",
        [SW_OPTION_LIST] = "a list of names",
        [SW_OPTION_SIZE] = "a size, like 64MiB",
    };
    struct swi_keys *keys = &reading->config->keys;
    if (value->wrong || value->is_null)
        return;
    keys->given[key].given = true;
    keys->given[key].from_environment = value->from_environment;
    keys->given[key].where = value->where;
    if (key == SWI_KEY_SCHEDULE)
        swi_schedule_read(reading, value);
    else if (key == SWI_KEY_CAPTURE)
        swi_capture_read(reading, value);
    else if (key == SWI_KEY_COUNTERS)
        swi_counters_read(reading, value);
    else if (key == SWI_KEY_PEAK_FLOPS)
        swi_peak_flops_read(reading, value);
    else if (key == SWI_KEY_WATCHDOG)
        swi_watchdog_read(reading, value);
    else if (key == SWI_KEY_FUNCTIONS)
        swi_functions_read(reading, value);
    else if (rows[key].type == SW_OPTION_LIST && value->kind != SWI_NODE_MAPPING)
        read_names(reading, &rows[key], value);
    else if (value->kind == SWI_NODE_TEXT)
        read_value(reading, &rows[key], value);
    else if (value->repeats_key)
        swi_mistakes_add(reading->mistakes, &value->where, "profiler: %s: is given more than once",
                         rows[key].name);
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
        strcmp(key->text, "name") == 0 || strcmp(key->text, "ranks") == 0 ||
        strcmp(key->text, "monitors") == 0)
        hint = "it belongs to the top level, beside profiler";
    swi_key_unknown(reading, "profiler: ", key, names, SWI_KEYS, hint);
}

static void read_entry(struct swi_reading *reading, const struct swi_item *entry)
{
    const struct sw_option *row = row_find(entry->key->text);
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
                         ", or a mapping of its keys, like \"mode: simple\"");
    for (size_t i = 0; node->kind == SWI_NODE_MAPPING && i < node->count; i++)
        read_entry(reading, &node->item[i]);
}

/* ---- the environment ---- */

/* Reads an entry; "schedule.active" is an entry of the mapping `schedule`. The caller owns the
 * texts. */
static void set_entry(struct swi_reading *reading, struct swi_node *key, struct swi_node *value)
{
    char *dot = strchr(key->text, '.');
    if (!dot) {
        read_entry(reading, &(struct swi_item){key, value});
        return;
    }
    *dot = '\0';
    struct swi_node name = {.kind = SWI_NODE_TEXT, .where = key->where, .text = dot + 1};
    struct swi_item item = {&name, value};
    struct swi_node mapping = {
        .kind = SWI_NODE_MAPPING, .where = key->where, .count = 1, .item = &item};
    read_entry(reading, &(struct swi_item){key, &mapping});
}

/* Reads one "key=value", whose text is changed. */
static void set_pair(struct swi_reading *reading, char *pair)
{
    struct swi_where where = {.file = "STEPWATCH_SET"};
    char *value = strchr(pair, '=');
    struct swi_node key = {.kind = SWI_NODE_TEXT, .where = where, .text = pair};
    if (!value) {
        swi_mistakes_add(reading->mistakes, &where,
                         "found %s, expected key=value, like mode=simple", SWI_NODE_SHOWN(&key));
        return;
    }
    *value++ = '\0';
    set_entry(reading, &key,
              &(struct swi_node){
                  .kind = SWI_NODE_TEXT, .is_null = !*value, .where = where, .text = value});
}

void swi_keys_set(struct swi_reading *reading, const char *pairs)
{
    char *copy = swi_reading_copy(reading, pairs), *rest = NULL;
    for (char *pair = copy ? strtok_r(copy, ",", &rest) : NULL; pair;
         pair = strtok_r(NULL, ",", &rest))
        set_pair(reading, pair);
    free(copy);
}

/* ---- printing ---- */

/* Prints one value. The mode, the default csv_name and the mappings need special cases; a duration
 * is printed in the usual units. Returns false if out of memory. */
static bool print_value(const struct swi_keys *keys, const struct sw_option *row, FILE *out)
{
    char *value = NULL;
    if (row == &rows[SWI_KEY_SCHEDULE])
        swi_schedule_print(keys, out);
    else if (row == &rows[SWI_KEY_CAPTURE])
        swi_capture_print(keys, out);
    else if (row == &rows[SWI_KEY_COUNTERS])
        swi_counters_print(keys, out);
    else if (row == &rows[SWI_KEY_PEAK_FLOPS])
        fprintf(out, "%.15g", keys->peak_flops);
    else if (row == &rows[SWI_KEY_WATCHDOG])
        swi_watchdog_print(keys, out);
    else if (row == &rows[SWI_KEY_FUNCTIONS])
        swi_functions_print(&keys->functions, out);
    else if (row->type == SW_OPTION_CHOICE)
        fputs(keys->advanced ? ADVANCED : modes[keys->mode], out);
    else if (row->type == SW_OPTION_PATH)
        swi_quote_print(swi_keys_csv_name(keys), out);
    else if (row->type == SW_OPTION_DURATION)
        fputs(swi_print_duration((char[SWI_DURATION_TEXT]){0}, keys->close_timeout_ns), out);
    else if ((value = swi_option_value(row, keys)))
        fputs(value, out);
    else
        return false;
    free(value);
    return true;
}

/* Returns whether a key is printed: wait, schedule, capture, counters and peak_flops are rare, so
 * they are printed only if they are given. */
static bool is_shown(const struct swi_keys *keys, int key)
{
    return (key != SWI_KEY_WAIT || keys->wait) &&
           (key != SWI_KEY_SCHEDULE || keys->schedule.given) &&
           (key != SWI_KEY_CAPTURE || keys->capture.given) &&
           (key != SWI_KEY_COUNTERS || keys->counter_count) &&
           (key != SWI_KEY_PEAK_FLOPS || keys->peak_flops > 0) &&
           (key != SWI_KEY_WATCHDOG || keys->watchdog.given) &&
           (key != SWI_KEY_FUNCTIONS || keys->functions.given);
}

bool swi_keys_print(const struct swi_keys *keys, FILE *out)
{
    bool fine = true;
    for (int i = 0; i < SWI_KEYS && fine; i++) {
        if (!is_shown(keys, i))
            continue;
        fprintf(out, "  %s: ", rows[i].name);
        fine = print_value(keys, &rows[i], out);
        fputc('\n', out);
    }
    return fine;
}
