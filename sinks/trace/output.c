/* SPDX-License-Identifier: MIT */
/* output.c - a file that can be read while it is being written has its name from the start. Any
 * other file gets it when it is complete. A compressed file is made beside the plain one, which is
 * removed at the end, so that a killed program leaves the plain one. */

#include "sinks/trace/trace_sink.h"
#include "core/text/parts.h"
#include "sinks/common/file_names.h"
#include "sinks/common/trace_formats/file_name_part.h"
#include "sinks/common/trace_formats/gzip.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <string.h>
#include <sys/stat.h>

/* ---- the newest segment's file that is not compressed, and what waits for a full disk -------- */

enum { WAITS_MOST = 1 << 20 };

/* Creates the file if it is missing, and writes what waits. */
static int waiting_write(struct trace *trace, struct sw_error *err)
{
    FILE **file = &trace->segment[0].plain;
    int rc = *file ? 0 : sw_sink_create(trace->sink, trace->plain_path, file, err);
    if (rc == 0 && trace->waiting.size)
        rc = sw_sink_write(trace->sink, *file, trace->waiting.data, trace->waiting.size, err);
    if (rc == 0)
        trace->waiting.size = 0;
    return rc;
}

/* Returns whether the data waits for a disk that is full. */
static bool wait(struct trace *trace, const char *data, size_t size, const struct sw_error *err)
{
    if (err->code != SW_EFULL || trace->waiting.size + size > WAITS_MOST)
        return false;
    swi_text_add(&trace->waiting, data, size);
    if (trace->waiting.failed)
        return false;
    if (!trace->waits)
        sw_sink_say(trace->sink, SW_WARNING, "%s; up to 1 MiB waits until there is room",
                    sw_error_text(err));
    trace->waits = true;
    return true;
}

/* A full disk may have room for a part of what could not be written. */
static void part_write(struct trace *trace, const char *data, size_t size)
{
    enum { MOST = 4096 };
    SW_ERROR_SCOPE(known);
    size_t part;
    int rc = trace->segment[0].plain && trace->format->part ? 0 : SW_EFULL;
    while (rc == 0 && (part = trace->format->part(data, size, MOST)) > 0) {
        rc = sw_sink_write(trace->sink, trace->segment[0].plain, data, part, &known);
        data += part;
        size -= part;
    }
}

/* Keeps the first error, which is the reason for those after it. */
static bool give_up(struct trace *trace, struct sw_error *err)
{
    part_write(trace, trace->waiting.data ? trace->waiting.data : "", trace->waiting.size);
    swi_text_free(&trace->waiting);
    trace->waits = false;
    if (trace->error.code)
        sw_error_free(err);
    else
        trace->error = *err;
    return false;
}

/* Creates the file. If the disk is full, each write tries again. */
static int trace_plain_open(struct trace *trace, const char *path, struct sw_error *err)
{
    snprintf(trace->plain_path, sizeof trace->plain_path, "%s", path);
    int rc = waiting_write(trace, err);
    if (rc == 0 || !wait(trace, "", 0, err))
        return rc;
    sw_error_free(err);
    return 0;
}

/* Writes to it. What a full disk does not take waits, up to 1 MiB. Returns false if something is
 * lost: trace->error says why. */
static bool trace_plain_write(struct trace *trace, const char *data, size_t size)
{
    struct sw_error err = {0};
    int rc = waiting_write(trace, &err);
    if (rc == 0)
        rc = sw_sink_write(trace->sink, trace->segment[0].plain, data, size, &err);
    if (rc == 0 && trace->waits)
        sw_sink_say(trace->sink, SW_NOTE, "%s: can be written again", trace->plain_path);
    if (rc == 0) {
        trace->waits = false;
        return true;
    }
    if (wait(trace, data, size, &err)) {
        sw_error_free(&err);
        return true;
    }
    bool follows = trace->waiting.size == 0; /* what is in the file */
    give_up(trace, &err);
    if (follows)
        part_write(trace, data, size);
    return false;
}

