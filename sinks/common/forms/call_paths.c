/* SPDX-License-Identifier: MIT */
/* Counts what the report counts: no batch that did not end, and not the first one of a phase if the
 * run drops it. */
#include "sinks/common/forms/call_paths.h"

#include "core/text/vec.h"

#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of paths ---------------------------------------------------------------------- */

static const char *name_of(struct swi_path_table *table, int action_id, const char *action)
{
    size_t id = (size_t)action_id;
    if (!swi_vec_reach(&table->name, id, &table->names, sizeof *table->name))
        return NULL;
    if (!table->name[id])
        table->name[id] = strdup(action);
    return table->name[id];
}

/* Returns the place of an action within a path, a new one if need be; NULL if out of memory. */
static struct swi_call_path *path_of(struct swi_path_table *table, size_t parent, int64_t action_id,
                                     ptrdiff_t shape)
{
    const int64_t key[3] = {(int64_t)parent, action_id, shape};
    struct swi_call_path *path =
        swi_map_item(&table->places, &table->path, sizeof *path, key, sizeof key);
    table->count = table->places.count;
    return path;
}

/* Returns the place of an action within a path, and adds it if it is new: then it began now. 0 if
 * out of memory. The table copies the name. */
static size_t path_find(struct swi_path_table *table, size_t parent, int action_id,
                        const char *action, const char *shape, int64_t now)
{
    if (action_id < 0)
        return 0;
    if (!table->count) {
        struct swi_call_path *root = path_of(table, 0, -1, -1);
        table->failed |= !root;
        if (!root)
            return 0;
        root->action_id = -1;
    }
    size_t before = table->count;
    const char *name = name_of(table, action_id, action);
    ptrdiff_t shaped = name ? swi_map_add(&table->shapes, shape, strlen(shape)) : -1;
    struct swi_call_path *path = shaped >= 0 ? path_of(table, parent, action_id, shaped) : NULL;
    table->failed |= !path;
    if (path && table->count > before)
        *path = (struct swi_call_path){.parent = parent,
                                       .action_id = action_id,
                                       .action = name,
                                       .shape = shaped,
                                       .first_ns = now};
    else if (path && now < path->first_ns) /* on a thread whose regions came later */
        path->first_ns = now;
    return path ? (size_t)(path - table->path) : 0;
}

static void table_fini(struct swi_path_table *table)
{
    for (size_t i = 0; i < table->names; i++)
        free(table->name[i]);
    free(table->name);
    free(table->path);
    swi_map_free(&table->places);
    swi_map_free(&table->shapes);
    *table = (struct swi_path_table){0};
}

/* Sums of a thread's counters, or of a region. */
struct path_uses {
    int64_t net, flops;
};

/* An open region. What is inside are the regions that ended in it. */
struct open_call {
    size_t path;
    int64_t begin_ns, inside_ns;
    struct path_uses begin, inside;
};

struct swi_open_thread {
    struct open_call *open;
    size_t depth, room;
    struct path_uses uses;
};

struct swi_ended_call {
    size_t path;
    struct swi_path_sums sums;
};

/* ---- what has ended -------------------------------------------------------------------------- */

void swi_path_sums_add(struct swi_path_sums *to, const struct swi_path_sums *from)
{
    to->calls += from->calls;
    to->total_ns += from->total_ns;
    to->self_ns += from->self_ns;
    to->net += from->net;
    to->self_net += from->self_net;
    to->flops += from->flops;
}

static void ended_count(struct swi_call_paths *paths, const struct swi_ended_call *ended)
{
    swi_path_sums_add(&paths->table.path[ended->path].report, &ended->sums);
}

static void ended_keep(struct swi_call_paths *paths, const struct swi_ended_call *ended)
{
    bool fits =
        swi_vec_grow(&paths->ended, paths->ended_count, &paths->ended_room, sizeof *paths->ended);
    paths->table.failed |= !fits;
    if (fits)
        paths->ended[paths->ended_count++] = *ended;
}

