/* SPDX-License-Identifier: MIT */
#include "sinks/table/table_sink.h"

#include "core/text/characters.h"
#include "core/text/number.h"
#include "core/text/printable.h"

#include <string.h>

/* The parts of a line, in order. Each metric is one part. */
enum part {
    ELAPSED,
    PLACE,
    METRIC,
    RATE = METRIC + SWI_SHOWN_METRICS,
    STEP,
    ETA,
    MACHINE,
    PHASE,
    PARTS
};

/* ---- each part ------------------------------------------------------------------------------- */

static void place_add(struct swi_text *text, const struct swi_progress_line *line)
{
    swi_text_format(text, "epoch %" PRId64 "  step ", line->epoch);
    swi_number_count(text, line->step);
    if (line->total > 0) {
        swi_text_put(text, "/");
        swi_number_count(text, line->total);
    }
}

static void metric_add(struct swi_text *text, const struct swi_progress_line *line, size_t i)
{
    if (i >= line->metrics)
        return;
    swi_printable_name(text, line->metric[i].name, SIZE_MAX, line->utf8);
    swi_text_put(text, " ");
    swi_number_value(text, line->metric[i].value);
}

static void rate_add(struct swi_text *text, const struct swi_progress_line *line)
{
    if (!(line->rate > 0))
        return;
    swi_number_figure(text, line->rate);
    swi_text_put(text, " samples/s");
}

static void step_add(struct swi_text *text, const struct swi_progress_line *line)
{
    if (!(line->step_ns > 0))
        return;
    swi_number_duration(text, line->step_ns, line->utf8);
    swi_text_put(text, "/step");
}

static void eta_add(struct swi_text *text, const struct swi_progress_line *line)
{
    if (!(line->eta_s >= 0))
        return;
    swi_text_put(text, "eta ");
    swi_number_clock(text, line->eta_s);
}

static void percent_add(struct swi_text *text, const char *what, double percent)
{
    if (!(percent > 0))
        return;
    swi_text_format(text, "%s%s ", text->size ? "  " : "", what);
    swi_number_fixed(text, percent, 0);
    swi_text_put(text, " %");
}

static void machine_add(struct swi_text *text, const struct swi_shown_machine *machine)
{
    percent_add(text, "CPU", machine->cpu_percent);
    if (machine->rss_bytes > 0) {
        swi_text_put(text, text->size ? "  " : "");
        swi_number_bytes(text, machine->rss_bytes);
    }
    percent_add(text, "GPU", machine->gpu_percent);
}

static void part_add(struct swi_text *text, const struct swi_progress_line *line, int part)
{
    if (part == ELAPSED)
        swi_number_clock(text, line->elapsed_s);
    else if (part == PLACE)
        place_add(text, line);
    else if (part < RATE)
        metric_add(text, line, (size_t)(part - METRIC));
    else if (part == RATE)
        rate_add(text, line);
    else if (part == STEP)
        step_add(text, line);
    else if (part == ETA)
        eta_add(text, line);
    else if (part == MACHINE)
        machine_add(text, &line->machine);
    else
        swi_text_put(text, line->phase);
}

/* ---- the line -------------------------------------------------------------------------------- */

struct parts {
    struct swi_text text[PARTS];
    bool out[PARTS]; /* it had no room */
};

static bool has(const struct parts *parts, int part)
{
    return parts->text[part].size > 0 && !parts->out[part];
}

static size_t width_of(const struct parts *parts, const char *prefix)
{
    size_t width = 0;
    for (int i = 0; i < PARTS; i++)
        width += has(parts, i) ? (width ? 2 : 0) + swi_text_width(parts->text[i].data) : 0;
    return width + strlen(prefix);
}

/* Cuts a line after this many characters, if nothing is left to leave out. */
static void cut_add(struct swi_text *text, const char *line, size_t width)
{
    size_t at = 0, size = line ? strlen(line) : 0;
    uint32_t code;
    for (size_t next; at < size && width > 0; at += next, width--) {
        next = swi_utf8_next(line + at, size - at, &code);
        next = next ? next : 1;
    }
    if (at > 0)
        swi_text_add(text, line, at);
}

static void join(struct swi_text *text, const struct parts *parts, const char *prefix, size_t width)
{
    SWI_FREED struct swi_text line = {0};
    swi_text_put(&line, prefix);
    size_t begun = line.size;
    for (int i = 0; i < PARTS; i++) {
        if (!has(parts, i))
            continue;
        swi_text_put(&line, line.size > begun ? "  " : "");
        swi_text_put(&line, parts->text[i].data);
    }
    cut_add(text, line.data, width);
    text->failed |= line.failed;
}

/* order: the parts that may be left out, in this order. */
static void line_add(struct swi_text *text, const struct swi_progress_line *line, size_t width,
                     const int *order, size_t count)
{
    struct parts parts = {0};
    for (int i = 0; i < PARTS; i++)
        part_add(&parts.text[i], line, i);
    for (size_t i = 0; i < count && width_of(&parts, line->prefix) > width; i++)
        parts.out[order[i]] = true;
    join(text, &parts, line->prefix, width);
    for (int i = 0; i < PARTS; i++) {
        text->failed |= parts.text[i].failed;
        swi_text_free(&parts.text[i]);
    }
}

void swi_progress_line_log(struct swi_text *text, const struct swi_progress_line *line,
                           size_t width)
{
    static const int order[] = {METRIC + 2, METRIC + 1, METRIC, STEP, RATE};
    line_add(text, line, width, order, sizeof order / sizeof *order);
}

void swi_progress_line_live(struct swi_text *text, const struct swi_progress_line *line,
                            size_t width)
{
    static const int order[] = {MACHINE, STEP, METRIC + 2, METRIC + 1, ELAPSED, RATE, METRIC, ETA};
    line_add(text, line, width, order, sizeof order / sizeof *order);
}
