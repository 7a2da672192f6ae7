/* SPDX-License-Identifier: MIT */
/* settings.h - the settings of a profiler. config/ makes them from YAML; core does not know YAML.
 */
#ifndef CORE_PLUGINS_SETTINGS_H
#define CORE_PLUGINS_SETTINGS_H

#include "core/counters/counter.h"
#include "core/ranks/rank.h"
#include "core/text/config_mistakes.h"

#include <stepwatch/stepwatch.h>
#include <stepwatch/window.h>

#include <stdbool.h>
#include <stdint.h>

/* One value of a sink's option, as text. core/plugins/options.c converts it by the table of
 * options. */
struct swi_scalar {
    char *name; /* name of the entry in a mapping; else NULL */
    char *text; /* after ${VAR} was replaced */
    bool quoted;
    bool is_null;          /* nothing, ~ or null, unquoted */
    bool from_environment; /* a ${VAR} was replaced: it may be a secret, so messages hide it */
    bool from_program;     /* given to sw_open_options(): may be a secret */
    struct swi_where where;
};

/* One `key: value` of a sink. */
struct swi_setting {
    char *name;
    struct swi_where where; /* of the key */
    struct swi_where value_where;
    bool is_list;     /* [a, b]: count scalars; else exactly one */
    bool is_map;      /* {a: b}: count scalars with names */
    bool repeats_key; /* a list, because its key was given more than once */
    size_t count;
    struct swi_scalar *value;
};

/* One entry of logger_callback or of monitors, or a sink that show_report, markdown or save_csv
 * added. */
struct swi_sink_settings {
    char *name;
    bool unasked;           /* a monitor that `monitors: true` added */
    bool spared;            /* if it cannot be loaded, a plain table takes its place */
    struct swi_where where; /* of the name */
    size_t count;
    struct swi_setting *setting;
};

/* The default number of steps of a capture. */
enum { SWI_CAPTURE_STEPS = 5 };

/* Captures on demand: the key `capture`. */
struct swi_capture_settings {
    bool given;
    int64_t steps;    /* recorded by one capture */
    const char *file; /* touching this file requests a capture; absolute; NULL: none. Not owned */
    int signal;       /* this signal requests a capture; 0: none */
};

/* What a probe is asked for: key `functions`. */
struct swi_functions_settings {
    bool given;
    const char *times; /* exact, sampled, sample, wall; NULL: not given. Not owned */
    int rate;          /* samples a second; 0: not given */
};

/* Key `watchdog`. */
struct swi_watchdog_settings {
    bool given;
    int64_t timeout_ns;  /* 0: the loop is not watched */
    const char *command; /* run at each alert; NULL: none. Not owned */
    const char *webhook; /* gets each alert; NULL: none. A secret. Not owned */
};

/* All settings. They own what they point to: swi_settings_fini() frees it. */
struct swi_settings {
    enum sw_mode mode;
    int64_t rolling_average;
    bool drop_first_batch;
    bool accounting;
    bool signals;
    int64_t close_timeout_ns;
    size_t values_memory; /* bytes of values that may wait for the sinks; 0: none are taken */
    char *const *wait;    /* names of actions, terminated by NULL; or NULL. Not owned */
    struct sw_schedule schedule;
    struct swi_capture_settings capture;
    struct swi_functions_settings functions;
    const struct swi_counter_choice *counter; /* ends with one without a counter; NULL: none. Not
                                                 owned */
    double peak_flops;                        /* of the machine, per second; 0: not known */
    struct swi_watchdog_settings watchdog;
    struct swi_rank_given ranks;
    char *name;      /* of the run; NULL: the program's name */
    char *source;    /* the name of the file in messages; every where.file points to it */
    char *file;      /* the YAML file, absolute; NULL if there is none */
    char *directory; /* base of relative paths: absolute, or "" if that has no name any more */
    size_t plugin_path_count;
    char **plugin_path; /* absolute, in the order of the search, before $STEPWATCH_PLUGIN_PATH and
                           the installed folder */
    size_t sink_count;
    struct swi_sink_settings *sink;
    size_t monitor_count;
    struct swi_sink_settings *monitor;
    size_t place_count;
    char **place;            /* names of options of sw_open_options(), for where.file */
    sw_message_fn *messages; /* NULL: stderr */
    void *messages_arg;
};

/* Returns the absolute working directory; "" if it has no name any more or must not be read; NULL
 * if out of memory. The caller frees it. */
char *swi_working_directory(void);

/* Returns the first one of a name in a list of sinks or monitors, or NULL. */
struct swi_sink_settings *swi_sink_settings_find(struct swi_sink_settings *list, size_t count,
                                                 const char *name);

/* Returns what is given for an option, or NULL. */
const struct swi_setting *swi_setting_find(const struct swi_sink_settings *sink,
                                           const char *option);

/* Returns the place of an option of a sink; that of the sink if the option is not given. */
struct swi_where swi_setting_where(const struct swi_sink_settings *sink, const char *option);

void swi_sink_settings_fini(struct swi_sink_settings *sink);
void swi_settings_fini(struct swi_settings *settings);

#endif
