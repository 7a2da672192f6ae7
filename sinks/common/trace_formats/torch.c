/* SPDX-License-Identifier: MIT */
/* torch.c - the trace format of torch.profiler, for its TensorBoard plugin and
 * HolisticTraceAnalysis. Draws get the name of the data loader, and opt_step and zero_grad those of
 * the optimizer. */
#include "core/text/escape.h"
#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/tracks.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <stdlib.h>

struct torch {
    int64_t events;
};

static void start(struct swi_timeline *t)
{
    t->state = calloc(1, sizeof(struct torch));
    t->failed |= !t->state;
}

static void comma(struct swi_timeline *t)
{
    struct torch *torch = t->state;
    swi_text_put(&t->out, torch && torch->events++ ? ",\n" : "");
}

static void metadata(struct swi_timeline *t, const char *name, int64_t pid, int64_t tid,
                     const char *key, const char *text)
{
    comma(t);
    swi_escape_format(&t->out, swi_timeline_json,
                      "{\"ph\":\"M\",\"name\":%s,\"pid\":%" PRId64 ",\"tid\":%" PRId64
                      ",\"ts\":0.000,\"args\":{%s:%s}}",
                      name, pid, tid, key, text);
}

static void head(struct swi_timeline *t, const struct swi_timeline_process *process)
{
    swi_text_format(&t->out,
                    "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [],\n"
                    "\"distributedInfo\": {\"backend\": \"gloo\", \"rank\": %" PRId64
                    ", \"world_size\": %" PRId64 "},\n\"displayTimeUnit\": \"ms\",\n"
                    "\"baseTimeNanoseconds\": %" PRId64 ",\n\"traceEvents\": [\n",
                    process->rank, process->world_size > 0 ? process->world_size : 1,
                    process->started_ns);
}

static void process_add(struct swi_timeline *t, struct swi_timeline_process *process)
{
    head(t, process);
    metadata(t, "process_name", process->pid, 0, "name", process->name);
    metadata(t, "process_labels", process->pid, 0, "labels", "CPU");
    comma(t);
    swi_text_format(&t->out,
                    "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%" PRId64
                    ",\"tid\":0,\"ts\":0.000,\"args\":{\"sort_index\":%" PRId64 "}}",
                    process->pid, process->pid);
}

