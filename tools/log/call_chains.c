/* SPDX-License-Identifier: MIT */
/* call_chains.c - torch.autograd.profiler_util: an event whose parent has the same name and just
 * this one child is removed, and its children move up, repeatedly. */
#include "tools/log/run_replay.h"

#include "core/text/vec.h"
#include "tools/log/log_lines.h"

#include <stdlib.h>
#include <string.h>

/* A call, and the only one that ended inside of it. */
struct call {
    char *name;
    long begin; /* its line */
    size_t children;
    long child_begin, child_end;
    bool same; /* that has the same name */
};

struct thread_calls {
    int thread;
    size_t count, room;
    struct call *open;
};

struct finding {
    struct call_chains *chains;
    struct thread_calls *thread;
    size_t threads;
    bool failed;
};

static bool line_mark(struct call_chains *chains, long line)
{
    size_t byte = (size_t)line / 8;
    if (!swi_vec_reach(&chains->skipped, byte, &chains->room, 1))
        return false;
    chains->skipped[byte] |= (unsigned char)(1u << line % 8);
    return true;
}

static struct thread_calls *calls_of(struct finding *f, int thread)
{
    for (size_t i = 0; i < f->threads; i++)
        if (f->thread[i].thread == thread)
            return &f->thread[i];
    bool fits = swi_vec_room(&f->thread, f->threads, sizeof *f->thread);
    f->failed |= !fits;
    if (!fits)
        return NULL;
    f->thread[f->threads] = (struct thread_calls){.thread = thread};
    return &f->thread[f->threads++];
}

static void call_begin(struct finding *f, struct thread_calls *calls, const char *name, long line)
{
    bool fits = swi_vec_grow(&calls->open, calls->count, &calls->room, sizeof *calls->open);
    char *copy = fits ? strdup(name) : NULL;
    f->failed |= !copy;
    if (copy)
        calls->open[calls->count++] = (struct call){.name = copy, .begin = line};
}

/* What a call that does not count had inside is inside of the one around it. */
static void call_discard(struct thread_calls *calls)
{
    struct call *call = &calls->open[--calls->count];
    if (calls->count) {
        struct call *around = call - 1;
        around->same = false;
        around->children += call->children;
    }
    free(call->name);
}

static void call_end(struct finding *f, struct thread_calls *calls, long line)
{
    struct call *call = &calls->open[--calls->count];
    if (call->children == 1 && call->same)
        f->failed |=
            !line_mark(f->chains, call->child_begin) || !line_mark(f->chains, call->child_end);
    if (calls->count) {
        struct call *around = call - 1;
        around->children++;
        around->same = strcmp(around->name, call->name) == 0;
        around->child_begin = call->begin;
        around->child_end = line;
    }
    free(call->name);
}

static void line_take(struct finding *f, const struct log_value *line, long number)
{
    const char *action = log_string(line, "action", "");
    bool begins = log_is_type(line, LINE_BEGIN), ends = log_is_type(line, LINE_END);
    if (!begins && !ends && !log_is_type(line, LINE_CANCEL))
        return;
    struct thread_calls *calls = calls_of(f, log_thread_of(line));
    if (!calls)
        return;
    if (begins) {
        call_begin(f, calls, action, number);
        return;
    }
    bool open = false;
    for (size_t i = 0; i < calls->count; i++)
        open = open || strcmp(calls->open[i].name, action) == 0;
    while (open && strcmp(calls->open[calls->count - 1].name, action) != 0)
        call_discard(calls);
    if (open && ends)
        call_end(f, calls, number);
    else if (open)
        call_discard(calls);
}

static void all_take(struct finding *f, struct log *log)
{
    const struct log_value *line;
    int rc;
    while (!f->failed) {
        SW_ERROR_SCOPE(ignored);
        rc = log_next(log, &line, &ignored);
        if (rc == 0 || rc == SW_EIO)
            return;
        if (rc > 0)
            line_take(f, line, log->number);
    }
}

bool call_chains_find(struct call_chains *chains, const char *path)
{
    struct finding f = {.chains = chains};
    struct log log;
    SW_ERROR_SCOPE(ignored);
    if (log_is_read_once(path) || log_open(&log, path, &ignored) < 0)
        return true;
    all_take(&f, &log);
    log_close(&log);
    for (size_t i = 0; i < f.threads; i++) {
        while (f.thread[i].count)
            free(f.thread[i].open[--f.thread[i].count].name);
        free(f.thread[i].open);
    }
    free(f.thread);
    return !f.failed;
}

bool call_chains_skip(const struct call_chains *chains, long line)
{
    size_t byte = (size_t)line / 8;
    return byte < chains->room && chains->skipped[byte] >> line % 8 & 1;
}
