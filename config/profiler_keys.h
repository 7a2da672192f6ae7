/* SPDX-License-Identifier: MIT */
/* profiler_keys.h - the keys of `profiler:`, their types, defaults and ranges, in one table, and
 * their values. */
#ifndef CONFIG_PROFILER_KEYS_H
#define CONFIG_PROFILER_KEYS_H

#include "core/counters/counter.h"
#include "core/plugins/settings.h"

#include <stepwatch/report.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* In the order of the table. */
enum swi_key {
    SWI_KEY_MODE,
    SWI_KEY_ROLLING_AVERAGE,
    SWI_KEY_DROP_FIRST_BATCH,
    SWI_KEY_SHOW_REPORT,
    SWI_KEY_PLAIN,
    SWI_KEY_MARKDOWN,
    SWI_KEY_SAVE_CSV,
    SWI_KEY_CSV_NAME,
    SWI_KEY_ACCOUNTING,
    SWI_KEY_SIGNALS,
    SWI_KEY_CLOSE_TIMEOUT,
    SWI_KEY_VALUES_MEMORY,
    SWI_KEY_WAIT,
    SWI_KEY_SCHEDULE,
    SWI_KEY_CAPTURE,
    SWI_KEY_COUNTERS,
    SWI_KEY_PEAK_FLOPS,
    SWI_KEY_WATCHDOG,
    SWI_KEY_FUNCTIONS,
    SWI_KEYS
};

/* The modes in the order of enum sw_mode. */
enum { SWI_MODES = 3 };
#define SWI_MODE_NAMES "throughput, simple, advanced or off"

/* The value of `mode` that means the mode simple, and functions. */
#define SWI_ADVANCED "advanced"

/* Their values. */
struct swi_profiler_keys {
    enum sw_mode mode;
    int64_t rolling_average;
    bool drop_first_batch;
    bool show_report;
    bool plain;
    bool markdown;
    bool save_csv;
    char *csv_name; /* NULL: depends on the mode */
    bool accounting;
    bool signals;
    int64_t close_timeout_ns;
    int64_t values_memory;
    char **wait; /* terminated by NULL; or NULL */
    struct sw_schedule schedule;
    bool schedule_wrong; /* a mistake in the schedule was reported */
    struct swi_capture_settings capture;
    char *capture_file; /* becomes capture.file */
    size_t counter_count;
    struct swi_counter_choice counter[SWI_COUNTER_CHOICES + 1]; /* the last is none */
    double peak_flops;                                          /* 0: not given */
    struct swi_watchdog_settings watchdog;
    char *watchdog_command, *watchdog_webhook; /* become watchdog.command and watchdog.webhook */
    bool advanced;                             /* the mode simple, with functions */
    struct swi_functions_settings functions;
    struct swi_sink_settings functions_sink; /* options of the sink functions; it has no name */
    struct {
        bool given; /* the key is given */
        bool from_environment;
        struct swi_where where; /* of its value */
    } given[SWI_KEYS];
};

struct sw_option;
union swi_value;

void swi_profiler_keys_init(struct swi_profiler_keys *keys);
void swi_profiler_keys_fini(struct swi_profiler_keys *keys);

/* Returns the name of a mode, or NULL if the number is not a mode. */
const char *swi_profiler_keys_mode_name(enum sw_mode mode);

/* Returns the file that save_csv writes. */
const char *swi_profiler_keys_csv_name(const struct swi_profiler_keys *keys);

/* Returns whether `profiler` has a key of this name. */
bool swi_profiler_keys_has(const char *name);

/* Finds the row of a key, or returns NULL. */
const struct sw_option *swi_profiler_keys_find(const char *name);

/* Stores a value in its field. A text is copied. Returns false if out of memory. */
bool swi_profiler_keys_store(struct swi_profiler_keys *keys, const struct sw_option *row,
                             const union swi_value *value);

/* Frees a list that ends with NULL, such as `wait`. */
void swi_profiler_keys_free_list(char **list);

/* ---- reading and printing them --------------------------------------------------------------- */

struct swi_node;
struct swi_yaml_reader;

/* Reads the mapping `profiler`, or its short form, into config->keys. */
void swi_profiler_keys_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Reads "key=value,key=value" over the keys: $STEPWATCH_SET. */
void swi_profiler_keys_set(struct swi_yaml_reader *reading, const char *pairs);

/* Reads the mapping `ranks: {rank: N, size: N}` into settings->ranks: which process of a
 * distributed run this is, if no launcher provides it or a launcher is wrong. */
void swi_ranks_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* `counters`: reads a name or a list of names, each with or without `regions` or `steps`. */
void swi_counters_read(struct swi_yaml_reader *reading, const struct swi_node *value);
void swi_counters_print(const struct swi_profiler_keys *keys, FILE *out);

/* `peak_flops`: reads a number like 989e12 or 91.8T. */
void swi_peak_flops_read(struct swi_yaml_reader *reading, const struct swi_node *value);
void swi_peak_flops_print(const struct swi_profiler_keys *keys, FILE *out);

/* `schedule` and `capture`, when regions are recorded: read the mapping of each key. If it is given
 * again, by a program or the environment, it replaces only the entries that it names. */
void swi_schedule_read(struct swi_yaml_reader *reading, const struct swi_node *node);
void swi_capture_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Reports what is missing of them after everything was read. */
void swi_windows_complete(struct swi_yaml_reader *reading);

/* Print what follows "schedule: " or "capture: ". */
void swi_schedule_print(const struct swi_profiler_keys *keys, FILE *out);
void swi_capture_print(const struct swi_profiler_keys *keys, FILE *out);

/* `watchdog`: reads a duration, auto, off, or a mapping. A later mapping replaces only the entries
 * that it has.
 */
void swi_watchdog_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Prints what follows "watchdog: ", without the address, which is a secret. */
void swi_watchdog_print(const struct swi_profiler_keys *keys, FILE *out);

/* `functions`, of which core uses the part about measuring, and the rest are options of the sink
 * functions: reads true, false, a value of `times`, or a mapping. */
void swi_functions_read(struct swi_yaml_reader *reading, const struct swi_node *node);

/* Adds the sink functions with its options, if the key asks for it. */
void swi_functions_complete(struct swi_yaml_reader *reading);

/* Prints the settings as YAML. */
void swi_functions_print(const struct swi_profiler_keys *keys, FILE *out);

#endif