static void thread_add(struct swi_timeline *t, struct swi_track *track)
{
    char name[SWI_TRACK_NAME];
    metadata(t, "thread_name", track->of->pid, track->tid, "name", swi_track_name(track, name));
    swi_track_json_prefix(t, track);
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Returns torch's name as JSON; NULL if the region keeps its own. */
static const char *word_of(enum swi_kind kind)
{
    switch (kind) {
    case SWI_KIND_DRAW:
        return "\"enumerate(DataLoader)#loader.__next__\"";
    case SWI_KIND_OPT_STEP:
        return "\"Optimizer.step#opt.step\"";
    case SWI_KIND_ZERO_GRAD:
        return "\"Optimizer.zero_grad#opt.zero_grad\"";
    default:
        return NULL;
    }
}

static bool is_annotation(enum swi_kind kind)
{
    return (kind >= SWI_KIND_FIT && kind <= SWI_KIND_VALID) || kind == SWI_KIND_BATCH;
}

/* Viewers add begin and duration as doubles, and if the sum is rounded up, one slice reaches into
 * the next. A tenth of a nanosecond less is the same duration after rounding. */
static char *duration_put(char *at, int64_t begin_ns, int64_t end_ns)
{
    int64_t ns = end_ns - begin_ns;
    if ((double)begin_ns / 1e3 + (double)ns / 1e3 <= (double)end_ns / 1e3)
        return swi_event_us(at, ns);
    at = swi_event_us(at, ns - 1);
    *at++ = '9';
    return at;
}

static void event(struct swi_timeline *t, const struct swi_track *track, bool annotation,
                  const char *name, size_t size, int64_t begin_ns, int64_t end_ns, const char *more)
{
    struct torch *torch = t->state;
    comma(t);
    char *at = swi_event_room(&t->out, 320 + size + track->prefix.size + strlen(more));
    if (!at || !torch)
        return;
    at = annotation ? SWI_EVENT_PUT(at, "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":")
                    : SWI_EVENT_PUT(at, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":");
    at = swi_event_put(at, name, size);
    at = swi_event_put(at, track->prefix.data, track->prefix.size);
    at = swi_event_us(at, begin_ns);
    at = SWI_EVENT_PUT(at, ",\"dur\":");
    at = duration_put(at, begin_ns, end_ns);
    at = SWI_EVENT_PUT(at, ",\"args\":{\"External id\":");
    at = swi_digits_put(at, (uint64_t)torch->events);
    at = SWI_EVENT_PUT(at, ",\"Ev Idx\":");
    at = swi_digits_put(at, (uint64_t)torch->events - 1);
    at = swi_event_put(at, more, strlen(more));
    at = SWI_EVENT_PUT(at, "}}");
    swi_event_done(&t->out, at);
}

static void uses_add(struct swi_text *more, const struct swi_timeline *t,
                     const struct swi_interval *interval)
{
    char *at = swi_event_room(more, swi_region_uses_size(t, interval) + 2);
    if (!at)
        return;
    *at++ = ',';
    at = swi_region_uses_put(t, at, interval);
    swi_event_done(more, at - 1);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    const struct swi_timeline_name *name = &t->names.item[interval->name];
    const char *word = word_of(interval->kind);
    struct swi_text more = {0};
    size_t size;
    const char *shape = swi_timeline_shape_json(t, interval, &size);
    if (shape) {
        swi_text_put(&more, ",\"Input Dims\":");
        swi_text_add(&more, shape, size);
    }
    if (interval->uses)
        uses_add(&more, t, interval);
    if (interval->cancelled || interval->cut)
        swi_text_put(&more, interval->cancelled ? ",\"cancelled\":true" : ",\"cut\":true");
    event(t, track, is_annotation(interval->kind), word ? word : name->json,
          word ? strlen(word) : name->json_size, interval->begin_ns, interval->end_ns,
          more.data ? more.data : "");
    t->failed |= more.failed;
    swi_text_free(&more);
}

static void step(struct swi_timeline *t, struct swi_track *track,
                 const struct swi_timeline_step *step)
{
    char name[48];
    if (step->phase != SW_PHASE_TRAIN)
        return;
    int size = snprintf(name, sizeof name, "\"ProfilerStep#%" PRId64 "\"", step->number);
    event(t, track, true, name, (size_t)size, step->begin_ns, step->end_ns, "");
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    comma(t);
    swi_escape_format(
        &t->out, swi_timeline_json,
        "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":%s,\"s\":%s,\"pid\":%" PRId64
        ",\"tid\":%" PRId64 ",\"ts\":%.*s",
        *text ? text : "unnamed", track ? "t" : "p", process->pid,
        track ? track->tid : process->pid, (int)strlen(us), us);
    if (key)
        swi_escape_format(&t->out, swi_timeline_json, ",\"args\":{%s:%.*s}", key,
                          (int)strlen(value), value);
    swi_text_put(&t->out, "}");
}

static void finish(struct swi_timeline *t)
{
    static const struct swi_timeline_process none = {.name = "", .host = ""};
    const struct swi_timeline_process *process = t->process_count ? t->process[0] : &none;
    struct swi_text name = {0};
    if (!t->process_count)
        head(t, &none);
    swi_text_format(&name, "%s_%" PRId64 ".%" PRId64 ".pt.trace.json", process->host, process->pid,
                    process->started_ns);
    swi_escape_format(&t->out, swi_timeline_json, "\n],\n\"traceName\": %s}\n",
                      name.data ? name.data : "");
    swi_text_free(&name);
}

static void torch_free(struct swi_timeline *t)
{
    free(t->state);
    t->state = NULL;
}

const struct swi_timeline_format swi_timeline_torch = {
    .name = "torch",
    .extension = ".pt.trace.json",
    .whole = true,
    .one_process = true,
    .start = start,
    .process = process_add,
    .thread = thread_add,
    .end = end,
    .step = step,
    .instant = instant,
    .finish = finish,
    .free = torch_free,
};
