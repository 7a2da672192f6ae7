/* SPDX-License-Identifier: MIT */
/* Which thread is the loop's. What other threads did comes before what the loop's thread did in the
 * same time. So if they measure batches of their own, these wait until the loop's thread has begun:
 * whoever begins first is taken for the loop. */
#include "tools/log/player.h"

#include "core/text/vec.h"

#include <stdlib.h>

bool played_loops_add(struct played_loops *loops, int thread)
{
    bool room = swi_vec_room(&loops->thread, loops->count, sizeof *loops->thread);
    if (room)
        loops->thread[loops->count++] = thread;
    return room;
}

/* Returns whether the next fit is known to be another thread's. */
static bool is_anothers(const struct played_loops *loops, int thread)
{
    int of = loops->fit < loops->count ? loops->thread[loops->fit] : -1;
    return of >= 0 && of != thread;
}

bool played_loops_begins(const struct played_loops *loops, const struct log_value *line)
{
    if (loops->begun || !log_is_type(line, LINE_BEGIN))
        return false;
    int action = sw_action(log_string(line, "action", ""));
    return (action >= SW_FIT && action <= SW_VALID) || action == SW_BATCH;
}

bool played_loops_waits(const struct played_loops *loops, const struct log_value *line)
{
    return !loops->begun && is_anothers(loops, (int)log_integer(line, "thread", 0)) &&
           !log_get(line, "window") && (loops->held.count || played_loops_begins(loops, line));
}

struct kept_lines played_loops_take(struct played_loops *loops)
{
    struct kept_lines held = loops->held;
    loops->held = (struct kept_lines){0};
    loops->begun = true;
    return held;
}

void played_loops_end(struct played_loops *loops)
{
    loops->fit++;
    loops->begun = false;
}

void played_loops_fini(struct played_loops *loops)
{
    kept_lines_free(&loops->held);
    free(loops->thread);
    *loops = (struct played_loops){0};
}
