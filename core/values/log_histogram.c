/* SPDX-License-Identifier: MIT */
/* Logs histograms and the statistics of arrays. */
#include "core/loop/state.h"
#include "core/media/pictures.h"
#include "core/media/vector_figures.h"
#include "core/values/logging.h"

#include <stepwatch/values.h>

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- several numbers as one record ----------------------------------------------------------- */

/* Logs several numbers as one record. */

/* A metric record that is being filled. Its names are interned, so equal names are one pointer.
 * If there are many, a hash table finds them. */
struct numbers_filled {
    struct swi_record *record;
    struct swi_own_name *own; /* names that are not interned */
    uint32_t *slot;           /* index + 1 of the metric, by the address of its name */
    size_t slots;             /* a power of two; 0: few numbers, no table */
};

enum { FEW = 16 };

static size_t hash_of(const char *name)
{
    return (size_t)((uintptr_t)name >> 4) * (size_t)UINT64_C(0x9e3779b97f4a7c15) >> 16;
}

static bool places_init(struct numbers_filled *filling, size_t count)
{
    if (count <= FEW)
        return true;
    for (filling->slots = 2; filling->slots < 2 * count;)
        filling->slots *= 2;
    filling->slot = calloc(filling->slots, sizeof *filling->slot);
    return filling->slot;
}

/* Returns the slot of the metric with this name, or the end. */
static size_t index_of(struct numbers_filled *filling, const char *name)
{
    const struct sw_metric *metric = filling->record->metric;
    size_t count = filling->record->record.metrics.count, i = 0;
    if (!filling->slots) {
        while (i < count && metric[i].name != name)
            i++;
        return i;
    }
    size_t at = hash_of(name) & (filling->slots - 1);
    while (filling->slot[at] && metric[filling->slot[at] - 1].name != name)
        at = (at + 1) & (filling->slots - 1);
    if (!filling->slot[at])
        filling->slot[at] = (uint32_t)count + 1;
    return filling->slot[at] - 1;
}

/* Returns the name as the record keeps it; NULL if it is refused or out of memory. */
static const char *name_of(struct sw_profiler *sw, struct numbers_filled *filling, const char *name)
{
    const char *interned = swi_names_get(sw->records.names, name, false);
    if (interned)
        return interned;
    enum sw_value_kind kind = swi_names_kind(sw->records.names, name);
    if (kind != SWI_NUMBER) {
        swi_refuse(&sw->records.refusals, &sw->records.messages, SWI_NUMBER, name,
                   "the name has %s: use another one", swi_values_plural(kind));
        return NULL;
    }
    struct swi_own_name *own = swi_own_name_new(name);
    if (!own) {
        swi_no_memory(&sw->records, "a metric's name");
        return NULL;
    }
    own->next = filling->own;
    filling->own = own;
    return own->text;
}

static void number_add(struct sw_profiler *sw, struct numbers_filled *filling,
                       const struct sw_named *number)
{
    const char *name = number->name ? name_of(sw, filling, number->name) : NULL;
    if (!name)
        return;
    struct swi_record *record = filling->record;
    size_t at = index_of(filling, name);
    record->metric[at] = (struct sw_metric){.name = name, .value = number->value, .by = SW_BY_USER};
    if (at == record->record.metrics.count)
        record->record.metrics.count++;
}

/* One step for all, with which no name has a value yet. */
static void record_step(struct sw_profiler *sw, const struct swi_thread *thread,
                        struct swi_record *record)
{
    size_t count = record->record.metrics.count;
    bool own = count && swi_steps_are_own(sw, thread);
    const char **interned = own ? malloc(count * sizeof *interned) : NULL;
    for (size_t i = 0; interned && i < count; i++)
        interned[i] = swi_names_get(sw->records.names, record->metric[i].name, false);
    record->record.step_source = own ? SW_STEP_COUNTED : SW_STEP_OF_LOOP;
    record->record.step =
        own ? swi_own_step(sw, interned, interned ? count : 0) : swi_step_current(sw, thread);
    free(interned);
}

