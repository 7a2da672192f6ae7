/* SPDX-License-Identifier: MIT */
/* chrome.c - the JSON format of chrome://tracing and Perfetto. A file that is written while the
 * program runs is an array whose end may be missing: a killed run leaves whole lines, which every
 * viewer can read. A file that is made afterwards is an object. */
#include "core/text/escape.h"
#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/timeline_state.h"
#include "sinks/common/trace_formats/tracks.h"

/* Returns whether the file is an object; else it is an array. */
static bool is_object(const struct swi_timeline *t)
{
    return t->format->whole;
}

/* A line ends with a comma, except for the last event of an array (finish). In an object, the comma
 * comes before the next event. */
static void event_begin(struct swi_timeline *t)
{
    if (is_object(t)) {
        swi_text_put(&t->out, t->state ? ",\n" : "");
        t->state = t;
    }
}

static void event_end(struct swi_timeline *t)
{
    if (!is_object(t))
        swi_text_put(&t->out, ",\n");
}

static void start(struct swi_timeline *t)
{
    t->state = NULL;
    swi_text_put(&t->out, is_object(t) ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : "[\n");
}

/* ---- metadata -------------------------------------------------------------------------------- */

static void metadata_text(struct swi_timeline *t, const char *name, int64_t pid, int64_t tid,
                          const char *key, const char *text)
{
    event_begin(t);
    swi_escape_format(&t->out, swi_timeline_json,
                      "{\"ph\":\"M\",\"name\":%s,\"pid\":%" PRId64 ",\"tid\":%" PRId64
                      ",\"args\":{%s:%s}}",
                      name, pid, tid, key, text);
    event_end(t);
}

static void metadata_number(struct swi_timeline *t, const char *name, int64_t pid, int64_t tid,
                            int64_t number)
{
    swi_text_format(&t->out,
                    "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                    ",\"args\":{\"sort_index\":%" PRId64 "}}",
                    name, pid, tid, number);
}

static void run_event(struct swi_timeline *t, const struct swi_timeline_process *process)
{
    char us[40], started[48];
    *swi_event_us(us, process->offset_ns + process->begin_ns) = '\0';
    snprintf(started, sizeof started, "%" PRId64 ".%09" PRId64, process->started_ns / 1000000000,
             process->started_ns % 1000000000);
    event_begin(t);
    swi_escape_format(&t->out, swi_timeline_json,
                      "{\"ph\":\"i\",\"name\":\"run\",\"cat\":\"run\",\"s\":\"p\",\"pid\":%" PRId64
                      ",\"tid\":%" PRId64 ",\"ts\":%.*s,\"args\":{\"name\":%s,\"host\":%s,"
                      "\"stepwatch\":%s,\"started\":%s,\"rank\":%" PRId64 ",\"world_size\":%" PRId64
                      "}}",
                      process->pid, process->pid, (int)strlen(us), us, process->name, process->host,
                      process->version, started, process->rank, process->world_size);
    event_end(t);
}

static void process_add(struct swi_timeline *t, struct swi_timeline_process *process)
{
    char labels[40];
    snprintf(labels, sizeof labels, "rank %" PRId64, process->rank);
    metadata_text(t, "process_name", process->pid, process->pid, "name", process->name);
    metadata_text(t, "process_labels", process->pid, process->pid, "labels", labels);
    event_begin(t);
    metadata_number(t, "process_sort_index", process->pid, process->pid, process->rank);
    event_end(t);
    run_event(t, process);
}

static void thread_add(struct swi_timeline *t, struct swi_track *track)
{
    char name[SWI_TRACK_NAME];
    int64_t pid = t->process[track->process]->pid;
    metadata_text(t, "thread_name", pid, track->tid, "name", swi_track_name(track, name));
    event_begin(t);
    metadata_number(t, "thread_sort_index", pid, track->tid,
                    track->is_loop ? 0 : 1 + track->thread);
    event_end(t);
    swi_track_json_prefix(t, track);
}