static int action_of(const struct swi_call_paths *paths, size_t path)
{
    return paths->table.path[path].action_id;
}

/* The region around the batch or the draw in which a region is. */
static size_t around_batch(const struct swi_call_paths *paths, size_t path)
{
    size_t around = paths->table.path[path].parent;
    for (size_t at = path; at; at = paths->table.path[at].parent)
        if (action_of(paths, at) == SW_BATCH || action_of(paths, at) == SW_DRAW)
            around = paths->table.path[at].parent;
    return around;
}

/* What does not count is the own time of the region around it, which took this time. */
static void ended_leave_out(struct swi_call_paths *paths, const struct swi_ended_call *ended)
{
    size_t around = around_batch(paths, ended->path);
    paths->table.path[around].report.self_ns += ended->sums.self_ns;
}

static void batch_clear(struct swi_call_paths *paths)
{
    paths->ended_count = 0;
    paths->in_batch = false;
}

/* Of draws that no batch followed, what ended in them counts. */
static void batch_forget(struct swi_call_paths *paths)
{
    size_t drawn = paths->in_batch ? paths->batch_first : paths->ended_count;
    for (size_t i = 0; i < paths->ended_count; i++) {
        const struct swi_ended_call *ended = &paths->ended[i];
        if (i < drawn && action_of(paths, ended->path) != SW_DRAW)
            ended_count(paths, ended);
        else
            ended_leave_out(paths, ended);
    }
    batch_clear(paths);
}

static void part_add(struct swi_path_sums *step, const struct swi_path_sums *part)
{
    step->total_ns += part->total_ns;
    step->net += part->net;
}

/* A step consists of the draws before a batch, and of the batch, which ended last. */
static void step_count(struct swi_call_paths *paths)
{
    size_t last = paths->ended_count - 1;
    const struct swi_call_path *of = &paths->table.path[paths->ended[last].path];
    struct swi_ended_call step = {
        path_find(&paths->table, of->parent, SW_STEP, "step", "[]", of->first_ns), {0}};
    for (size_t i = 0; i < paths->batch_first; i++)
        if (action_of(paths, paths->ended[i].path) == SW_DRAW)
            part_add(&step.sums, &paths->ended[i].sums);
    part_add(&step.sums, &paths->ended[last].sums);
    step.sums.calls = 1;
    ended_count(paths, &step);
}

static void batch_count(struct swi_call_paths *paths, const struct sw_run *run,
                        const struct sw_region *region)
{
    bool drop = run->drop_first_batch && !paths->windowed && !paths->batches[region->phase]++;
    if (!drop && region->event == SW_REGION_END && paths->ended_count)
        step_count(paths);
    for (size_t i = 0; i < paths->ended_count; i++)
        (drop ? ended_leave_out : ended_count)(paths, &paths->ended[i]);
    batch_clear(paths);
}

/* ---- regions --------------------------------------------------------------------------------- */

static bool is_of_loop(const struct sw_region *region)
{
    return region->phase != SW_PHASE_THREADS;
}

static struct swi_open_thread *thread_of(struct swi_call_paths *paths, int number)
{
    size_t at = (size_t)number;
    if (number < 0)
        return NULL;
    bool fits = swi_vec_reach(&paths->thread, at, &paths->threads, sizeof *paths->thread);
    paths->table.failed |= !fits;
    return fits ? &paths->thread[at] : NULL;
}

static bool is_of(const struct sw_counter_use *use, const char *name)
{
    return use->value != SW_COUNTER_NONE && strcmp(use->counter->name, name) == 0;
}

