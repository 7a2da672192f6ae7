/* SPDX-License-Identifier: MIT */
/* printed_lines.c - what the program prints to a file, as lines of its run: read from the file
 * behind its standard output and error, or from the files that `stepwatch run` writes for it. */
#include "core/clock/now.h"
#include "sinks/wandb/wandb_sink.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)
/* A line without an end is a line after so long without a change, and after so long with changes:
 * a progress bar that is drawn over and over. */
#define IDLE_NS (2 * SECOND_NS)
#define REDRAWN_NS (60 * SECOND_NS)
/* How long the end waits for what other sinks print at the same time, and for a parent that copies
 * the output: until so many looks found nothing new. */
#define GRACE_NS (SECOND_NS / 2)
#define GRACE_COPIED_NS (3 * SECOND_NS)
enum { QUIET = 1, QUIET_COPIED = 6 };

enum {
    RATE = 100 << 10,      /* bytes a second that are taken while the program runs */
    FIRST_MAX = 1 << 20,   /* so many more at any time */
    WAITING_MAX = 4 << 20, /* if more waits, its begin is left out; the end may have so many */
    RUN_MAX = 64 << 20,    /* bytes of a run */
    PIECE_MAX = 256 << 10  /* bytes of one record */
};

/* ---- begin ----------------------------------------------------------------------------------- */

/* Returns whether the process that started this one has the same file as its standard output: it
 * is probably that of all ranks. If it cannot be found out, it is taken for shared. */
static bool is_of_all_ranks(int descriptor, const struct stat *own)
{
    char path[64];
    struct stat other;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getppid(), descriptor);
    return stat(path, &other) < 0 || (other.st_dev == own->st_dev && other.st_ino == own->st_ino);
}

static bool is_same_as_stdout(const struct stat *status)
{
    struct stat out;
    return swi_followed_file_is(STDOUT_FILENO, &out) && out.st_dev == status->st_dev &&
           out.st_ino == status->st_ino;
}

/* Returns the position that the program had when the run began: it may have printed since. */
static int64_t begin_of(const struct wandb *w, int stream, int64_t now)
{
    const struct sw_run *run = w->sink->run;
    int64_t then = SW_HAS(run->size, run, printed_at) ? run->printed_at[stream] : -1;
    return then >= 0 && then < now ? then : now;
}

static void descriptor_begin(struct wandb *w, int stream)
{
    static const char *const names[] = {"output", "error"};
    struct swi_followed_file *file = &w->printed.stream[stream];
    struct stat status;
    SW_ERROR_SCOPE(err);
    int descriptor = stream + STDOUT_FILENO;
    if (!swi_followed_file_is(descriptor, &status) || (stream && is_same_as_stdout(&status)) ||
        (w->sink->run->rank > 0 && is_of_all_ranks(descriptor, &status)))
        return;
    if (swi_followed_file_begin(file, descriptor, &err) < 0)
        swi_wandb_say(w, 0,
                      "standard %s goes to a file that may not be read (%s), so its lines are not "
                      "on the run's Logs tab",
                      names[stream], sw_error_text(&err));
    else
        file->at = begin_of(w, stream, file->at);
}

/* Follows what `stepwatch run` writes. The first run of a process has all of it, and a later one
 * what comes from then on. Ranks that have one parent share its files. */
static bool written_begin(struct wandb *w, int stream, const char *path, bool later)
{
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%s%s", path, stream ? ".stderr" : "");
    return *path == '/' && w->sink->run->rank == 0 &&
           swi_followed_file_begin_path(&w->printed.stream[stream], own, later);
}

static bool is_followed(const struct swi_printed_lines *output)
{
    return output->stream[0].followed || output->stream[1].followed;
}