static void counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    event_begin(t);
    swi_escape_format(&t->out, swi_timeline_json,
                      "{\"ph\":\"C\",\"name\":%.*s,\"pid\":%" PRId64 ",\"tid\":%" PRId64
                      ",\"ts\":%.*s,\"args\":{\"value\":%g}}",
                      (int)t->names.item[name].json_size, t->names.item[name].json, process->pid,
                      process->pid, (int)strlen(us), us, value);
    event_end(t);
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    event_begin(t);
    swi_escape_format(&t->out, swi_timeline_json,
                      "{\"ph\":\"i\",\"name\":%s,\"cat\":\"mark\",\"s\":%s,\"pid\":%" PRId64
                      ",\"tid\":%" PRId64 ",\"ts\":%.*s",
                      *text ? text : "unnamed", track ? "t" : "p", process->pid,
                      track ? track->tid : process->pid, (int)strlen(us), us);
    if (key)
        swi_escape_format(&t->out, swi_timeline_json, ",\"args\":{%s:%.*s}", key,
                          (int)strlen(value), value);
    swi_text_put(&t->out, "}");
    event_end(t);
}

static void edge_head(struct swi_timeline *t, const char *head, uint32_t name)
{
    event_begin(t);
    swi_text_put(&t->out, head);
    swi_text_add(&t->out, t->names.item[name].json, t->names.item[name].json_size);
}

static void place_put(struct swi_timeline *t, const struct swi_track *track, int64_t time_ns)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    swi_text_format(&t->out, "%s%s", track->prefix.data ? track->prefix.data : "", us);
}

static void span(struct swi_timeline *t, const struct swi_span_edge *edge)
{
    edge_head(t, edge->begins ? "{\"ph\":\"b\",\"name\":" : "{\"ph\":\"e\",\"name\":", edge->name);
    swi_text_format(&t->out, ",\"cat\":\"span\",\"id2\":{\"local\":\"0x%" PRIx64 "\"}",
                    (uint64_t)edge->id);
    place_put(t, edge->track, edge->time_ns);
    swi_text_put(&t->out, edge->cut ? ",\"args\":{\"cut\":true}}" : "}");
    event_end(t);
}

/* Viewers look for the id of an arrow in all processes. */
static void flow_end(struct swi_timeline *t, const struct swi_flow *flow, bool begins)
{
    const struct swi_track *track = begins ? flow->from : flow->to;
    int64_t rank = t->process[track->process]->rank;
    edge_head(
        t, begins ? "{\"ph\":\"s\",\"name\":" : "{\"ph\":\"f\",\"bp\":\"e\",\"name\":", flow->name);
    swi_text_format(&t->out, ",\"cat\":\"flow\",\"id\":%" PRId64,
                    flow->id + ((rank & 0xfffff) << 40));
    place_put(t, track, begins ? flow->from_ns : flow->to_ns);
    swi_text_put(&t->out, "}");
    event_end(t);
}

static void flow(struct swi_timeline *t, const struct swi_flow *flow)
{
    flow_end(t, flow, true);
    flow_end(t, flow, false);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* By phase. Each is copied as a block. */
static const struct {
    char text[SWI_EVENT_BLOCK + 1];
    unsigned char size;
} categories[] = {{",\"cat\":\"fit\"", 12},    {",\"cat\":\"train\"", 14},
                  {",\"cat\":\"valid\"", 14},  {",\"cat\":\"threads\"", 16},
                  {",\"cat\":\"before\"", 15}, {",\"cat\":\"after\"", 14}};

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
    if (!is_object(t))
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
    event_begin(t);
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
    event_begin(t);
    if (interval->opened)
        end_write(t, track, interval);
    else
        complete_write(t, track, interval);
    if (together && !lasts && !interval[-1].opened && !interval->opened)
        held_add(t, track, from);
    else
        held_write(t, track);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The last event of an array repeats what is known, because it must not end with a comma. */
static void finish(struct swi_timeline *t)
{
    if (is_object(t)) {
        swi_text_put(&t->out, "\n]}\n");
        return;
    }
    if (t->process_count)
        metadata_number(t, "process_sort_index", t->process[0]->pid, t->process[0]->pid,
                        t->process[0]->rank);
    swi_text_put(&t->out, t->process_count ? "\n]\n" : "]\n");
}

/* What both forms of the file have. */
#define FUNCTIONS                                                                                  \
    .start = start, .process = process_add, .thread = thread_add, .begin = begin, .end = end,      \
    .counter = counter, .instant = instant, .open = open_write, .span = span, .flow = flow,        \
    .finish = finish

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