/* Bytes of tensors, if the program counts them, else of all that was allocated. */
static void uses_add(struct swi_open_thread *thread, const struct sw_region *region)
{
    int64_t net = 0, tensors = 0;
    bool has_tensors = false;
    for (size_t i = 0; i < region->use_count; i++) {
        const struct sw_counter_use *use = sw_region_use(region, i);
        has_tensors |= strncmp(use->counter->name, "tensor_", 7) == 0;
        net += is_of(use, "net") ? use->value : 0;
        tensors += is_of(use, "tensor_allocated") ? use->value : 0;
        tensors -= is_of(use, "tensor_freed") ? use->value : 0;
        thread->uses.flops += is_of(use, "flops") ? use->value : 0;
    }
    thread->uses.net += has_tensors ? tensors : net;
}

/* Of a region that does not count, what ended inside is inside of the one around it. */
static void drop(struct swi_open_thread *thread)
{
    const struct open_call *top = &thread->open[--thread->depth];
    if (!thread->depth)
        return;
    struct open_call *around = &thread->open[thread->depth - 1];
    around->inside_ns += top->inside_ns;
    around->inside.net += top->inside.net;
    around->inside.flops += top->inside.flops;
}

/* Removes what is open inside of the innermost region of an action. Returns false if there is none.
 */
static bool unwind_to(const struct swi_call_paths *paths, struct swi_open_thread *thread,
                      int action)
{
    size_t depth = thread->depth;
    while (depth && paths->table.path[thread->open[depth - 1].path].action_id != action)
        depth--;
    while (depth && thread->depth > depth)
        drop(thread);
    return depth > 0;
}

static bool is_container(int action)
{
    return action >= SW_FIT && action <= SW_VALID;
}

static void begin(struct swi_call_paths *paths, struct swi_open_thread *thread,
                  const struct sw_region *region, const char *shape)
{
    /* Only if its end was lost is one of these open when it begins. */
    if (region->action_id <= SW_BATCH && unwind_to(paths, thread, region->action_id))
        drop(thread);
    bool fits = swi_vec_grow(&thread->open, thread->depth, &thread->room, sizeof *thread->open);
    paths->table.failed |= !fits;
    size_t around = thread->depth ? thread->open[thread->depth - 1].path : 0;
    size_t path = fits ? path_find(&paths->table, around, region->action_id, region->action,
                                   swi_shape_text(shape), region->time_ns)
                       : 0;
    if (!path)
        return;
    thread->open[thread->depth++] =
        (struct open_call){.path = path, .begin_ns = region->time_ns, .begin = thread->uses};
    if (!is_of_loop(region) || region->action_id != SW_BATCH)
        return;
    paths->in_batch = true;
    paths->batch_first = paths->ended_count;
}

static struct swi_ended_call end(struct swi_open_thread *thread, int64_t now)
{
    const struct open_call *top = &thread->open[--thread->depth];
    int64_t took = now - top->begin_ns;
    struct path_uses used = {thread->uses.net - top->begin.net,
                             thread->uses.flops - top->begin.flops};
    if (thread->depth) {
        struct open_call *around = &thread->open[thread->depth - 1];
        around->inside_ns += took;
        around->inside.net += used.net;
        around->inside.flops += used.flops;
    }
    return (struct swi_ended_call){top->path,
                                   {.calls = 1,
                                    .total_ns = took,
                                    .self_ns = took - top->inside_ns,
                                    .net = used.net,
                                    .self_net = used.net - top->inside.net,
                                    .flops = used.flops - top->inside.flops}};
}

/* Draws and what is in them belong to the batch that follows. */
static bool is_of_batch(const struct swi_call_paths *paths, const struct sw_region *region,
                        size_t path)
{
    while (path && action_of(paths, path) != SW_DRAW)
        path = paths->table.path[path].parent;
    return is_of_loop(region) && (paths->in_batch || path);
}

static void left(struct swi_call_paths *paths, const struct sw_run *run,
                 const struct sw_region *region)
{
    if (!is_of_loop(region))
        return;
    if (region->action_id == SW_BATCH && region->event != SW_REGION_DISCARD)
        batch_count(paths, run, region);
    else if (region->action_id == SW_BATCH || is_container(region->action_id))
        batch_forget(paths);
}