/* Logs numbers, which some sink wants, at one time and for one step. */
static void numbers_log(struct sw_profiler *sw, const struct swi_thread *thread,
                        const struct sw_named *number, size_t count)
{
    SWI_FOLDED(&sw->measured);
    struct numbers_filled filling = {0};
    int64_t tick = swi_clock_tick(&sw->measured.clock);
    if (thread->loop)
        swi_values_send(sw, thread, tick); /* those that the loop logged earlier come first */
    filling.record = swi_recorder_make(&sw->records, SW_RECORD_METRICS, count, tick);
    if (!filling.record)
        return;
    if (places_init(&filling, count))
        for (size_t i = 0; i < count; i++)
            number_add(sw, &filling, &number[i]);
    else
        swi_no_memory(&sw->records, "metrics");
    free(filling.slot);
    if (filling.own)
        swi_own_names_give(filling.record, filling.own);
    record_step(sw, thread, filling.record);
    if (filling.record->record.metrics.count)
        swi_recorder_push(&sw->records, filling.record);
    else
        swi_record_unref(filling.record);
}

void sw_log_many(struct sw_profiler *sw, const struct sw_named *value, size_t count)
{
    if (!sw || !value || !count || !swi_wants(&sw->records, SW_RECORD_METRICS))
        return;
    const struct swi_thread *thread = swi_thread_get(sw);
    if (!thread)
        return;
    SWI_RARE_WORK(&sw->measured);
    numbers_log(sw, thread, value, count);
}

/* ---- Logs histograms and the statistics of arrays -------------------------------------------- */

enum { BINS_MAX = 512 };

struct bins_block {
    struct sw_value value;
    struct sw_bins bins;
    struct sw_bin bin[];
};

static struct bins_block *bins_new(const struct swi_logging *logging, size_t count, int *rc)
{
    struct bins_block *block =
        swi_logging_block(logging, sizeof *block + count * sizeof *block->bin, rc);
    if (!block)
        return NULL;
    block->bins = (struct sw_bins){
        .size = sizeof block->bins, .stride = sizeof *block->bin, .bin = block->bin};
    block->value = (struct sw_value){.bins = &block->bins};
    return block;
}

static int bins_send(const struct swi_logging *logging, struct bins_block *block)
{
    size_t bytes = sizeof *block + block->bins.count * sizeof *block->bin;
    return swi_logging_send_block(logging, &block->value, block, bytes);
}

/* ---- bins of the program --------------------------------------------------------------------- */

static bool bin_is_right(const struct sw_bin *bin, size_t i)
{
    bool finite = isfinite(bin[i].low) && isfinite(bin[i].high);
    return finite && bin[i].low <= bin[i].high && (i == 0 || bin[i - 1].high <= bin[i].low);
}

/* Readers of the run log and other sinks have no larger numbers. */
static bool counts_fit(const struct sw_bin *bin, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; bin && i < count; i++) {
        if (bin[i].count > INT64_MAX - all)
            return false;
        all += bin[i].count;
    }
    return true;
}

static int bins_check(const struct swi_logging *logging, const struct sw_bin *bin, size_t count)
{
    if (!bin && count)
        return SWI_REFUSE(logging, "the bins are NULL");
    if (count > BINS_MAX)
        return SWI_REFUSE(logging, "%zu bins, expected at most %d", count, BINS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!bin_is_right(bin, i))
            return SWI_REFUSE(logging,
                              "bin %zu, from %g to %g, is not finite or not above the one before",
                              i, bin[i].low, bin[i].high);
    return 0;
}

/* A gap becomes an empty bin. */
static size_t bins_join(struct sw_bin *to, const struct sw_bin *bin, size_t count)
{
    size_t joined = 0;
    for (size_t i = 0; bin && i < count; i++) {
        if (i > 0 && bin[i - 1].high < bin[i].low)
            to[joined++] = (struct sw_bin){bin[i - 1].high, bin[i].low, 0};
        to[joined++] = bin[i];
    }
    return joined;
}

static int bins_log(struct swi_logging *logging, const struct sw_bin *bin, size_t count)
{
    bool extra = bin && count && isnan(bin[count - 1].low) && isnan(bin[count - 1].high);
    uint64_t nonfinite = extra ? bin[count - 1].count : 0;
    int rc = counts_fit(bin, count) ? 0
                                    : SWI_REFUSE(logging, "the counts of the bins are more than "
                                                          "2^63-1: is one a negative number?");
    count -= extra;
    rc = rc < 0 ? rc : bins_check(logging, bin, count);
    rc = rc < 0 ? rc : swi_logging_name(logging);
    struct bins_block *block = rc < 0 ? NULL : bins_new(logging, 2 * count, &rc);
    if (!block)
        return rc;
    block->bins.count = bins_join(block->bin, bin, count);
    block->bins.nonfinite = (int64_t)nonfinite;
    return bins_send(logging, block);
}

int sw_log_bins(struct sw_profiler *sw, const char *name, const struct sw_bin *bin, size_t count)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_HISTOGRAM) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_HISTOGRAM, name))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return bins_log(&logging, bin, count);
}

