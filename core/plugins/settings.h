/* SPDX-License-Identifier: MIT */
/* settings.h - what a profiler is opened with. config/ makes it from YAML; core knows no YAML. */
#ifndef CORE_PLUGINS_SETTINGS_H
#define CORE_PLUGINS_SETTINGS_H

#include "core/ranks/rank.h"
#include "core/text/mistakes.h"

#include <stepwatch/stepwatch.h>
#include <stepwatch/window.h>

#include <stdbool.h>
#include <stdint.h>

/* One value of a sink's option, as text. Converting it is the option table's work
 * (core/plugins/options.c).
 */
struct swi_scalar {
    char *name; /* of an entry of a mapping; else NULL */
    char *text; /* after ${VAR} was put in */
    bool quoted;
    bool is_null;          /* nothing, ~ or null, unquoted */
    bool from_environment; /* a ${VAR} was put in: no message may show the text, it may be a secret
                            */
    bool from_program;     /* given to sw_open_options(): a secret may be */
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

/* One entry of logger_callback, or a sink that show_report, markdown or save_csv added. */
struct swi_sink_settings {
    char *name;
    struct swi_where where; /* of the name */
    size_t count;
    struct swi_setting *setting;
};

/* Steps of one capture, if nothing else is said. */
enum { SWI_CAPTURE_STEPS = 5 };

/* On demand: key `capture`. */
struct swi_capture_settings {
    bool given;
    int64_t steps;    /* that one capture records */
    const char *file; /* asks for one when it is touched: absolute; NULL: none. Not owned */
    int signal;       /* so does this one; 0: none */
};

/* What a probe is asked for: key `functions`. */
struct swi_functions_settings {
    bool given;
    const char *times; /* exact, sampled, sample; NULL: not given. Not owned */
    int rate;          /* samples a second; 0: not given */
};

/* Everything. Owned: swi_settings_fini() frees all of it. */
struct swi_settings {
    enum sw_mode mode;
    int64_t rolling_average;
    bool drop_first_batch;
    bool accounting;
    bool signals;
    int64_t close_timeout_ns;
    char *const *wait; /* names of actions, ends with NULL; NULL: none. Not owned */
    struct sw_schedule schedule;
    struct swi_capture_settings capture;
    struct swi_functions_settings functions;
    struct swi_rank_given ranks;
    char *name;      /* of the run; NULL: the program's */
    char *source;    /* what messages call the file; every where.file here points at it */
    char *file;      /* the YAML file, absolute; NULL without one */
    char *directory; /* what relative paths are relative to: absolute, or "" where that has
                        no name any more */
    size_t plugin_path_count;
    char **plugin_path; /* absolute, in order of search, before $STEPWATCH_PLUGIN_PATH and the
                           installed folder */
    size_t sink_count;
    struct swi_sink_settings *sink;
    size_t place_count;
    char **place;            /* names of options of sw_open_options(), for where.file */
    sw_message_fn *messages; /* NULL: stderr */
    void *messages_arg;
};

/* The absolute working directory, "" where it has no name any more or may not be read; NULL if out
 * of memory. Free it. */
char *swi_working_directory(void);

void swi_settings_fini(struct swi_settings *settings);

#endif
