/* SPDX-License-Identifier: MIT */
#include "sinks/table/table_sink.h"
#include "core/text/parse.h"
#include "sinks/common/step_groups.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* ---- what is known of a terminal ------------------------------------------------------------- */

bool swi_terminal_is(int fd)
{
    return isatty(fd) == 1;
}

/* /dev/tty has its own device number, but a session has only one terminal. */
static bool terminal_same(int a, int b)
{
    struct stat st_a, st_b;
    if (!swi_terminal_is(a) || !swi_terminal_is(b) || fstat(a, &st_a) != 0 || fstat(b, &st_b) != 0)
        return false;
    pid_t session = tcgetsid(a);
    return st_a.st_rdev == st_b.st_rdev || (session >= 0 && session == tcgetsid(b));
}

static bool terminal_moves(struct sw_sink *sink, int fd)
{
    const char *term = sw_sink_getenv(sink, "TERM");
    return swi_terminal_is(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool swi_terminal_colours(struct sw_sink *sink, int fd)
{
    const char *no = sw_sink_getenv(sink, "NO_COLOR"),
               *force = sw_sink_getenv(sink, "CLICOLOR_FORCE");
    if (no && *no)
        return false;
    return (force && *force && strcmp(force, "0") != 0) || terminal_moves(sink, fd);
}

/* From the environment, not from the program's locale, because most C programs never call
 * setlocale(). */
bool swi_terminal_utf8(struct sw_sink *sink)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = sw_sink_getenv(sink, names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

size_t swi_terminal_columns(struct sw_sink *sink)
{
    const char *columns_set = sw_sink_getenv(sink, "COLUMNS");
    char *end = NULL;
    unsigned long columns = columns_set && *columns_set >= '1' && *columns_set <= '9'
                                ? strtoul(columns_set, &end, 10)
                                : 0;
    return end && !*end && columns <= 10000 ? columns : 0;
}

size_t swi_terminal_width(struct sw_sink *sink, int fd)
{
    struct winsize size = {0};
    size_t columns_set = swi_terminal_columns(sink);
    if (columns_set)
        return columns_set;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* ---- the last row of a terminal, taken out of what scrolls ----------------------------------- */

/* With fewer rows, the program needs all of them. */
enum { ROWS_LEAST = 10 };

static struct winsize size_of(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size.ws_row = 0;
    return size;
}

/* Returns whether a terminal has one to give: the console of Linux and a few rows have none. */
static bool last_row_can(struct sw_sink *sink, int fd)
{
    const char *term = sw_sink_getenv(sink, "TERM");
    return terminal_moves(sink, fd) && strcmp(term, "linux") != 0 &&
           size_of(fd).ws_row >= ROWS_LEAST;
}

/* The cursor may be on the last row: the text moves up by one first. Setting the region moves the
 * cursor, so its place is kept. */
static void take(struct swi_last_row *row, struct swi_text *text, const struct winsize *size)
{
    if (!row->rows)
        swi_text_put(text, "\033D\033[A");
    swi_text_format(text, "\0337\033[1;%dr\0338", size->ws_row - 1);
    row->rows = size->ws_row;
    row->columns = size->ws_col;
}

/* Adds what gives the row back. */
static void last_row_give_back(struct swi_last_row *row, struct swi_text *text)
{
    if (row->rows)
        swi_text_format(text, "\0337\033[r\033[%d;1H\033[2K\0338", row->rows);
    row->rows = 0;
}

/* Adds what shows a line there, and what takes the row first, also after the terminal has got
 * another size. */
static void last_row_show(struct swi_last_row *row, int fd, struct swi_text *text, const char *line)
{
    struct winsize size = size_of(fd);
    if (size.ws_row < ROWS_LEAST) {
        last_row_give_back(row, text);
        return;
    }
    if (row->rows != size.ws_row || row->columns != size.ws_col)
        take(row, text, &size);
    swi_text_format(text, "\0337\033[%d;1H\033[2K%s\0338", row->rows, line);
}

/* ---- shows the progress of the loop ---------------------------------------------------------- */

/* Lines of a log do not come more often than this, so averages need not either. */
#define LINES_NS INT64_C(1000000000)

/* ---- what is shown where --------------------------------------------------------------------- */

/* On the same terminal, the program's text would continue in the live line, and text without a line
 * break would be erased. Only sw_print() says when the program prints. */
static enum swi_live_kind kind_auto(struct sw_sink *sink, int fd)
{
    if (!terminal_moves(sink, fd))
        return SWI_LIVE_LINES;
    return terminal_same(fd, STDOUT_FILENO) ? SWI_LIVE_SHY : SWI_LIVE_LINE;
}

static enum swi_live_kind kind_of(struct sw_sink *sink, const char *mode, int fd)
{
    if (strcmp(mode, "off") == 0)
        return SWI_LIVE_OFF;
    if (strcmp(mode, "lines") == 0)
        return SWI_LIVE_LINES;
    if (strcmp(mode, "on") == 0)
        return swi_terminal_is(fd) ? SWI_LIVE_LINE : SWI_LIVE_LINES;
    if (strcmp(mode, "row") == 0 && last_row_can(sink, fd))
        return SWI_LIVE_ROW;
    return kind_auto(sink, fd);
}

bool swi_live_view_interval(const char *progress, int64_t *ns, struct sw_error *err)
{
    *ns = SWI_PROGRESS_AUTO;
    return strcmp(progress, "auto") == 0 || swi_parse_duration(progress, ns, err) == 0;
}

/* A log is read elsewhere, in the characters of the environment as well. */
void swi_live_view_init(struct swi_live_view *live, struct sw_sink *sink,
                        const struct swi_live_options *options)
{
    /* Progress goes to stderr, so that what is piped from stdout stays clean. */
    int fd = STDERR_FILENO;
    int64_t lines_ns;
    SW_ERROR_SCOPE(ignored);
    enum swi_live_kind kind = kind_of(sink, options->mode, fd);
    /* A replay ends before anybody can read a line that changes. */
    if (sink->run->replayed && kind != SWI_LIVE_LINES)
        kind = SWI_LIVE_OFF;
    *live = (struct swi_live_view){.kind = kind, .fd = fd, .sink = sink, .title = options->title};
    live->interval_ns = live->kind == SWI_LIVE_LINES ? LINES_NS : options->interval_ns;
    live->moves = terminal_moves(sink, fd);
    live->colours = swi_terminal_colours(sink, fd);
    live->utf8 = swi_terminal_utf8(sink);
    swi_progress_init(&live->progress, options->metrics);
    swi_live_view_interval(options->progress, &lines_ns, &ignored);
    swi_whole_lines_init(&live->lines, fd, lines_ns, live->utf8);
}

/* ---- what the line says ---------------------------------------------------------------------- */

/* Seconds until the last step, from the average pace since the first step seen; below 0: unknown.
 */
static double eta_of(const struct swi_run_progress *progress)
{
    int64_t done = progress->done - progress->first_done;
    int64_t left = progress->expected - progress->done;
    if (progress->expected <= 0 || left < 0 || done <= 0)
        return -1;
    return (double)(progress->time_ns - progress->first_ns) * 1e-9 * (double)left / (double)done;
}

static double step_ns(const struct swi_run_progress *progress)
{
    int64_t done = progress->done - progress->first_done;
    int64_t ns = progress->time_ns - progress->first_ns - swi_progress_valid_ns(progress);
    return done > 0 ? (double)ns / (double)done : 0;
}

static void line_make(struct swi_text *text, const struct swi_live_view *live, size_t width)
{
    const struct swi_run_progress *progress = &live->progress;
    struct swi_progress_line line = {
        .prefix = "",
        .elapsed_s = (double)progress->time_ns * 1e-9,
        .epoch = progress->epoch + 1,
        .step = progress->done,
        .total = progress->expected,
        .metric = progress->metric,
        .metrics = progress->metric_count,
        .rate = progress->rate,
        .step_ns = step_ns(progress),
        .eta_s = eta_of(progress),
        .machine = progress->machine,
        .phase = progress->validating ? "validating" : "",
        .utf8 = live->utf8,
    };
    swi_progress_line_live(text, &line, width);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* A program in the background leaves the terminal to the one in the foreground. */
static bool is_in_front(const struct swi_live_view *live)
{
    pid_t front = tcgetpgrp(live->fd);
    return front < 0 || front == getpgrp();
}

/* Writes everything at once, so that the program's own lines do not come in between. Returns
 * whether it was written, which is not so while the program prints. */
static bool terminal_write(struct swi_live_view *live, const struct swi_text *text,
                           const char *wipe)
{
    if (text->failed || !is_in_front(live))
        return false;
    int rc = sw_sink_live(live->sink, live->fd, wipe, text->data ? text->data : "");
    if (rc == SW_EINVAL) /* an older core, which has no sw_print() either */
        rc = write(live->fd, text->data, text->size) < 0 ? SW_EIO : 1;
    if (rc == SW_EIO)
        live->kind = SWI_LIVE_OFF;
    return rc > 0;
}

/* Goes to the begin of the line and erases it, with blanks if the terminal has no better way. */
static void wipe_add(struct swi_text *text, const struct swi_live_view *live)
{
    swi_text_put(text, "\r");
    if (live->moves) {
        swi_text_put(text, "\033[K");
        return;
    }
    swi_text_fill(text, ' ', swi_terminal_width(live->sink, live->fd) - 1);
    swi_text_put(text, "\r");
}

/* The terminal keeps the previous title of the window. */
static void title_add(struct swi_text *text, struct swi_live_view *live, const char *line)
{
    if (!live->title || !live->moves)
        return;
    swi_text_format(text, "%s\033]2;%s\a", live->titled ? "" : "\033[22;2t", line);
    live->titled = true;
}

static void line_show(struct swi_live_view *live, struct swi_text *text, const char *line)
{
    SWI_FREED struct swi_text wipe = {0};
    wipe_add(&wipe, live);
    swi_text_put(text, wipe.data ? wipe.data : "\r");
    swi_text_format(text, live->colours ? "\033[2m%s\033[0m" : "%s", line);
    live->drawn = terminal_write(live, text, wipe.data ? wipe.data : "\r");
}

static void row_show(struct swi_live_view *live, struct swi_text *text, const char *line)
{
    SWI_FREED struct swi_text shown = {0};
    swi_text_format(&shown, live->colours ? "\033[2m%s\033[0m" : "%s", line);
    last_row_show(&live->row, live->fd, text, shown.data ? shown.data : "");
    live->drawn = terminal_write(live, text, "");
}

static void draw(struct swi_live_view *live)
{
    SWI_FREED struct swi_text line = {0}, text = {0};
    line_make(&line, live, swi_terminal_width(live->sink, live->fd) - 1);
    const char *shown = line.data ? line.data : "";
    title_add(&text, live, shown);
    if (live->kind == SWI_LIVE_ROW)
        row_show(live, &text, shown);
    else
        line_show(live, &text, shown);
    live->drawn_ns = live->progress.time_ns;
}

void swi_live_view_clear(struct swi_live_view *live)
{
    if (!live->drawn)
        return;
    live->drawn = false;
    if (live->kind == SWI_LIVE_ROW)
        return;
    SWI_FREED struct swi_text text = {0};
    wipe_add(&text, live);
    if (is_in_front(live) && sw_sink_live(live->sink, live->fd, text.data, "") == SW_EINVAL)
        terminal_write(live, &text, "");
}

void swi_live_view_fini(struct swi_live_view *live)
{
    SWI_FREED struct swi_text text = {0};
    swi_live_view_clear(live);
    last_row_give_back(&live->row, &text);
    if (live->titled)
        swi_text_put(&text, "\033[23;2t");
    if (text.size > 0)
        terminal_write(live, &text, "");
}

/* ---- records --------------------------------------------------------------------------------- */

static void step_take(struct swi_live_view *live, const struct sw_step *done)
{
    const struct sw_step *step = swi_step_sum(done);
    live->steps += swi_step_count(done);
    for (size_t i = 0; i < step->count; i++)
        if (strcmp(sw_step_part_at(step, i)->action, "draw") == 0 ||
            strcmp(sw_step_part_at(step, i)->action, "batch") == 0)
            live->busy_ns += sw_step_part_at(step, i)->duration_ns;
}

static void metrics_take(struct swi_live_view *live, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (metric->by == SW_BY_PROFILER && strcmp(metric->name, "throughput/step") == 0)
            live->rolling = true;
    }
}

static void kind_look(struct swi_live_view *live)
{
    if (live->kind == SWI_LIVE_SHY && sw_sink_prints(live->sink))
        live->kind = SWI_LIVE_LINE;
}

void swi_live_view_record(struct swi_live_view *live, const struct sw_record *record)
{
    if (live->kind == SWI_LIVE_OFF)
        return;
    bool epoch_ended = swi_progress_take(&live->progress, record);
    if (record->type == SW_RECORD_STEP)
        step_take(live, record->step_done);
    else if (record->type == SW_RECORD_METRICS)
        metrics_take(live, record);
    kind_look(live);
    if (live->kind == SWI_LIVE_LINES || live->kind == SWI_LIVE_SHY) {
        swi_whole_lines_take(&live->lines, &live->progress, epoch_ended);
        return;
    }
    bool due = !live->drawn || record->time_ns - live->drawn_ns >= live->interval_ns;
    if (due && live->steps)
        draw(live);
}

void swi_live_view_end(struct swi_live_view *live, int64_t time_ns, bool interrupted)
{
    swi_live_view_clear(live);
    if (live->kind != SWI_LIVE_LINES && live->kind != SWI_LIVE_SHY)
        return;
    live->progress.time_ns = time_ns;
    swi_whole_lines_end(&live->lines, &live->progress, interrupted ? "interrupted" : "done");
}

bool swi_live_view_needs_no_steps(const struct swi_live_view *live, int64_t rolling_average)
{
    return live->steps >= 2 && live->rolling &&
           live->busy_ns / live->steps * rolling_average < live->interval_ns;
}
