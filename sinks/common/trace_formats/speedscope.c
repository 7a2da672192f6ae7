/* SPDX-License-Identifier: MIT */
/* speedscope.c - the evented format of https://www.speedscope.app: a profile for each thread. */
#include "sinks/common/trace_formats/timeline_state.h"

#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/tracks.h"

static void event_add(struct swi_timeline *t, struct swi_track *track, char type, uint32_t name,
                      int64_t time_ns)
{
    struct swi_text *text = &track->spool.text;
    bool first = swi_spool_size(&track->spool) == 0;
    char *at = swi_event_room(text, 96);
    if (!at) {
        t->failed = true;
        return;
    }
    if (!first)
        *at++ = ',';
    at = SWI_EVENT_PUT(at, "{\"type\":\"");
    *at++ = type;
    at = SWI_EVENT_PUT(at, "\",\"frame\":");
    at = swi_digits_put(at, name);
    at = SWI_EVENT_PUT(at, ",\"at\":");
    at = swi_digits_put(at, (uint64_t)(time_ns < 0 ? 0 : time_ns));
    *at++ = '}';
    swi_event_done(text, at);
    swi_spool_spill(&track->spool);
    t->failed |= track->spool.failed;
}

static void begin(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    event_add(t, track, 'O', interval->name, interval->begin_ns);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    event_add(t, track, 'C', interval->name, interval->end_ns);
}

static void name_add(struct swi_timeline *t, const struct swi_track *track)
{
    char name[SWI_TRACK_NAME], whole[96];
    swi_track_name(track, name);
    snprintf(whole, sizeof whole, "rank %" PRId64 " %s", t->process[track->process]->rank, name);
    swi_timeline_json(&t->out, t->process_count > 1 ? whole : name);
}

static void profile_add(struct swi_timeline *t, struct swi_track *track)
{
    swi_text_put(&t->out, "{\"type\":\"evented\",\"name\":");
    name_add(t, track);
    swi_text_format(
        &t->out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%" PRId64 ",\"events\":[",
        t->end_ns);
    if (!swi_spool_read(&track->spool, swi_timeline_take, t))
        t->failed = true;
    swi_text_put(&t->out, "]}");
}

static void finish(struct swi_timeline *t)
{
    const char *name = t->process_count ? t->process[0]->name : "";
    swi_text_put(&t->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                          "\"exporter\":\"stepwatch\",\"name\":");
    swi_timeline_json(&t->out, name);
    swi_text_put(&t->out, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
    for (size_t i = 0; i < t->names.keys.count; i++) {
        swi_text_put(&t->out, i ? ",{\"name\":" : "{\"name\":");
        swi_text_add(&t->out, t->names.item[i].json, t->names.item[i].json_size);
        swi_text_put(&t->out, "}");
    }
    swi_text_put(&t->out, "]},\"profiles\":[");
    for (size_t i = 0; i < t->track_count; i++) {
        swi_text_put(&t->out, i ? "," : "");
        profile_add(t, t->track[i]);
    }
    swi_text_put(&t->out, "]}\n");
}

const struct swi_timeline_format swi_timeline_speedscope = {
    .name = "speedscope",
    .extension = ".speedscope.json",
    .whole = true,
    .begin = begin,
    .end = end,
    .finish = finish,
};
