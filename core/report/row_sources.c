/* SPDX-License-Identifier: MIT */
/* Lists the rows of all threads in the order of the report's rows. */
#include "core/report/row_sources.h"
#include "core/rows/action.h"

#include <stdlib.h>

/* ---- what a report is made of ---------------------------------------------------------------- */

static bool view_init(struct swi_row_reader *view, struct swi_thread *thread)
{
    const struct swi_row *row = thread->rows;
    *view = (struct swi_row_reader){.thread = thread, .rows = row ? row->number + (size_t)1 : 0};
    view->row = calloc(view->rows + 1, sizeof(*view->row));
    for (; row && view->row; row = row->next)
        view->row[row->number] = row;
    return view->row;
}

void swi_report_input_add(struct swi_report_input *making, struct swi_thread *thread,
                          enum sw_phase shown)
{
    struct swi_row_reader *view = &making->view[making->count++];
    making->failed = !view_init(view, thread) || making->failed;
    view->shown = shown;
    making->unbinned += thread->reserve.lost;
}

static size_t threads_count(const struct swi_measured *measured)
{
    size_t count = 0;
    for (const struct swi_thread *thread = swi_first_thread(measured); thread;
         thread = thread->list)
        count++;
    return count;
}

void swi_report_input_read(struct swi_report_input *making)
{
    const struct swi_snapshot *snapshot = making->snapshot;
    struct swi_measured *measured = making->reports->measured;
    pthread_mutex_lock(&measured->lock); /* no thread is added meanwhile */
    making->view = calloc(threads_count(measured) + 1, sizeof *making->view);
    making->failed = !making->view;
    for (struct swi_thread *thread = swi_first_thread(measured); thread && !making->failed;
         thread = thread->list) {
        enum sw_phase shown = thread == snapshot->loop             ? snapshot->threads_are
                              : thread->number == SWI_SPANS_THREAD ? SW_PHASE_SPANS
                                                                   : SW_PHASE_THREADS;
        swi_report_input_add(making, thread, shown);
    }
    pthread_mutex_unlock(&measured->lock);
}

void swi_report_input_fini(struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++)
        free(making->view[i].row);
    free(making->view);
    free(making->source);
    swi_bins_fini(&making->row.durations);
    swi_bins_fini(&making->row.rates);
}

/* ---- sources of rows ------------------------------------------------------------------------- */

/* Returns whether a row has any values for the report. Another fit may begin while the rows after
 * the last fit are read; its rows do not belong to it. */
static bool is_meant(const struct swi_row_reader *view, const struct swi_row *row)
{
    return (view->shown != SW_PHASE_AFTER || row->phase == SW_PHASE_THREADS) &&
           swi_row_is_known(view->thread, row) && !swi_row_is_empty(row);
}

/* Returns the phase that a row is shown in. What the loop's thread did before or after its fit is
 * not shown among other threads. */
static enum sw_phase phase_shown(const struct swi_row_reader *view, const struct swi_row *row)
{
    if (row->phase != SW_PHASE_THREADS)
        return row->phase;
    if (view->shown == SW_PHASE_FIT && row->action == SW_DRAW)
        return SW_PHASE_TRAIN;
    return view->shown;
}

static const int order_fit[] = {SW_FIT, SW_EPOCH, SW_TRAIN, SW_VALID, -1};
static const int order_throughput[] = {SW_STEP, SW_DRAW, SW_BATCH, -1};
static const int order_train[] = {SW_STEP,     SW_DRAW,     SW_BATCH,     SW_FORWARD, SW_LOSS,
                                  SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD, -1};
static const int order_valid[] = {SW_STEP, SW_DRAW, SW_BATCH, SW_PREDICT, SW_LOSS, -1};
static const int order_none[] = {-1};

static const int *order_of(enum sw_mode mode, enum sw_phase phase)
{
    if (phase == SW_PHASE_FIT)
        return order_fit;
    if (phase >= SW_PHASE_THREADS)
        return order_none;
    if (mode == SW_MODE_THROUGHPUT)
        return order_throughput;
    return phase == SW_PHASE_TRAIN ? order_train : order_valid;
}

enum { PLACE_BITS = 16 };

static uint32_t order_make(enum sw_mode mode, enum sw_phase phase, int action)
{
    const int *order = order_of(mode, phase);
    int place = SW_BUILTIN_ACTIONS + action;
    for (int i = 0; order[i] >= 0; i++)
        if (order[i] == action)
            place = i;
    return (uint32_t)phase << PLACE_BITS | (uint32_t)place;
}

