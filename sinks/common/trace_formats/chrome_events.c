/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/chrome_events.h"

#include "core/text/exact_number.h"
#include "sinks/common/trace_formats/json_event.h"

void swi_chrome_start(struct swi_timeline *t)
{
    t->state = NULL;
    swi_text_put(&t->out, swi_chrome_is_object(t)
                              ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                              : "[\n");
}

/* ---- metadata -------------------------------------------------------------------------------- */

static void metadata_text(struct swi_timeline *t, const char *name, int64_t pid, int64_t tid,
                          const char *key, const char *text)
{
    swi_chrome_event_begin(t);
    swi_text_format(&t->out,
                    "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                    ",\"args\":{\"%s\":",
                    name, pid, tid, key);
    swi_timeline_json(&t->out, text, strlen(text));
    swi_text_put(&t->out, "}}");
    swi_chrome_event_end(t);
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
    struct swi_text *out = &t->out;
    swi_chrome_event_begin(t);
    swi_text_put(out, "{\"ph\":\"i\",\"name\":\"run\",\"cat\":\"run\",\"s\":\"p\"");
    swi_text_format(out, ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":", process->pid,
                    process->pid);
    char us[40];
    *swi_event_us(us, process->offset_ns + process->begin_ns) = '\0';
    swi_text_format(out, "%s,\"args\":{\"name\":", us);
    swi_timeline_json(out, process->name, strlen(process->name));
    swi_text_put(out, ",\"host\":");
    swi_timeline_json(out, process->host, strlen(process->host));
    swi_text_put(out, ",\"stepwatch\":");
    swi_timeline_json(out, process->version, strlen(process->version));
    swi_text_format(out,
                    ",\"started\":\"%" PRId64 ".%09" PRId64 "\",\"rank\":%" PRId64
                    ",\"world_size\":%" PRId64 "}}",
                    process->started_ns / 1000000000, process->started_ns % 1000000000,
                    process->rank, process->world_size);
    swi_chrome_event_end(t);
}

void swi_chrome_process(struct swi_timeline *t, struct swi_timeline_process *process)
{
    char labels[40];
    snprintf(labels, sizeof labels, "rank %" PRId64, process->rank);
    metadata_text(t, "process_name", process->pid, process->pid, "name", process->name);
    metadata_text(t, "process_labels", process->pid, process->pid, "labels", labels);
    swi_chrome_event_begin(t);
    metadata_number(t, "process_sort_index", process->pid, process->pid, process->rank);
    swi_chrome_event_end(t);
    run_event(t, process);
}

/* Makes the part of each event that is the same for the thread: from the process to the time. */
static void prefix_make(struct swi_timeline *t, struct swi_track *track)
{
    track->prefix.size = 0;
    swi_text_format(&track->prefix, ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":",
                    t->process[track->process]->pid, track->tid);
    t->failed |= track->prefix.failed;
}

void swi_chrome_thread(struct swi_timeline *t, struct swi_track *track)
{
    char name[32] = "loop";
    int64_t pid = t->process[track->process]->pid;
    if (!track->is_loop)
        snprintf(name, sizeof name, "thread %d", track->thread);
    metadata_text(t, "thread_name", pid, track->tid, "name", name);
    swi_chrome_event_begin(t);
    metadata_number(t, "thread_sort_index", pid, track->tid,
                    track->is_loop ? 0 : 1 + track->thread);
    swi_chrome_event_end(t);
    prefix_make(t, track);
}

void swi_chrome_counter(struct swi_timeline *t, struct swi_timeline_process *process,
                        int64_t time_ns, uint32_t name, double value)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    swi_chrome_event_begin(t);
    swi_text_put(&t->out, "{\"ph\":\"C\",\"name\":");
    swi_text_add(&t->out, t->names.item[name].json, t->names.item[name].json_size);
    swi_text_format(&t->out,
                    ",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%s,\"args\":{\"value\":",
                    process->pid, process->pid, us);
    swi_number_json(&t->out, value);
    swi_text_put(&t->out, "}}");
    swi_chrome_event_end(t);
}

static void instant_write(struct swi_timeline *t, const struct swi_timeline_process *process,
                          const struct swi_track *track, int64_t time_ns, const char *text,
                          const char *key, const char *value)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    swi_text_put(&t->out, "{\"ph\":\"i\",\"name\":");
    swi_timeline_json(&t->out, *text ? text : "unnamed", *text ? strlen(text) : 7);
    swi_text_format(
        &t->out, ",\"cat\":\"mark\",\"s\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"ts\":%s",
        track ? "t" : "p", process->pid, track ? track->tid : process->pid, us);
    if (key) {
        swi_text_put(&t->out, ",\"args\":{");
        swi_timeline_json(&t->out, key, strlen(key));
        swi_text_format(&t->out, ":%s}", value);
    }
    swi_text_put(&t->out, "}");
}

void swi_chrome_instant(struct swi_timeline *t, struct swi_timeline_process *process,
                        struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                        const char *value)
{
    swi_chrome_event_begin(t);
    instant_write(t, process, track, time_ns, text, key, value);
    swi_chrome_event_end(t);
}

static void edge_head(struct swi_timeline *t, const char *head, uint32_t name)
{
    swi_chrome_event_begin(t);
    swi_text_put(&t->out, head);
    swi_text_add(&t->out, t->names.item[name].json, t->names.item[name].json_size);
}

static void place_put(struct swi_timeline *t, const struct swi_track *track, int64_t time_ns)
{
    char us[40];
    *swi_event_us(us, time_ns) = '\0';
    swi_text_format(&t->out, "%s%s", track->prefix.data ? track->prefix.data : "", us);
}

void swi_chrome_span(struct swi_timeline *t, const struct swi_span_edge *edge)
{
    edge_head(t, edge->begins ? "{\"ph\":\"b\",\"name\":" : "{\"ph\":\"e\",\"name\":", edge->name);
    swi_text_format(&t->out, ",\"cat\":\"span\",\"id2\":{\"local\":\"0x%" PRIx64 "\"}",
                    (uint64_t)edge->id);
    place_put(t, edge->track, edge->time_ns);
    swi_text_put(&t->out, edge->cut ? ",\"args\":{\"cut\":true}}" : "}");
    swi_chrome_event_end(t);
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
    swi_chrome_event_end(t);
}

void swi_chrome_flow(struct swi_timeline *t, const struct swi_flow *flow)
{
    flow_end(t, flow, true);
    flow_end(t, flow, false);
}

/* The last event of an array repeats what is known, because it must not end with a comma. */
void swi_chrome_finish(struct swi_timeline *t)
{
    if (swi_chrome_is_object(t)) {
        swi_text_put(&t->out, "\n]}\n");
        return;
    }
    if (t->process_count)
        metadata_number(t, "process_sort_index", t->process[0]->pid, t->process[0]->pid,
                        t->process[0]->rank);
    swi_text_put(&t->out, t->process_count ? "\n]\n" : "]\n");
}
