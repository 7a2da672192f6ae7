/* SPDX-License-Identifier: MIT */
/* chrome.c - the JSON format of chrome://tracing and Perfetto. A file that is written while the
 * program runs is an array whose end may be missing: a killed run leaves whole lines, which every
 * viewer can read. A file that is made afterwards is an object. */
#include "sinks/common/trace_formats/chrome_events.h"
#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/tracks.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/timeline_state.h"

/* By phase. Each is copied as a block. */
static const struct {
    char text[SWI_EVENT_BLOCK + 1];
    unsigned char size;
} categories[] = {{",\"cat\":\"fit\"", 12},    {",\"cat\":\"train\"", 14},
                  {",\"cat\":\"valid\"", 14},  {",\"cat\":\"threads\"", 16},
                  {",\"cat\":\"before\"", 15}, {",\"cat\":\"after\"", 14}};

/* ---- regions --------------------------------------------------------------------------------- */

/* Writes what an event has from its name to its time. */
static char *middle_put(const struct swi_timeline *t, char *at, const struct swi_track *track,
                        const struct swi_interval *interval)
{
    const struct swi_timeline_name *name = &t->names.item[interval->name];
    at = swi_event_copy(at, name->json, name->json_size);
    memcpy(at, categories[interval->phase].text, SWI_EVENT_BLOCK);
    at += categories[interval->phase].size;
    return swi_event_copy(at, track->prefix.data, track->prefix.size);
}

static char *number_arg(char *at, const char *key, size_t size, int64_t value)
{
    if (value < 0)
        return at;
    at = swi_event_put(at, key, size);
    at = swi_digits_put(at, (uint64_t)value);
    *at++ = ',';
    return at;
}
#define NUMBER_ARG(at, key, value) number_arg(at, "\"" key "\":", sizeof(key) + 2, value)

static char *shape_put(const struct swi_timeline *t, char *at, const struct swi_interval *interval)
{
    size_t size;
    const char *shape = swi_timeline_shape_json(t, interval, &size);
    if (!shape)
        return at;
    at = SWI_EVENT_PUT(at, "\"Input Dims\":");
    at = swi_event_put(at, shape, size);
    *at++ = ',';
    return at;
}

static char *args_put(const struct swi_timeline *t, char *at, const struct swi_interval *interval)
{
    bool any = interval->samples >= 0 || interval->epoch >= 0 || interval->step >= 0 ||
               interval->shape || interval->uses || interval->cancelled || interval->cut ||
               interval->paused_ns;
    if (!any)
        return at;
    at = SWI_EVENT_PUT(at, ",\"args\":{");
    at = shape_put(t, at, interval);
    at = swi_region_uses_put(t, at, interval);
    at = NUMBER_ARG(at, "epoch", interval->epoch);
    at = NUMBER_ARG(at, "step", interval->step);
    at = NUMBER_ARG(at, "samples", interval->samples);
    at = NUMBER_ARG(at, "paused_ns", interval->paused_ns ? interval->paused_ns : -1);
    if (interval->cancelled)
        at = SWI_EVENT_PUT(at, "\"cancelled\":true,");
    if (interval->cut)
        at = SWI_EVENT_PUT(at, "\"cut\":true,");
    at[-1] = '}';
    return at;
}

enum { EVENT_BYTES = 384 }; /* without texts, and with what whole blocks touch */

static char *room_for(struct swi_timeline *t, const struct swi_track *track,
                      const struct swi_interval *interval)
{
    size_t shape = interval->shape ? t->names.item[interval->shape - 1].json_size : 0;
    return swi_event_room(&t->out, EVENT_BYTES + t->names.item[interval->name].json_size + shape +
                                       swi_region_uses_size(t, interval) + track->prefix.size);
}

/* Ends a line of an array, or an event of an object. */
static void line_done(struct swi_timeline *t, char *at)
{
    *at++ = '}';
    if (!swi_chrome_is_object(t))
        at = SWI_EVENT_PUT(at, ",\n");
    swi_event_done(&t->out, at);
}

/* Writes a B or an E event. */
static char *edge_put(struct swi_timeline *t, char *at, const struct swi_track *track, char phase,
                      const struct swi_interval *interval)
{
    at = SWI_EVENT_PUT(at, "{\"ph\":\"");
    *at++ = phase;
    at = SWI_EVENT_PUT(at, "\",\"name\":");
    at = middle_put(t, at, track, interval);
    return swi_event_us(at, phase == 'B' ? interval->begin_ns : interval->end_ns);
}

