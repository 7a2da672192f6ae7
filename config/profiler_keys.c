/* SPDX-License-Identifier: MIT */
#include "config/profiler_keys.h"

#include "core/plugins/option_parse.h"

#include <stepwatch/inspect.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[SWI_MODES] = {
    [SW_MODE_THROUGHPUT] = "throughput", [SW_MODE_SIMPLE] = "simple", [SW_MODE_OFF] = "off"};

/* The help comes first of what follows. */
#define ROW(key, text, kind, field, ...)                                                           \
    [SWI_KEY_##key] = {.name = (text),                                                             \
                       .type = SW_OPTION_##kind,                                                   \
                       .offset = offsetof(struct swi_profiler_keys, field),                        \
                       .help = __VA_ARGS__}

/* The keys that a configuration may have and that tools show. The default of csv_name depends on
 * the mode. */
static const struct sw_option rows[SWI_KEYS + 1] = {
    ROW(MODE, "mode", CHOICE, mode,
        "what to measure. throughput: step, draw, batch and your own actions; simple: also "
        "forward, loss, backward and the other actions; advanced: as simple, and the functions "
        "that each action spends its time in; off: nothing",
        .fallback = "throughput", .choices = "throughput|simple|advanced|off"),
    ROW(ROLLING_AVERAGE, "rolling_average", INT, rolling_average,
        "training steps in the rolling average, which is logged once in this many steps",
        .fallback = "10", .min = 1, .max = 1000000, .unit = "steps"),
    ROW(DROP_FIRST_BATCH, "drop_first_batch", BOOL, drop_first_batch,
        "leave the first batch of train and of valid out of the report, because it often includes "
        "warm-up time",
        .fallback = "true"),
    ROW(SHOW_REPORT, "show_report", BOOL, show_report,
        "show the report at the end of a fit: adds the sink table", .fallback = "true"),
    ROW(PLAIN, "plain", BOOL, plain, "print the table without lines and boxes",
        .fallback = "false"),
    ROW(MARKDOWN, "markdown", BOOL, markdown,
        "write the report as a markdown table: adds the sink markdown", .fallback = "false"),
    ROW(SAVE_CSV, "save_csv", BOOL, save_csv, "write the report as a CSV file: adds the sink csv",
        .fallback = "false"),
    ROW(CSV_NAME, "csv_name", PATH, csv_name,
        "file that the sink csv writes (default: throughput.csv or simpleprofiler.csv, depending "
        "on mode)"),
    ROW(ACCOUNTING, "accounting", BOOL, accounting,
        "below the table, show how much of the time is accounted for, and how much of it stepwatch "
        "itself took",
        .fallback = "true"),
    ROW(SIGNALS, "signals", BOOL, signals,
        "make the report when SIGINT, SIGTERM or SIGHUP ends a program that has no handler of its "
        "own",
        .fallback = "true"),
    ROW(CLOSE_TIMEOUT, "close_timeout", DURATION, close_timeout_ns,
        "how long sw_close() waits for all sinks together", .fallback = "5s", .max = 3600),
    ROW(VALUES_MEMORY, "values_memory", SIZE, values_memory,
        "memory for texts, tables, images and other values that wait for the sinks; 0: such values "
        "are not logged",
        .fallback = "64MiB", .max = 1e12),
    ROW(WAIT, "wait", LIST, wait,
        "actions in which a process waits for the other ranks, such as allreduce; \"stepwatch "
        "merge\" uses them to find the rank that the others wait for"),
    ROW(SCHEDULE, "schedule", MAP, schedule,
        "record regions in some training steps only. After skip_first steps, each cycle has wait "
        "steps, then warmup steps, then active steps; only the active steps are recorded. repeat: "
        "number of cycles (0: no limit); skip_first_wait: the first cycle has no wait steps"),
    ROW(CAPTURE, "capture", MAP, capture,
        "record regions on demand: when \"stepwatch capture\" or the program asks for it, when "
        "file is touched, or when signal (USR1 or USR2) arrives. steps: number of training steps "
        "to record (default: 5)"),
    ROW(COUNTERS, "counters", LIST, counter,
        "what to measure of each region besides time: a list of counters, such as [allocated, "
        "page_faults, cpu: steps]. Events of the processor are counters, too: raw:0xCODE or "
        "pfm:NAME. A counter with \": steps\" after its name is read only for fit, epoch, train, "
        "valid, draw and batch"),
    ROW(PEAK_FLOPS, "peak_flops", STRING, peak_flops,
        "floating point operations per second that the hardware can do, such as 91.8T. If the "
        "program counts its operations in a counter named flops, the report then has the model "
        "FLOPs utilization"),
    ROW(WATCHDOG, "watchdog", MAP, watchdog,
        "raise an alert when the loop makes no progress for this long: a duration, auto (60s) or "
        "off. As a mapping: timeout: the duration; command: a shell command to run at each alert; "
        "webhook: a URL to which each alert is sent as JSON"),
    ROW(FUNCTIONS, "functions", MAP, functions,
        "profile the functions of the program: adds the sink functions. As a mapping: times: "
        "exact, sampled, sample or wall; rate: samples per second (default: 97); and the options "
        "of the sink"),
};