void swi_wandb_printed_begin(struct wandb *w)
{
    static atomic_bool later;
    struct swi_printed_lines *output = &w->printed;
    const char *path = swi_wandb_env("STEPWATCH_CONSOLE");
    output->begun_ns = swi_now_ns();
    /* An empty name turns it off for all programs of an environment. */
    if (!w->console || w->sink->run->replayed || (path && !*path))
        return;
    bool again = path && atomic_exchange(&later, true);
    for (int i = 0; i < SWI_STREAMS; i++)
        if (!path || !written_begin(w, i, path, again))
            descriptor_begin(w, i);
    if (!is_followed(output))
        return;
    if (!w->quiet)
        swi_wandb_say(w, 0,
                      "what the program prints is on the run's Logs tab; console: off keeps it "
                      "out of the run");
}

/* ---- what is new ----------------------------------------------------------------------------- */

static void lines_keep(struct wandb *w, int stream, struct swi_text *lines)
{
    struct swi_printed_lines *output = &w->printed;
    if (lines->failed)
        sw_sink_lost(w->sink, 1);
    if (lines->size) {
        output->reported |= strstr(lines->data, "Profiling Results:") != NULL;
        swi_wandb_output(w, lines->data, stream == 1, (double)swi_wall_ns() * 1e-9);
    }
    swi_text_free(lines);
}

static void left_out_put(struct swi_text *lines, int64_t bytes)
{
    swi_text_format(lines, "[stepwatch: %" PRId64 " bytes of output are left out here]\n", bytes);
}

/* Returns how many bytes may be taken now. At the end, that may be more than the rate allows. */
static int64_t allowed(struct swi_printed_lines *output, bool last)
{
    int64_t elapsed_s = (swi_now_ns() - output->begun_ns) / SECOND_NS;
    int64_t rate = elapsed_s < RUN_MAX / RATE ? FIRST_MAX + elapsed_s * RATE : RUN_MAX;
    int64_t live = rate < RUN_MAX - WAITING_MAX ? rate : RUN_MAX - WAITING_MAX;
    int64_t left = (last ? RUN_MAX : live) - output->taken;
    return left < 0 ? 0 : last && left > WAITING_MAX ? WAITING_MAX : left;
}

/* Says once that the run has as much as it may have before its end. */
static void full_tell(struct swi_printed_lines *output, struct swi_text *lines)
{
    if (output->full_said || output->taken < RUN_MAX - WAITING_MAX)
        return;
    output->full_said = true;
    swi_text_format(lines,
                    "[stepwatch: the program has printed more than %d MiB: of what follows, only "
                    "the end is added]\n",
                    (RUN_MAX - WAITING_MAX) >> 20);
}

/* Leaves out the oldest bytes if too many wait. Returns how many are left. */
static int64_t waiting_limit(struct wandb *w, int stream, int64_t waiting, bool last,
                             struct swi_text *lines)
{
    struct swi_printed_lines *output = &w->printed;
    int64_t most = allowed(output, last);
    bool too_many = last ? waiting > most : waiting > 2 * WAITING_MAX && most > 0;
    if (!too_many)
        return waiting < most ? waiting : most;
    int64_t kept = last ? most : WAITING_MAX;
    swi_followed_file_skip(&output->stream[stream], waiting - kept, lines);
    left_out_put(lines, waiting - kept);
    return kept < most ? kept : most;
}

/* Ends a line that has no end yet. */
static void unfinished_end(struct swi_printed_lines *output, int stream, int64_t now_ns,
                           struct swi_text *lines)
{
    struct swi_console_lines *console = &output->stream[stream].lines;
    if (!console->rest.size)
        output->opened_ns[stream] = now_ns;
    else if (now_ns - output->grown_ns[stream] >= IDLE_NS ||
             now_ns - output->opened_ns[stream] >= REDRAWN_NS)
        swi_console_lines_end(console, lines);
}