/* ---- regions that begin together ---------------------------------------------------------------
 * Viewers sort by time. At one time, ends come first, then complete events, the longest first, then
 * complete events of no time and begins in the order of the file. */

/* Events without a duration wait for the region around them if it may have no duration either. */
static void held_write(struct swi_timeline *t, struct swi_track *track)
{
    if (track->held.size)
        swi_text_add(&t->out, track->held.data, track->held.size);
    t->failed |= track->held.failed;
    track->held.size = 0;
}

/* Moves what was written since `from` in front of what is waiting. */
static void held_add(struct swi_timeline *t, struct swi_track *track, size_t from)
{
    struct swi_text after = track->held;
    track->held = (struct swi_text){0};
    swi_text_add(&track->held, t->out.data + from, t->out.size - from);
    swi_text_add(&track->held, after.data ? after.data : "", after.size);
    track->held.failed |= after.failed;
    t->out.size = from;
    swi_text_free(&after);
}

static void begin_write(struct swi_timeline *t, struct swi_track *track,
                        struct swi_interval *interval)
{
    swi_chrome_event_begin(t);
    char *at = room_for(t, track, interval);
    if (!at)
        return;
    interval->opened = true;
    at = edge_put(t, at, track, 'B', interval);
    at = args_put(t, at, interval);
    line_done(t, at);
    held_write(t, track);
}

static void open_write(struct swi_timeline *t, struct swi_track *track,
                       struct swi_interval *interval)
{
    if (!interval->opened)
        begin_write(t, track, interval);
}

static bool begins_with_outer(const struct swi_track *track, const struct swi_interval *interval)
{
    const struct swi_interval *outer = interval - 1;
    return interval != track->frame && !outer->skipped && outer->begin_ns == interval->begin_ns;
}

static void together_write(struct swi_timeline *t, struct swi_track *track,
                           struct swi_interval *interval)
{
    struct swi_interval *outermost = interval;
    while (begins_with_outer(track, outermost))
        outermost--;
    for (; outermost <= interval; outermost++)
        open_write(t, track, outermost);
}

/* Regions that stay open for long are written at once, so that a killed run shows them. */
static void begin(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    if (interval->kind >= SWI_KIND_FIT && interval->kind <= SWI_KIND_VALID)
        begin_write(t, track, interval);
}

static void complete_write(struct swi_timeline *t, struct swi_track *track,
                           const struct swi_interval *interval)
{
    char *at = room_for(t, track, interval);
    if (!at)
        return;
    at = SWI_EVENT_PUT(at, "{\"ph\":\"X\",\"name\":");
    at = middle_put(t, at, track, interval);
    at = swi_event_us(at, interval->begin_ns);
    at = SWI_EVENT_PUT(at, ",\"dur\":");
    at = swi_event_us(at, interval->end_ns - interval->begin_ns);
    at = args_put(t, at, interval);
    line_done(t, at);
}

static void end_write(struct swi_timeline *t, struct swi_track *track,
                      struct swi_interval *interval)
{
    char *at = room_for(t, track, interval);
    if (!at)
        return;
    interval->epoch = -1; /* its begin has it */
    at = edge_put(t, at, track, 'E', interval);
    at = args_put(t, at, interval);
    line_done(t, at);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    bool together = begins_with_outer(track, interval),
         lasts = interval->end_ns > interval->begin_ns;
    if (together && lasts && !interval->opened)
        together_write(t, track, interval);
    size_t from = t->out.size;
    swi_chrome_event_begin(t);
    if (interval->opened)
        end_write(t, track, interval);
    else
        complete_write(t, track, interval);
    if (together && !lasts && !interval[-1].opened && !interval->opened)
        held_add(t, track, from);
    else
        held_write(t, track);
}

/* What both forms of the file have. */
#define FUNCTIONS                                                                                  \
    .start = swi_chrome_start, .process = swi_chrome_process, .thread = swi_chrome_thread,         \
    .begin = begin, .end = end, .counter = swi_chrome_counter, .instant = swi_chrome_instant,      \
    .open = open_write, .span = swi_chrome_span, .flow = swi_chrome_flow,                          \
    .finish = swi_chrome_finish

const struct swi_timeline_format swi_timeline_chrome = {
    .name = "chrome",
    .extension = ".json",
    .part = swi_part_of_lines,
    FUNCTIONS,
};

const struct swi_timeline_format swi_timeline_chrome_object = {
    .name = "chrome",
    .extension = ".json",
    .whole = true,
    FUNCTIONS,
};