static void region_close(struct swi_call_paths *paths, struct swi_open_thread *thread,
                         const struct sw_run *run, const struct sw_region *region)
{
    if (!unwind_to(paths, thread, region->action_id))
        return;
    if (region->event == SW_REGION_END) {
        struct swi_ended_call ended = end(thread, region->time_ns);
        if (is_of_batch(paths, region, ended.path))
            ended_keep(paths, &ended);
        else
            ended_count(paths, &ended);
    } else {
        drop(thread);
    }
    left(paths, run, region);
}

static void region_take(struct swi_call_paths *paths, const struct sw_run *run,
                        const struct sw_region *region, size_t size)
{
    struct swi_open_thread *thread = thread_of(paths, region->thread);
    if (!thread)
        return;
    if (SW_HAS(size, region, use))
        uses_add(thread, region);
    if (region->event == SW_REGION_BEGIN)
        begin(paths, thread, region, SW_HAS(size, region, shape) ? region->shape : "");
    else
        region_close(paths, thread, run, region);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The regions around continue after a pause as if it took no time. */
static void pause_take(struct swi_call_paths *paths, const struct sw_record *record)
{
    struct swi_open_thread *thread = thread_of(paths, record->pause->thread);
    if (record->pause->paused)
        paths->paused_ns = record->time_ns;
    for (size_t i = 0; thread && !record->pause->paused && i < thread->depth; i++)
        thread->open[i].begin_ns += record->time_ns - paths->paused_ns;
}

/* What is open when a window begins has a begin there. */
static void window_take(struct swi_call_paths *paths, const struct sw_window *window)
{
    paths->windowed = window->reason != SW_WINDOW_RUN;
    for (size_t i = 0; i < paths->threads; i++)
        paths->thread[i].depth = 0;
    batch_forget(paths);
}

/* An end may be among what was lost. What is open now is in containers, which say it when they
 * begin again. */
static void lost_take(struct swi_call_paths *paths, int64_t lost)
{
    paths->lost += lost;
    for (size_t i = 0; lost && i < paths->threads; i++) {
        struct swi_open_thread *thread = &paths->thread[i];
        size_t kept = 0;
        while (kept < thread->depth &&
               is_container(paths->table.path[thread->open[kept].path].action_id))
            kept++;
        while (thread->depth > kept)
            drop(thread);
    }
    if (lost)
        batch_forget(paths);
}

void swi_call_paths_take(struct swi_call_paths *paths, const struct sw_run *run,
                         const struct sw_record *record)
{
    if (record->type == SW_RECORD_PAUSE)
        pause_take(paths, record);
    if (record->type == SW_RECORD_WINDOW)
        window_take(paths, record->window);
    if (record->type == SW_RECORD_LOST)
        lost_take(paths, record->lost->regions);
    for (size_t i = 0; record->type == SW_RECORD_REGIONS && i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        region_take(paths, run, region, record->regions.stride);
    }
}

void swi_call_paths_reported(struct swi_call_paths *paths, struct sw_sink *sink,
                             const struct sw_report *report)
{
    if (paths->lost)
        sw_sink_say(sink, SW_WARNING,
                    "%" PRId64 " begins and ends came too fast and were lost: the rows by stack "
                    "lack their calls; with a schedule, only some steps are recorded",
                    paths->lost);
    paths->lost = 0;
    for (size_t i = 0; i < paths->table.count; i++) {
        struct swi_call_path *path = &paths->table.path[i];
        path->before = path->report;
        path->report = (struct swi_path_sums){0};
        if (report->amended)
            path->before = path->report;
    }
    memset(paths->batches, 0, sizeof paths->batches);
}

void swi_call_paths_fini(struct swi_call_paths *paths)
{
    for (size_t i = 0; i < paths->threads; i++)
        free(paths->thread[i].open);
    free(paths->thread);
    free(paths->ended);
    table_fini(&paths->table);
    *paths = (struct swi_call_paths){0};
}