const struct sw_option *sw_profiler_options(void)
{
    return rows;
}

const char *swi_profiler_keys_mode_name(enum sw_mode mode)
{
    return (unsigned)mode < SWI_MODES ? modes[mode] : NULL;
}

static bool mode_find(const char *text, enum sw_mode *mode)
{
    for (int i = 0; i < SWI_MODES; i++) {
        if (strcmp(text, modes[i]) == 0) {
            *mode = (enum sw_mode)i;
            return true;
        }
    }
    if (strcmp(text, SWI_ADVANCED) != 0)
        return false;
    *mode = SW_MODE_SIMPLE;
    return true;
}

bool swi_profiler_keys_store(struct swi_profiler_keys *keys, const struct sw_option *row,
                             const union swi_value *value)
{
    void *field = (char *)keys + row->offset;
    if (row->type == SW_OPTION_CHOICE) {
        mode_find(value->text, &keys->mode);
        keys->advanced = strcmp(value->text, SWI_ADVANCED) == 0;
    } else if (row->type == SW_OPTION_PATH) {
        free(keys->csv_name);
        keys->csv_name = strdup(value->text);
    } else {
        memcpy(field, value, swi_option_size(row->type));
    }
    return row->type != SW_OPTION_PATH || keys->csv_name;
}

/* The defaults in the table are valid: a test reads them back. */
static void default_set(struct swi_profiler_keys *keys, const struct sw_option *row)
{
    union swi_value value;
    SW_ERROR_SCOPE(err);
    if (swi_option_parse(row, row->fallback, &value, &err) == 0)
        swi_profiler_keys_store(keys, row, &value);
}

void swi_profiler_keys_init(struct swi_profiler_keys *keys)
{
    *keys = (struct swi_profiler_keys){0};
    for (int i = 0; i < SWI_KEYS; i++)
        if (rows[i].fallback)
            default_set(keys, &rows[i]);
    keys->schedule.size = sizeof keys->schedule;
    keys->capture.steps = SWI_CAPTURE_STEPS;
}

void swi_profiler_keys_free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

void swi_profiler_keys_fini(struct swi_profiler_keys *keys)
{
    swi_profiler_keys_free_list(keys->wait);
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

const char *swi_profiler_keys_csv_name(const struct swi_profiler_keys *keys)
{
    const char *by_mode = keys->mode == SW_MODE_SIMPLE ? "simpleprofiler.csv" : "throughput.csv";
    return keys->csv_name ? keys->csv_name : by_mode;
}

const struct sw_option *swi_profiler_keys_find(const char *name)
{
    for (int i = 0; i < SWI_KEYS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool swi_profiler_keys_has(const char *name)
{
    return swi_profiler_keys_find(name) != NULL;
}