static void stream_look(struct wandb *w, int stream, bool last)
{
    struct swi_printed_lines *output = &w->printed;
    struct swi_followed_file *file = &output->stream[stream];
    struct swi_text lines = {0};
    int64_t now_ns = swi_now_ns();
    int64_t left = swi_followed_file_look(file, &lines);
    left = waiting_limit(w, stream, left, last, &lines);
    while (left > 0) {
        int64_t got = swi_followed_file_read(file, left < PIECE_MAX ? left : PIECE_MAX, &lines);
        if (got <= 0)
            break;
        left -= got;
        output->taken += got;
        output->grown_ns[stream] = now_ns;
        full_tell(output, &lines);
        lines_keep(w, stream, &lines);
        if (w->records.log.size >= SWI_LOG_ENOUGH && !w->failing) {
            SW_ERROR_SCOPE(err);
            /* A full disk is reported by the next flush. */
            (void)swi_wandb_log_flush(&w->records.log, &err);
            swi_wandb_output_flush(w);
        }
    }
    unfinished_end(output, stream, now_ns, &lines);
    lines_keep(w, stream, &lines);
}

/* What the program printed may wait in its buffer until it is full, which takes hours for a line
 * an epoch. A thread that holds the lock is printing now: the next look is soon enough. */
static void stdout_flush(const struct wandb *w)
{
    if (!w->printed.stream[0].followed || ftrylockfile(stdout) != 0)
        return;
    fflush(stdout);
    funlockfile(stdout);
}

static void look(struct wandb *w, bool last)
{
    for (int i = 0; i < SWI_STREAMS; i++)
        if (w->printed.stream[i].followed)
            stream_look(w, i, last);
}

void swi_wandb_printed_look(struct wandb *w)
{
    /* If the disk is full, the lines wait in the file that has them. */
    if (!is_followed(&w->printed) || w->failing)
        return;
    stdout_flush(w);
    look(w, false);
}

/* ---- the end --------------------------------------------------------------------------------- */

void swi_wandb_printed_report(struct wandb *w, const char *text, double wall_s)
{
    if (is_followed(&w->printed))
        swi_text_put(&w->printed.report, text);
    else
        swi_wandb_output(w, text, false, wall_s);
}

/* Returns whether a parent copies the output. */
static bool is_copied(const struct swi_printed_lines *output)
{
    bool copied = false;
    for (int i = 0; i < SWI_STREAMS; i++)
        copied |= output->stream[i].followed && output->stream[i].descriptor < 0;
    return copied;
}

/* Returns whether the parent has not read all of a pipe yet. Of a terminal that cannot be told. */
static bool is_on_its_way(void)
{
    bool any = false;
    for (int i = 0; i < SWI_STREAMS; i++) {
        struct stat status;
        int left = 0;
        if (fstat(STDOUT_FILENO + i, &status) == 0 && S_ISFIFO(status.st_mode) &&
            ioctl(STDOUT_FILENO + i, FIONREAD, &left) == 0)
            any |= left > 0;
    }
    return any;
}

/* Other sinks print their reports while this one ends the run. */
static void last_look(struct wandb *w)
{
    bool patient = w->sink->run->close_timeout_ns >= SECOND_NS, copied = is_copied(&w->printed);
    int64_t until_ns = swi_now_ns() + (copied ? GRACE_COPIED_NS : GRACE_NS);
    int quiet = 0;
    do {
        int64_t before = w->printed.taken;
        if (patient)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        stdout_flush(w);
        look(w, true);
        bool moved = w->printed.taken > before || (copied && is_on_its_way());
        quiet = moved ? 0 : quiet + 1;
    } while (patient && quiet < (copied ? QUIET_COPIED : QUIET) && swi_now_ns() < until_ns);
}

void swi_wandb_printed_end(struct wandb *w)
{
    struct swi_printed_lines *output = &w->printed;
    if (!is_followed(output))
        return;
    last_look(w);
    for (int i = 0; i < SWI_STREAMS; i++) {
        struct swi_text lines = {0};
        if (!output->stream[i].followed)
            continue;
        swi_console_lines_end(&output->stream[i].lines, &lines);
        lines_keep(w, i, &lines);
        swi_followed_file_close(&output->stream[i]);
    }
    if (output->report.size && !output->reported)
        swi_wandb_output(w, output->report.data, false, (double)swi_wall_ns() * 1e-9);
}

void swi_wandb_printed_free(struct swi_printed_lines *output)
{
    for (int i = 0; i < SWI_STREAMS; i++)
        swi_followed_file_close(&output->stream[i]);
    swi_text_free(&output->report);
}
