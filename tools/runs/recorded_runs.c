/* SPDX-License-Identifier: MIT */
#include "tools/runs/recorded_runs.h"

#include "core/text/parts.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run ----------------------------------------------------------------------------------- */

const char *run_state_name(enum run_state state)
{
    static const char *const names[] = {"running", "killed", "interrupted", "failed", "finished"};
    return names[state];
}

/* Returns where a name is, or where it would be. */
static size_t place_of(const struct recorded_run *run, const char *name, bool *is)
{
    size_t i = 0;
    while (i < run->values && strcmp(run->value[i].name, name) < 0)
        i++;
    *is = i < run->values && strcmp(run->value[i].name, name) == 0;
    return i;
}

void recorded_run_value(struct recorded_run *run, const char *name, double value)
{
    bool is;
    size_t at = place_of(run, name, &is);
    char *own = run->values < RECORDED_VALUES && !is ? strdup(name) : NULL;
    if (!own)
        return;
    memmove(&run->value[at + 1], &run->value[at], (run->values++ - at) * sizeof *run->value);
    run->value[at] = (struct recorded_value){own, value};
}

/* Returns a value, or NAN. */
static double recorded_run_get(const struct recorded_run *run, const char *name)
{
    bool is;
    size_t at = place_of(run, name, &is);
    return is ? run->value[at].value : NAN;
}

void recorded_run_free(struct recorded_run *run)
{
    for (size_t i = 0; i < run->values; i++)
        free(run->value[i].name);
    free(run->path);
    free(run->uid);
    free(run->name);
    free(run->program);
    free(run->host);
    free(run->run);
    free(run->detail);
    free(run->cause);
    free(run);
}

/* ---- runs ------------------------------------------------------------------------------------ */

bool recorded_runs_add(struct recorded_runs *runs, struct recorded_run *run)
{
    if (!swi_vec_grow(&runs->item, runs->count, &runs->room, sizeof(*runs->item))) {
        recorded_run_free(run);
        return false;
    }
    runs->item[runs->count++] = run;
    return true;
}

void recorded_runs_free(struct recorded_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        recorded_run_free(runs->item[i]);
    free(runs->item);
    *runs = (struct recorded_runs){0};
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static int texts_compare(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static bool is_rank(const struct recorded_run *run)
{
    return run->world_size > 1 && run->run;
}

static int groups_compare(const struct recorded_run *a, const struct recorded_run *b)
{
    int order = is_rank(b) - is_rank(a);
    order = order ? order : texts_compare(a->run, b->run);
    order = order ? order : texts_compare(a->name, b->name);
    order = order ? order : texts_compare(a->detail, b->detail);
    order = order ? order : (a->attempt > b->attempt) - (a->attempt < b->attempt);
    return order ? order : (a->world_size > b->world_size) - (a->world_size < b->world_size);
}

static int ranks_compare(const void *a, const void *b)
{
    const struct recorded_run *x = *(struct recorded_run *const *)a,
                              *y = *(struct recorded_run *const *)b;
    int order = groups_compare(x, y);
    order = order ? order : (x->rank > y->rank) - (x->rank < y->rank);
    return order ? order : texts_compare(x->path, y->path);
}

/* A rank that has a second log counts once. */
static void rank_join(struct recorded_run *run, const struct recorded_run *other, bool again)
{
    run->ranks += !again;
    run->bytes += other->bytes;
    run->torn = run->torn || other->torn;
    run->steps = other->steps > run->steps ? other->steps : run->steps;
    run->started_s = fmin(run->started_s, other->started_s);
    run->duration_s = fmax(run->duration_s, other->duration_s);
    if (!again && !isnan(other->samples_per_s))
        run->samples_per_s =
            other->samples_per_s + (isnan(run->samples_per_s) ? 0 : run->samples_per_s);
    if (other->state >= run->state)
        return;
    run->state = other->state;
    run->exit_status = other->exit_status;
    free(run->cause);
    run->cause = other->cause ? strdup(other->cause) : NULL;
}

void recorded_runs_join(struct recorded_runs *runs)
{
    size_t kept = 0;
    int64_t rank = 0; /* the last one of the run */
    if (runs->count)
        qsort(runs->item, runs->count, sizeof(*runs->item), ranks_compare);
    for (size_t i = 0; i < runs->count; i++) {
        struct recorded_run *run = runs->item[i], *before = kept ? runs->item[kept - 1] : NULL;
        if (!before || !is_rank(run) || groups_compare(before, run) != 0) {
            runs->item[kept++] = run;
            rank = run->rank;
            continue;
        }
        rank_join(before, run, run->rank == rank);
        rank = run->rank;
        recorded_run_free(run);
    }
    runs->count = kept;
}

/* ---- the order ------------------------------------------------------------------------------- */

static const char *const number_keys[] = {"started", "duration", "steps", "samples_per_s", NULL};
static const char *const text_keys[] = {"name", "state", "path", NULL};

static double number_of(const struct recorded_run *run, const char *key)
{
    const double numbers[] = {run->started_s, run->duration_s,
                              run->steps < 0 ? NAN : (double)run->steps, run->samples_per_s};
    int place = swi_place_of(key, number_keys);
    return place < 0 ? recorded_run_get(run, key) : numbers[place];
}

static const char *text_of(const struct recorded_run *run, const char *key)
{
    const char *const texts[] = {run->name ? run->name : "", run_state_name(run->state), run->path};
    int place = swi_place_of(key, text_keys);
    return place < 0 ? NULL : texts[place];
}

struct run_order {
    const char *key;
    bool reverse;
};

static int runs_compare(const void *a, const void *b, void *arg)
{
    const struct recorded_run *x = *(struct recorded_run *const *)a,
                              *y = *(struct recorded_run *const *)b;
    const struct run_order *order = arg;
    const char *text = text_of(x, order->key), *other = text_of(y, order->key);
    int result = 0;
    if (text && other) {
        result = strcmp(text, other);
    } else {
        double i = number_of(x, order->key), k = number_of(y, order->key);
        if (isnan(i) || isnan(k))
            return isnan(i) != isnan(k) ? (isnan(i) ? 1 : -1) : texts_compare(x->path, y->path);
        result = (i < k) - (i > k);
    }
    result = order->reverse ? -result : result;
    result = result ? result : texts_compare(x->path, y->path);
    return result ? result : texts_compare(x->uid, y->uid);
}

void recorded_runs_sort(struct recorded_runs *runs, const char *key, bool reverse)
{
    struct run_order order = {key, reverse};
    if (runs->count)
        qsort_r(runs->item, runs->count, sizeof(*runs->item), runs_compare, &order);
}

bool recorded_runs_has_key(const struct recorded_runs *runs, const char *key)
{
    if (swi_place_of(key, number_keys) >= 0 || swi_place_of(key, text_keys) >= 0)
        return true;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t k = 0; k < runs->item[i]->values; k++)
            if (strcmp(runs->item[i]->value[k].name, key) == 0)
                return true;
    return false;
}
