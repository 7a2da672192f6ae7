/* SPDX-License-Identifier: MIT */
/* Logs histograms and the statistics of arrays. */
#include "core/media/pixels.h"
#include "core/media/vector_bins.h"
#include "core/values/logging.h"
#include "core/values/numbers.h"

#include <inttypes.h>
#include <math.h>

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
    int rc = swi_logging_send(logging, &block->value, block, bytes, swi_block_release);
    if (rc < 0)
        swi_block_free(block);
    return rc;
}

/* ---- bins of the program --------------------------------------------------------------------- */

static bool bin_is_right(const struct sw_bin *bin, size_t i)
{
    bool finite = isfinite(bin[i].low) && isfinite(bin[i].high);
    return finite && bin[i].low <= bin[i].high && (i == 0 || bin[i - 1].high <= bin[i].low);
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
    count -= extra;
    int rc = bins_check(logging, bin, count);
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
        swi_numbers_log(sw, logging->thread, numbers.number, numbers.count);
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
