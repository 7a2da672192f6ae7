/* SPDX-License-Identifier: MIT */
/* trace_sink.h - the state of the sink trace. */
#ifndef SINKS_TRACE_TRACE_SINK_H
#define SINKS_TRACE_TRACE_SINK_H

#include "core/text/buffer.h"
#include "sinks/common/trace_formats/timeline.h"

#include <stepwatch/sink.h>

struct swi_gzip;

enum { SEGMENTS = 4 }; /* for keep: last */

/* A hyper-parameter, for files that begin later. value: JSON. */
struct trace_setting {
    char *text, *value;
};

/* A file, and the same one compressed. */
struct trace_segment {
    FILE *plain, *packed;
};

struct trace {
    /* The options. */
    const char *format_name;
    const char *path, *logdir;
    const char *compress;
    int64_t max_size, max_events;
    const char *keep;
    bool counters, threads;
    int64_t flush_ns;

    struct sw_sink *sink;
    const struct swi_timeline_format *format;
    bool last;    /* keep: last */
    bool is_open; /* a window and its file are open */
    struct swi_timeline timeline;
    int64_t segment_began;   /* regions taken before the newest segment */
    int64_t window_begin_ns; /* regions that begin here were open before */
    int64_t flushed_ns;      /* when the file was last written */
    int64_t regions_lost;    /* because the file could not be written */
    struct trace_setting *setting;
    size_t setting_count;

    /* The files of the open window: output.c. */
    struct trace_segment segment[SEGMENTS]; /* the newest is [0] */
    struct swi_gzip *gzip;                  /* of the newest */
    struct sw_error error;                  /* why the file could not be written */
    int number;                             /* of the newest segment */
    char base[4096];                        /* the path without its extension */
    char extension[40];                     /* without .gz */
    char plain_path[4096 + 128];            /* of the newest segment: output.c */
    struct swi_text waiting;                /* for a disk that is full */
    bool waits;                             /* the disk was full at the last write */
    bool compressed;
};

/* ---- output.c -------------------------------------------------------------------------------- */

/* Returns whether a path is a folder in which files of the format get names of their own. */
bool trace_path_is_folder(const struct swi_timeline_format *format, const char *path);

/* Chooses the name of a window's file and creates it. */
int trace_output_open(struct trace *trace, const struct sw_window *window, struct sw_error *err);

/* Writes data of the timeline. arg: the struct trace. */
bool trace_output_write(void *arg, const char *data, size_t size);

/* Ends the newest segment and begins the next one. If there are more than SEGMENTS, removes the
 * oldest. */
bool trace_output_next(void *arg);

/* Ends the file of a window. whole: it is complete and gets its name. */
int trace_output_close(struct trace *trace, bool whole, struct sw_error *err);

/* ---- trace_window.c -------------------------------------------------------------------------- */

int trace_window_begin(struct trace *trace, const struct sw_record *record, struct sw_error *err);

/* Completes the file. Does nothing if no window is open. */
int trace_window_end(struct trace *trace, int64_t end_ns, struct sw_error *err);

/* Ends what is open where the window ends, as `stepwatch export` does, then completes the file. */
int trace_window_close(struct trace *trace, const struct sw_window *window, struct sw_error *err);

#endif