/* Return the phase and the action that an order stands for. */
static enum sw_phase source_phase(uint32_t order)
{
    return (enum sw_phase)(order >> PLACE_BITS);
}

static int source_action(enum sw_mode mode, uint32_t order)
{
    int place = (int)(order & ((1U << PLACE_BITS) - 1));
    return place < SW_BUILTIN_ACTIONS ? order_of(mode, source_phase(order))[place]
                                      : place - SW_BUILTIN_ACTIONS;
}

static int by_order(const void *a, const void *b)
{
    const struct swi_source *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->shaped != y->shaped)
        return x->shaped < y->shaped ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds every standard row, even those without calls. */
static void standard_rows_add(struct swi_report_input *making)
{
    enum sw_mode mode = making->reports->measured->chosen.mode;
    for (int phase = SW_PHASE_FIT; phase <= SW_PHASE_THREADS; phase++)
        for (const int *action = order_of(mode, (enum sw_phase)phase); *action >= 0; action++)
            making->source[making->sources++] = (struct swi_source){
                order_make(mode, (enum sw_phase)phase, *action), 0, SWI_NOBODYS};
}

static void view_rows_add(struct swi_report_input *making, const struct swi_row_reader *view,
                          size_t base)
{
    for (size_t i = 0; i < view->rows; i++) {
        const struct swi_row *row = view->row[i];
        if (!is_meant(view, row))
            continue;
        int action = swi_action_base(row->action);
        uint32_t order =
            order_make(making->reports->measured->chosen.mode, phase_shown(view, row), action);
        int shaped = making->by_shape && action != row->action ? row->action : 0;
        making->source[making->sources++] =
            (struct swi_source){order, shaped, (uint32_t)(base + i)};
    }
}

void swi_row_sources_list(struct swi_report_input *making, bool standard)
{
    enum { STANDARD = 32 };
    size_t rows = 0, base = 0;
    for (size_t i = 0; i < making->count; i++)
        rows += making->view[i].rows;
    making->source = malloc((rows + STANDARD) * sizeof *making->source);
    making->failed = making->failed || !making->source;
    if (making->failed)
        return;
    if (standard)
        standard_rows_add(making);
    for (size_t i = 0; i < making->count; base += making->view[i++].rows)
        view_rows_add(making, &making->view[i], base);
    qsort(making->source, making->sources, sizeof *making->source, by_order);
}

size_t swi_row_sources_of_row(const struct swi_report_input *making, size_t i)
{
    size_t end = i + 1;
    while (end < making->sources && making->source[end].order == making->source[i].order &&
           making->source[end].shaped == making->source[i].shaped)
        end++;
    return end - i;
}

size_t swi_row_sources_rows(const struct swi_report_input *making)
{
    size_t rows = 0;
    for (size_t i = 0; i < making->sources; i += swi_row_sources_of_row(making, i))
        rows++;
    return rows;
}

static bool any_shaped(const struct swi_report_input *making)
{
    for (size_t i = 0; i < making->sources; i++)
        if (making->source[i].shaped)
            return true;
    return false;
}

bool swi_row_sources_by_shape(struct swi_report_input *making, bool standard)
{
    free(making->source);
    making->source = NULL;
    making->sources = 0;
    making->by_shape = true;
    swi_row_sources_list(making, standard);
    return !making->failed && any_shaped(making);
}

/* ---- what all threads have measured for a row ------------------------------------------------ */

void swi_row_totals_own_ticks(struct swi_report_input *making)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct swi_row_reader *view = &making->view[i];
        bool any = view->thread == making->snapshot->loop;
        for (int k = 0; k < SWI_STRATA; k++)
            any = any || view->regions[k];
        if (any)
            making->own_ticks += swi_spent_ticks(&view->thread->spent, view->regions);
    }
}

bool swi_row_totals(struct swi_report_input *making, const struct swi_source *source, size_t count)
{
    struct swi_gathered *g = &making->row;
    bool standard = false;
    *g = (struct swi_gathered){
        .phase = source_phase(source->order),
        .action = source_action(making->reports->measured->chosen.mode, source->order),
        .shaped = source->shaped,
        .first_use = INT64_MAX,
        .durations = g->durations,
        .rates = g->rates};
    g->durations.count = g->rates.count = 0;
    for (size_t i = 0; i < count; i++) {
        standard = standard || source[i].index == SWI_NOBODYS;
        if (source[i].index != SWI_NOBODYS)
            swi_row_gather(making, &source[i]);
    }
    return standard || g->sum.count || g->sum.rate_count;
}