/* ---- figures of an array --------------------------------------------------------------------- */

/* The names of the numbers, appended to the name of the array. */
struct figures {
    char name[8][SWI_NAME_MAX + 1];
    struct sw_named number[8];
    size_t count;
};

static void figure_add(struct figures *to, const char *name, const char *what, double value)
{
    enum { MOST = SWI_NAME_MAX - 16 };
    char *own = to->name[to->count], room[MOST + 1];
    snprintf(own, sizeof to->name[0], "%s/%s", swi_name_shorten(name, MOST, room), what);
    to->number[to->count++] = (struct sw_named){own, value};
}

/* Without values, every number is NAN. */
static void figures_take(struct figures *to, const char *name, const struct swi_figures *of,
                         size_t count, unsigned what)
{
    if (what & SW_NORM)
        figure_add(to, name, "norm", of->norm);
    if (what & SW_MEAN)
        figure_add(to, name, "mean", of->mean);
    if (what & SW_STD)
        figure_add(to, name, "std", of->std);
    if (what & SW_MIN)
        figure_add(to, name, "min", of->min);
    if (what & SW_MAX)
        figure_add(to, name, "max", of->max);
    if (what & SW_ZEROS)
        figure_add(to, name, "zeros", count ? (double)of->zeros : NAN);
    if ((what & SW_NONFINITE) || of->nonfinite)
        figure_add(to, name, "nonfinite", count ? (double)of->nonfinite : NAN);
}

static int histogram_log(struct swi_logging *logging, const struct swi_vector *vector,
                         const struct swi_figures *figures)
{
    int rc = swi_logging_name(logging);
    struct bins_block *block = rc < 0 ? NULL : bins_new(logging, SWI_BINS, &rc);
    if (!block)
        return rc;
    block->bins.count = swi_vector_bins(block->bin, vector, figures);
    block->bins.nonfinite = (int64_t)figures->nonfinite;
    return bins_send(logging, block);
}

static int vector_check(const struct swi_logging *logging, const struct swi_vector *vector,
                        unsigned what)
{
    if (vector->type < SW_U8 || vector->type > SW_BF16)
        return SWI_REFUSE(logging, "type %d is not one of an array of numbers", (int)vector->type);
    if (!*logging->name)
        return SWI_REFUSE(logging, "the name is empty");
    if (!vector->data && vector->count)
        return SWI_REFUSE(logging, "the data is NULL");
    if (vector->count > SIZE_MAX / 2 / swi_type_size(vector->type))
        return SWI_REFUSE(logging, "%zu elements do not fit into memory", vector->count);
    if (!what || (what & ~(unsigned)SW_WHAT_ALL))
        return SWI_REFUSE(logging, "0x%x is not made of SW_HISTOGRAM to SW_NONFINITE", what);
    return 0;
}

/* Does not compute what no sink wants. */
static unsigned wanted_of(const struct sw_profiler *sw, unsigned what)
{
    bool numbers = swi_wants(&sw->records, SW_RECORD_METRICS);
    bool histogram = swi_value_is_wanted(sw, SW_VALUE_HISTOGRAM);
    return (numbers ? what : what & SW_HISTOGRAM) & (histogram ? ~0u : ~(unsigned)SW_HISTOGRAM);
}

static int vector_log(struct swi_logging *logging, const struct swi_vector *vector, unsigned what)
{
    struct swi_figures figures;
    struct figures numbers = {.count = 0};
    struct sw_profiler *sw = logging->sw;
    int rc = vector_check(logging, vector, what);
    if (rc < 0)
        return rc;
    what = wanted_of(sw, what);
    swi_vector_figures(&figures, vector, what);
    if (what & SW_HISTOGRAM)
        rc = histogram_log(logging, vector, &figures);
    figures_take(&numbers, logging->name, &figures, vector->count, what);
    if (numbers.count && swi_wants(&sw->records, SW_RECORD_METRICS))
        numbers_log(sw, logging->thread, numbers.number, numbers.count);
    return rc;
}

int sw_log_vector(struct sw_profiler *sw, const char *name, enum sw_type type, const void *data,
                  size_t count, unsigned what)
{
    const struct swi_vector vector = {type, data, count};
    struct swi_logging logging;
    bool unwanted = sw && what && !(what & ~(unsigned)SW_WHAT_ALL) && !wanted_of(sw, what);
    if (!sw || unwanted || !swi_logging_begin(&logging, sw, SW_VALUE_HISTOGRAM, name))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return vector_log(&logging, &vector, what);
}
