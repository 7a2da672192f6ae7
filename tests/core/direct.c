/* SPDX-License-Identifier: MIT */
#include "tests/core/direct.h"

#include <stdlib.h>
#include <string.h>

void direct_init(struct direct *direct, bool loop, int own, int64_t now)
{
    *direct = (struct direct){.loop = loop,
                              .own = own,
                              .phase = loop ? SW_PHASE_FIT : SW_PHASE_THREADS,
                              .running = loop ? SW_PHASE_FIT : SW_PHASE_THREADS};
    direct->open[0].action = -1;
    if (loop)
        direct_begin(direct, SW_FIT, now);
}

void direct_free(struct direct *direct)
{
    free(direct->ended);
}

static bool is_container(int action)
{
    return action >= SW_FIT && action <= SW_VALID;
}

static bool is_special(int action)
{
    return is_container(action) || action == SW_STEP || action == SW_BATCH;
}

static int depth_of(const struct direct *direct, int action)
{
    int depth = direct->depth;
    while (depth > 0 && direct->open[depth].action != action)
        depth--;
    return depth;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void use_add(struct direct_use *sum, struct direct_use more)
{
    sum->ns += more.ns;
    sum->counted += more.counted;
}

static struct direct_use use_between(struct direct_use from, struct direct_use to)
{
    return (struct direct_use){to.ns - from.ns, to.counted - from.counted};
}

static struct direct_sum *sum_of(struct direct *direct, int phase, int action)
{
    int index = action < SW_BUILTIN_ACTIONS ? action : SW_BUILTIN_ACTIONS + action - direct->own;
    return &direct->sum[phase][index];
}

/* The time of a call within a call of the same row is in that one's. */
static void sum_add(struct direct *direct, const struct direct_ended *ended)
{
    struct direct_sum *sum = sum_of(direct, ended->phase, ended->action);
    sum->calls++;
    if (!ended->inner)
        use_add(&sum->total, ended->total);
    use_add(&sum->self, ended->self);
}

static void wait_add(struct direct *direct, const struct direct_ended *ended)
{
    if (direct->ended_count == direct->ended_room) {
        direct->ended_room = direct->ended_room ? 2 * direct->ended_room : 64;
        direct->ended = realloc(direct->ended, (size_t)direct->ended_room * sizeof *direct->ended);
        if (!direct->ended)
            abort();
    }
    direct->ended[direct->ended_count++] = *ended;
}

/* Adds what waits, from `from` on, to its rows; `kept` says which go on waiting and which are
 * discarded. */
enum fate { COUNTED, KEPT, LOST };

static void wait_end(struct direct *direct, int from,
                     enum fate (*fate_of)(const struct direct *, int, int), int arg)
{
    int kept = from;
    for (int i = from; i < direct->ended_count; i++) {
        enum fate fate = fate_of(direct, i, arg);
        if (fate == KEPT)
            direct->ended[kept++] = direct->ended[i];
        else if (fate == COUNTED)
            sum_add(direct, &direct->ended[i]);
        else
            direct->discarded++;
    }
    direct->ended_count = kept;
}

static enum fate all_count(const struct direct *direct, int i, int arg)
{
    (void)direct, (void)i, (void)arg;
    return COUNTED;
}

/* What has ended in a draw does not wait for a batch if the draw is left out. */
static enum fate of_lost_draw(const struct direct *direct, int i, int since)
{
    const struct direct_ended *ended = &direct->ended[i];
    return ended->number < since || ended->action == SW_DRAW ? KEPT : COUNTED;
}

/* What has ended in a batch is lost with it, and so are its draws. */
static enum fate of_lost_batch(const struct direct *direct, int i, int since)
{
    const struct direct_ended *ended = &direct->ended[i];
    return ended->number >= since || ended->action == SW_DRAW ? LOST : COUNTED;
}

static enum fate of_container(const struct direct *direct, int i, int action)
{
    const struct direct_ended *ended = &direct->ended[i];
    if ((action == SW_TRAIN && ended->phase != SW_PHASE_TRAIN) ||
        (action == SW_VALID && ended->phase != SW_PHASE_VALID))
        return KEPT;
    return ended->action == SW_DRAW ? LOST : COUNTED;
}

static void batch_over(struct direct *direct)
{
    direct->step_from = 0;
    direct->batch = false;
}

/* A batch takes the draws of its own phase; others are put first. */
static void wait_sort(struct direct *direct)
{
    int others = 0;
    for (int i = 0; i < direct->ended_count; i++) {
        struct direct_ended ended = direct->ended[i];
        if (ended.phase == direct->phase)
            continue;
        memmove(&direct->ended[others + 1], &direct->ended[others],
                (size_t)(i - others) * sizeof ended);
        direct->ended[others++] = ended;
    }
    direct->step_from = others;
}

/* ---- leaving --------------------------------------------------------------------------------- */

static void phase_restore(struct direct *direct)
{
    int phase = SW_PHASE_FIT;
    for (int i = direct->depth; i > 0 && phase == SW_PHASE_FIT; i--)
        phase = direct->open[i].action == SW_TRAIN   ? SW_PHASE_TRAIN
                : direct->open[i].action == SW_VALID ? SW_PHASE_VALID
                                                     : SW_PHASE_FIT;
    direct->phase = direct->running = phase;
}

static void draw_left(struct direct *direct)
{
    direct->drawing--;
    if (direct->loop && !direct->batch)
        direct->phase = direct->running;
}

static void drop(struct direct *direct)
{
    const struct direct_open open = direct->open[direct->depth--];
    use_add(&direct->open[direct->depth].inside, open.inside);
    if (open.action != SW_DRAW)
        return;
    if (!direct->batch)
        wait_end(direct, 0, of_lost_draw, open.since);
    draw_left(direct);
}

static void discard_above(struct direct *direct, int depth)
{
    while (direct->depth > depth) {
        const struct direct_open open = direct->open[direct->depth];
        if (direct->loop && open.action == SW_BATCH) {
            wait_end(direct, direct->step_from, of_lost_batch, open.since);
            batch_over(direct);
        }
        drop(direct);
        direct->discarded++;
        if (direct->loop && is_container(open.action))
            wait_end(direct, 0, of_container, open.action);
        if (direct->loop && is_special(open.action))
            phase_restore(direct);
    }
}

/* ---- begin ----------------------------------------------------------------------------------- */

static void leave_out(struct direct *direct, int action)
{
    direct->misuses++;
    discard_above(direct, depth_of(direct, action) - 1);
}

static int phase_of(const struct direct *direct, int action)
{
    if (!direct->loop)
        return SW_PHASE_THREADS;
    if (is_container(action))
        return SW_PHASE_FIT;
    bool trains = direct->phase == SW_PHASE_FIT && (action == SW_DRAW || action == SW_BATCH);
    return trains ? SW_PHASE_TRAIN : direct->phase;
}

static bool is_inner(const struct direct *direct, int action, int phase)
{
    for (int i = direct->depth; i > 0 && action >= SW_BUILTIN_ACTIONS; i--)
        if (direct->open[i].action == action && direct->open[i].phase == phase)
            return true;
    return false;
}

static void began(struct direct *direct, int action)
{
    if (action == SW_DRAW)
        direct->drawing++;
    if (!direct->loop)
        return;
    if (action == SW_TRAIN || action == SW_VALID)
        direct->phase = direct->running = action == SW_TRAIN ? SW_PHASE_TRAIN : SW_PHASE_VALID;
    if ((action == SW_DRAW || action == SW_BATCH) && direct->phase == SW_PHASE_FIT)
        direct->phase = SW_PHASE_TRAIN;
    if (action != SW_BATCH)
        return;
    wait_sort(direct);
    direct->batch = true;
}

void direct_begin(struct direct *direct, int action, int64_t now)
{
    if (action < SW_BUILTIN_ACTIONS && depth_of(direct, action))
        leave_out(direct, action);
    if (is_container(action) && depth_of(direct, SW_BATCH))
        leave_out(direct, SW_BATCH);
    if (direct->depth == DIRECT_DEPTH) {
        direct->deep++;
        direct->misuses++;
        return;
    }
    int phase = phase_of(direct, action);
    bool inner = is_inner(direct, action, phase);
    direct->open[++direct->depth] = (struct direct_open){.action = action,
                                                         .phase = phase,
                                                         .since = direct->numbers,
                                                         .inner = inner,
                                                         .start = {now, direct->counter}};
    began(direct, action);
}

/* ---- end ------------------------------------------------------------------------------------- */

static bool waits(const struct direct *direct, int action)
{
    return direct->loop && (direct->batch || direct->drawing || action == SW_DRAW);
}

static void region_end(struct direct *direct, int64_t now)
{
    const struct direct_open open = direct->open[direct->depth];
    const struct direct_use total =
        use_between(open.start, (struct direct_use){now, direct->counter});
    const struct direct_ended ended = {open.action, open.phase, direct->numbers++,
                                       open.inner,  total,      use_between(open.inside, total)};
    if (waits(direct, open.action))
        wait_add(direct, &ended);
    else
        sum_add(direct, &ended);
    direct->depth--;
    use_add(&direct->open[direct->depth].inside, total);
    if (open.action == SW_DRAW)
        draw_left(direct);
}

/* The step has the draws before its batch. */
static void step_end(struct direct *direct, int since)
{
    struct direct_sum *step = sum_of(direct, direct->phase, SW_STEP);
    step->calls++;
    use_add(&step->total, direct->ended[direct->ended_count - 1].total);
    for (int i = direct->step_from; i < direct->ended_count; i++)
        if (direct->ended[i].action == SW_DRAW && direct->ended[i].number < since)
            use_add(&step->total, direct->ended[i].total);
    wait_end(direct, direct->step_from, all_count, 0);
    batch_over(direct);
    direct->steps++;
    direct->phase = direct->running;
}

void direct_end(struct direct *direct, int action, int64_t samples, int64_t now)
{
    if (direct->deep) {
        direct->deep--;
        return;
    }
    int depth = depth_of(direct, action), since = direct->open[depth].since;
    if (!depth) {
        direct->misuses += !(action == SW_BATCH && samples == 0 && direct->steps > 0);
        return;
    }
    discard_above(direct, depth);
    bool ends_phase = direct->loop && is_container(action);
    if (ends_phase)
        wait_end(direct, 0, of_container, action);
    region_end(direct, now);
    if (ends_phase)
        phase_restore(direct);
    if (direct->loop && action == SW_BATCH)
        step_end(direct, since);
}

void direct_next(struct direct *direct, int action, int64_t now)
{
    int sibling = direct->open[direct->depth].action;
    if (sibling >= 0 && !is_special(sibling))
        direct_end(direct, sibling, 0, now);
    direct_begin(direct, action, now);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

void direct_cancel(struct direct *direct, int action)
{
    if (direct->deep) {
        direct->deep--;
        return;
    }
    int depth = depth_of(direct, action);
    if (!depth) {
        direct->misuses++;
        return;
    }
    discard_above(direct, depth);
    if (direct->loop && action == SW_BATCH) {
        drop(direct);
        wait_end(direct, direct->step_from, all_count, 0);
        batch_over(direct);
        direct->phase = direct->running;
        return;
    }
    discard_above(direct, depth - 1);
    direct->discarded--;
}

void direct_count(struct direct *direct, int64_t n)
{
    direct->counter += n;
}

void direct_pause(struct direct *direct, int64_t ticks)
{
    for (int i = 1; i <= direct->depth; i++)
        direct->open[i].start.ns += ticks;
}
