/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"
#include "tools/merge/merged.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one range at an index. Returns false if out of memory. */
static bool insert(struct step_set *set, size_t index, struct step_range range)
{
    if (!swi_vec_grow(&set->item, set->count, &set->room, sizeof *set->item)) {
        set->failed = true;
        return false;
    }
    memmove(&set->item[index + 1], &set->item[index], (set->count - index) * sizeof *set->item);
    set->item[index] = range;
    set->count++;
    return true;
}

/* Returns the index of the first range that does not end before the step. */
static size_t place_of(const struct step_set *set, int64_t step)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->item[middle].last < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges a range with the next one if they fit. */
static void join(struct step_set *set, size_t index)
{
    struct step_range *range = &set->item[index];
    if (index + 1 >= set->count || range->last + 1 != range[1].first ||
        range->times != range[1].times)
        return;
    range->last = range[1].last;
    memmove(range + 1, range + 2, (set->count - index - 2) * sizeof *range);
    set->count--;
}

/* Makes the step a separate range. Returns its index. */
static size_t split(struct step_set *set, size_t index, int64_t step)
{
    struct step_range before = set->item[index], after = before;
    before.last = step - 1;
    after.first = step + 1;
    set->item[index].first = set->item[index].last = step;
    if (after.first <= after.last && !insert(set, index + 1, after))
        return index;
    if (before.first <= before.last && insert(set, index, before))
        index++;
    return index;
}

int64_t step_set_add(struct step_set *set, int64_t step, int64_t times)
{
    size_t index = place_of(set, step);
    int64_t before = 0;
    if (index < set->count && set->item[index].first <= step) {
        before = set->item[index].times;
        index = split(set, index, step);
        set->item[index].times += times;
    } else if (index > 0 && set->item[index - 1].last + 1 == step &&
               set->item[index - 1].times == times) {
        set->item[--index].last = step;
    } else if (!insert(set, index, (struct step_range){step, step, times, 0})) {
        return 0;
    }
    join(set, index);
    if (index > 0)
        join(set, index - 1);
    return before;
}

bool step_set_append(struct step_set *set, int64_t first, int64_t last)
{
    struct step_range *newest = set->count ? &set->item[set->count - 1] : NULL;
    if (newest && newest->last >= first)
        return false;
    if (newest && newest->last + 1 == first && newest->times == 1)
        newest->last = last;
    else
        insert(set, set->count, (struct step_range){first, last, 1, 0});
    return true;
}

int64_t step_set_alike(const struct step_set *set, int64_t step, int64_t last,
                       const struct step_range **range)
{
    size_t index = place_of(set, step);
    const struct step_range *next = index < set->count ? &set->item[index] : NULL;
    bool inside = next && next->first <= step;
    int64_t end = !next ? last : inside ? next->last : next->first - 1;
    *range = inside ? next : NULL;
    return (end < last ? end : last) - step + 1;
}

const struct step_range *step_set_find(const struct step_set *set, int64_t step)
{
    size_t index = place_of(set, step);
    return index < set->count && set->item[index].first <= step ? &set->item[index] : NULL;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void append(struct step_set *set, struct step_range range)
{
    if (insert(set, set->count, range) && set->count > 1)
        join(set, set->count - 2);
}

/* Returns the steps from `from` on that occur as often as it, up to the end of the range at `index`
 * or to the begin of that range. */
static struct step_range piece_of(const struct step_set *set, size_t index, int64_t from)
{
    struct step_range none = {from, INT64_MAX, 0, 0};
    if (index == set->count)
        return none;
    struct step_range range = set->item[index];
    if (range.first > from)
        return (struct step_range){from, range.first - 1, 0, 0};
    range.first = from;
    return range;
}

/* Returns the steps of both sets, each as often as in the one that has it more or less often. */
static struct step_set combine(const struct step_set *set, const struct step_set *other, bool more)
{
    struct step_set both = {.failed = set->failed};
    int64_t from = INT64_MIN;
    for (size_t i = 0, k = 0; i < set->count || k < other->count;) {
        struct step_range a = piece_of(set, i, from), b = piece_of(other, k, from);
        struct step_range piece = {from, least(a.last, b.last),
                                   (a.times > b.times) == more ? a.times : b.times, 0};
        if (piece.times)
            append(&both, piece);
        i += i < set->count && piece.last == set->item[i].last;
        k += k < other->count && piece.last == other->item[k].last;
        from = piece.last + 1;
    }
    return both;
}

bool step_set_intersect(struct step_set *set, const struct step_set *other)
{
    struct step_set common = combine(set, other, false);
    bool smaller = step_set_steps(&common) < step_set_steps(set);
    free(smaller ? set->item : common.item);
    if (smaller)
        *set = common;
    set->failed = common.failed;
    return smaller;
}

void step_set_unite(struct step_set *set, const struct step_set *other)
{
    struct step_set both = combine(set, other, true);
    free(set->item);
    *set = both;
}

int64_t step_set_steps(const struct step_set *set)
{
    int64_t steps = 0;
    for (size_t i = 0; i < set->count; i++)
        steps += (set->item[i].last - set->item[i].first + 1) * set->item[i].times;
    return steps;
}

size_t step_set_number(struct step_set *set)
{
    size_t column = 0;
    for (size_t i = 0; i < set->count; i++) {
        set->item[i].column = column;
        column += (size_t)(set->item[i].last - set->item[i].first) + 1;
    }
    return column;
}

void step_set_clear(struct step_set *set)
{
    set->count = 0;
}

void step_set_free(struct step_set *set)
{
    free(set->item);
    *set = (struct step_set){0};
}