/* Writes what waits, for the last time. Returns the same. */
static bool trace_plain_end(struct trace *trace)
{
    struct sw_error err = {0};
    bool waits = trace->waits;
    trace->waits = false;
    if (!waits || waiting_write(trace, &err) == 0)
        return true;
    return give_up(trace, &err);
}

/* ---- the files of the sink trace: chooses their names, creates and completes them ------------ */

enum { TRIES = 1000 };

static int name_set(struct trace *trace, struct sw_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int name_set(struct trace *trace, struct sw_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(trace->base, sizeof trace->base, format, args);
    va_end(args);
    if (size >= 0 && (size_t)size < sizeof trace->base)
        return 0;
    return sw_error_set(err, SW_EINVAL, "the path of the trace is longer than %zu bytes",
                        sizeof trace->base - 1);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool has_ranks(const struct sw_run *run)
{
    return SW_HAS(run->size, run, rank_certain) && run->world_size != 1;
}

static bool is_windowed(const struct sw_run *run)
{
    return SW_HAS(run->size, run, windowed) && run->windowed;
}

/* Returns where the extension of a path begins. Only known extensions count, so that part of a host
 * name is not taken for one. */
static size_t extension_of(const char *path)
{
    static const char *const known[] = {".pt.trace.json", ".xplane.pb", ".json",
                                        ".pftrace",       ".trace",     ".perfetto-trace"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (swi_ends(path, known[i]))
            return strlen(path) - strlen(known[i]);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
}

/* For the window that begins with step 10, trace.json becomes trace_10.json. */
static int named_by_path(struct trace *trace, const char *path, const struct sw_window *window,
                         struct sw_error *err)
{
    char step[32] = "", plain[4096];
    snprintf(plain, sizeof plain, "%s", path);
    if (swi_ends(plain, ".gz"))
        plain[strlen(plain) - 3] = '\0';
    size_t stem = extension_of(plain);
    snprintf(trace->extension, sizeof trace->extension, "%s", plain + stem);
    if (is_windowed(trace->sink->run))
        snprintf(step, sizeof step, "_%" PRId64, window->first_step);
    return name_set(trace, err, "%.*s%s", (int)stem, plain, step);
}

static int named_by_run(struct trace *trace, const struct sw_window *window, struct sw_error *err)
{
    const struct sw_run *run = trace->sink->run;
    char name[SWI_FILE_PART], host[SWI_FILE_PART], date[32], step[32] = "", rank[32] = "";
    swi_start_time(run, "%Y%m%d-%H%M%S", date, sizeof date);
    if (is_windowed(run))
        snprintf(step, sizeof step, "_%" PRId64, window->first_step);
    if (has_ranks(run))
        snprintf(rank, sizeof rank, "-rank%" PRId64, run->rank);
    snprintf(trace->extension, sizeof trace->extension, "%s", trace->format->extension);
    return name_set(trace, err, "runs/%s-%s-%s-%" PRId64 "%s%s",
                    swi_file_part(name, run->name, "run"), date,
                    swi_file_part(host, run->host, "run"), run->pid, rank, step);
}

/* Returns the folder of the files. */
static const char *folder_of(const struct trace *trace)
{
    return trace->path && *trace->path ? trace->path : trace->logdir;
}

static bool is_taken(struct trace *trace, const char *path)
{
    char absolute[4096];
    SW_ERROR_SCOPE(ignored);
    struct stat st;
    return sw_sink_resolve(trace->sink, path, absolute, sizeof absolute, &ignored) == 0 &&
           stat(absolute, &st) == 0;
}

/* Makes the name of the session: the second in which the window began, or the name that all ranks
 * of the run share. */
static void session_make(struct trace *trace, const struct sw_window *window, char session[256])
{
    const struct sw_run *run = trace->sink->run;
    struct sw_run then = *run;
    char id[SWI_FILE_PART];
    then.started_s += (double)window->begin_ns * 1e-9;
    if (has_ranks(run) && *run->id) {
        snprintf(session, 256, "%s_%" PRId64, swi_file_part(id, run->id, "run"),
                 window->first_step);
        return;
    }
    swi_start_time(&then, "%Y_%m_%d_%H_%M_%S", session, 256);
}

/* A session is never written again, because the page keeps its results beside the file. */
static int named_by_session(struct trace *trace, const struct sw_window *window,
                            struct sw_error *err)
{
    const struct sw_run *run = trace->sink->run;
    char session[256], host[SWI_FILE_PART], number[16] = "", folder[4096 + 512];
    session_make(trace, window, session);
    for (int n = 1; n < TRIES; n++) {
        snprintf(folder, sizeof folder, "%s/plugins/profile/%s%s", folder_of(trace), session,
                 number);
        if (has_ranks(run) || !is_taken(trace, folder))
            break;
        snprintf(number, sizeof number, "_%d", n);
    }
    snprintf(trace->extension, sizeof trace->extension, "%s", trace->format->extension);
    if (has_ranks(run))
        return name_set(trace, err, "%s/rank%" PRId64, folder, run->rank);
    return name_set(trace, err, "%s/%s", folder, swi_file_part(host, run->host, "run"));
}

/* Makes WORKER.TIME.pt.trace.json. The time is that of the begin of the window. */
static int named_by_worker(struct trace *trace, const struct sw_window *window,
                           struct sw_error *err)
{
    const struct sw_run *run = trace->sink->run;
    char host[SWI_FILE_PART], rank[32] = "";
    if (has_ranks(run))
        snprintf(rank, sizeof rank, "_rank%" PRId64, run->rank);
    snprintf(trace->extension, sizeof trace->extension, "%s", trace->format->extension);
    return name_set(trace, err, "%s/%s_%" PRId64 "%s.%" PRId64, folder_of(trace),
                    swi_file_part(host, run->host, "run"), run->pid, rank,
                    trace->timeline.origin_ns + window->begin_ns);
}

bool trace_path_is_folder(const struct swi_timeline_format *format, const char *path)
{
    bool file = swi_ends(path, ".json") || swi_ends(path, ".gz");
    return format == &swi_timeline_xplane || (format == &swi_timeline_torch && !file);
}

static int name_choose(struct trace *trace, const struct sw_window *window, struct sw_error *err)
{
    const char *path = trace->path ? trace->path : "";
    trace->compressed = strcmp(trace->compress, "gzip") == 0 || swi_ends(path, ".gz");
    if (trace->format == &swi_timeline_xplane)
        return named_by_session(trace, window, err);
    if (trace_path_is_folder(trace->format, path))
        return named_by_worker(trace, window, err);
    return *path ? named_by_path(trace, path, window, err) : named_by_run(trace, window, err);
}

/* Makes the name of a segment; 0: the newest. more: added after the extension. hidden: the file is
 * incomplete. */
static void segment_name(const struct trace *trace, int age, bool hidden, const char *more,
                         char name[4096 + 128])
{
    char number[16] = "";
    const char *slash = strrchr(trace->base, '/');
    int folder = slash ? (int)(slash + 1 - trace->base) : 0;
    if (trace->last)
        snprintf(number, sizeof number, ".%03d", trace->number - age);
    snprintf(name, 4096 + 128, "%.*s%s%s%s%s%s%s", folder, trace->base, hidden ? "." : "",
             trace->base + folder, number, trace->extension, more, hidden ? ".part" : "");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Keeps the first error, which is the reason for those after it. */
static bool packed_write(void *arg, const char *data, size_t size)
{
    struct trace *trace = arg;
    struct sw_error err = {0};
    if (sw_sink_write(trace->sink, trace->segment[0].packed, data, size, &err) == 0)
        return true;
    if (trace->error.code)
        sw_error_free(&err);
    else
        trace->error = err;
    return false;
}

/* Returns whether there is a plain file. It is not needed if a compressed one is made and only
 * complete files are readable. */
static bool has_plain(const struct trace *trace)
{
    return !trace->compressed || !trace->format->whole;
}

static int packed_open(struct trace *trace, struct sw_error *err)
{
    char name[4096 + 128];
    segment_name(trace, 0, true, ".gz", name);
    int rc = sw_sink_create(trace->sink, name, &trace->segment[0].packed, err);
    if (rc < 0)
        return rc;
    trace->gzip = swi_gzip_new(packed_write, trace);
    return trace->gzip ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory to compress %s", name);
}

static int segment_open(struct trace *trace, struct sw_error *err)
{
    char name[4096 + 128];
    int rc = 0;
    trace->segment[0] = (struct trace_segment){0};
    segment_name(trace, 0, trace->format->whole, "", name);
    if (has_plain(trace))
        rc = trace_plain_open(trace, name, err);
    if (rc == 0 && trace->compressed)
        rc = packed_open(trace, err);
    return rc;
}

int trace_output_open(struct trace *trace, const struct sw_window *window, struct sw_error *err)
{
    int rc = name_choose(trace, window, err);
    trace->number = 0;
    trace->error = (struct sw_error){0};
    memset(trace->segment, 0, sizeof trace->segment);
    return rc < 0 ? rc : segment_open(trace, err);
}

bool trace_output_write(void *arg, const char *data, size_t size)
{
    struct trace *trace = arg;
    if (has_plain(trace) && !trace_plain_write(trace, data, size))
        return false;
    return !trace->gzip || swi_gzip_add(trace->gzip, data, size);
}

/* ---- the end of a file ----------------------------------------------------------------------- */

static int finish(struct trace *trace, FILE **file, const char *path, struct sw_error *err)
{
    struct sw_error other = {0};
    if (!*file)
        return 0;
    int rc = sw_sink_finish(trace->sink, *file, path, &other);
    *file = NULL;
    if (rc < 0 && !err->code)
        *err = other;
    else if (rc < 0)
        sw_error_free(&other);
    return rc;
}

/* Completes the compressed file of the newest segment. */
static bool packed_end(struct trace *trace)
{
    bool whole = !trace->gzip || swi_gzip_end(trace->gzip);
    trace->gzip = NULL;
    return whole;
}

/* Gives the compressed file its name. */
static int packed_close(struct trace *trace, int age, bool whole, struct sw_error *err)
{
    char name[4096 + 128];
    segment_name(trace, age, false, ".gz", name);
    int rc = finish(trace, &trace->segment[age].packed, whole ? name : "", err);
    return whole ? rc : SW_EIO;
}

static int segment_close(struct trace *trace, int age, bool whole, struct sw_error *err)
{
    char name[4096 + 128];
    struct trace_segment *segment = &trace->segment[age];
    bool packs = segment->packed != NULL;
    int rc = packs ? packed_close(trace, age, whole, err) : 0;
    segment_name(trace, age, false, "", name);
    const char *kept = packs && rc == 0 ? "" : !trace->format->whole ? NULL : whole ? name : "";
    int other = finish(trace, &segment->plain, kept, err);
    return rc < 0 ? rc : other;
}

static void oldest_remove(struct trace *trace)
{
    SW_ERROR_SCOPE(err);
    finish(trace, &trace->segment[SEGMENTS - 1].plain, "", &err);
    finish(trace, &trace->segment[SEGMENTS - 1].packed, "", &err);
}

/* Older segments stay open, because only an open file can be removed. */
bool trace_output_next(void *arg)
{
    struct trace *trace = arg;
    if (!packed_end(trace) || !trace_plain_end(trace))
        return false;
    oldest_remove(trace);
    memmove(&trace->segment[1], &trace->segment[0], (SEGMENTS - 1) * sizeof(struct trace_segment));
    trace->number++;
    return segment_open(trace, &trace->error) == 0;
}

int trace_output_close(struct trace *trace, bool whole, struct sw_error *err)
{
    bool packed = packed_end(trace), plain = trace_plain_end(trace);
    int rc = segment_close(trace, 0, whole && packed && plain, err);
    for (int age = 1; age < SEGMENTS; age++) {
        int other = segment_close(trace, age, true, err);
        rc = rc < 0 ? rc : other;
    }
    return rc;
}
