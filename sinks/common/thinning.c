/* SPDX-License-Identifier: MIT */
#include "sinks/common/thinning.h"
#include "sinks/common/sample_names.h"

/* With the default of 4,000,000 lines, 100,000 steps: a short run with many values is stored whole.
 */
enum { LINES_OF_STEP = 40, MORE = 10 };

/* How often half of what is left of max_size is filled before nothing more is stored: the last part
 * is 0.8 % of it. */
enum { FILLINGS = 7 };

int64_t swi_thinning_stride(const struct swi_thinning *thinning)
{
    return thinning->every * thinning->factor;
}

/* Negative steps belong to places of their own, too. */
static int64_t place_of(const struct swi_thinning *thinning, int64_t step)
{
    int64_t stride = swi_thinning_stride(thinning);
    return step >= 0 ? step / stride : -1 - (-1 - step) / stride;
}

/* Passes a record to the sink, and counts what it stores. */
static int pass(struct swi_thinning *thinning, const struct sw_record *record,
                swi_thinning_fn *take, void *state, struct sw_error *err)
{
    bool step = record->type == SW_RECORD_STEP;
    bool metrics = record->type == SW_RECORD_METRICS && record->metrics.count;
    thinning->steps += step;
    thinning->values += metrics && !swi_is_sample(record);
    thinning->lines += step || metrics ? swi_record_lines(record) : 0;
    return take(state, record, err);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static struct swi_metric_point *lane_of(struct swi_thinning *thinning,
                                        const struct sw_record *record)
{
    unsigned source = record->step_source;
    return &thinning->lane[swi_is_sample(record) ? SWI_THINNED_LANES - 1 : source < 3 ? source : 0];
}

/* A value may come one step late: that begins no point. */
static int64_t place_in(const struct swi_thinning *thinning, const struct swi_metric_point *lane,
                        int64_t step)
{
    int64_t place = place_of(thinning, step);
    bool late =
        lane->records && place + 1 == lane->place && place_of(thinning, step + 1) == lane->place;
    return late ? lane->place : place;
}

static int lane_pass(struct swi_thinning *thinning, struct swi_metric_point *lane,
                     swi_thinning_fn *take, void *state, struct sw_error *err)
{
    struct sw_record record;
    if (!lane->records)
        return 0;
    if (!swi_metric_point_make(lane, &thinning->made, &record))
        return sw_error_set(err, SW_ENOMEM, "not enough memory to thin out metrics");
    int rc = record.metrics.count ? pass(thinning, &record, take, state, err) : 0;
    thinning->made.count = 0;
    swi_metric_point_forget(lane);
    return rc;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int groups_pass(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                       struct sw_error *err)
{
    int rc = 0;
    swi_step_groups_divide(&thinning->groups);
    for (size_t i = 0; i < thinning->groups.count && rc >= 0; i++)
        rc = pass(thinning, &thinning->groups.group[i].record, take, state, err);
    swi_step_groups_clear(&thinning->groups);
    return rc;
}

static int step_take(struct swi_thinning *thinning, const struct sw_record *record,
                     swi_thinning_fn *take, void *state, struct sw_error *err)
{
    if (swi_step_groups_add(&thinning->groups, record, thinning->seen_ns))
        return 0;
    int rc = groups_pass(thinning, take, state, err);
    if (rc < 0 || swi_step_groups_add(&thinning->groups, record, thinning->seen_ns))
        return rc;
    return pass(thinning, record, take, state, err);
}

/* Passes a record by itself, as a point if it stands for several steps. */
static int one_pass(struct swi_thinning *thinning, const struct sw_record *record,
                    swi_thinning_fn *take, void *state, struct sw_error *err)
{
    if (record->type != SW_RECORD_STEP || swi_step_count(record->step_done) == 1)
        return pass(thinning, record, take, state, err);
    int rc = step_take(thinning, record, take, state, err);
    return rc < 0 ? rc : groups_pass(thinning, take, state, err);
}

/* ---- when a point is complete ---------------------------------------------------------------- */

/* Steps first: the values of a step follow it. */
static int all_pass(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                    struct sw_error *err)
{
    int rc = groups_pass(thinning, take, state, err);
    for (int i = 0; i < SWI_THINNED_LANES && rc >= 0; i++)
        rc = lane_pass(thinning, &thinning->lane[i], take, state, err);
    return rc;
}

static int metrics_take(struct swi_thinning *thinning, const struct sw_record *record,
                        swi_thinning_fn *take, void *state, struct sw_error *err)
{
    struct swi_metric_point *lane = lane_of(thinning, record);
    int64_t place = place_in(thinning, lane, record->step);
    bool continues = swi_metric_point_continues(lane, record, place);
    int rc = continues ? 0 : lane_pass(thinning, lane, take, state, err);
    return rc < 0 ? rc : swi_metric_point_add(lane, record, place, err);
}

/* Passes the steps, and the metrics of the loop that are of other steps than the next one. */
static int steps_end(struct swi_thinning *thinning, int64_t place, swi_thinning_fn *take,
                     void *state, struct sw_error *err)
{
    int rc = groups_pass(thinning, take, state, err);
    for (int i = 0; i < SWI_THINNED_LANES && rc >= 0; i++)
        if (i != SW_STEP_GIVEN && thinning->lane[i].place != place)
            rc = lane_pass(thinning, &thinning->lane[i], take, state, err);
    return rc;
}

/* Returns whether it is the first step of its phase in a fit. Reports may leave it out, so it must
 * not be part of a sum. */
static bool is_first(struct swi_thinning *thinning, const struct sw_record *record)
{
    int *fit = &thinning->fit[record->step_done->phase == SW_PHASE_VALID];
    bool first = *fit != record->fit;
    if (record->step_done->samples >= 0)
        *fit = record->fit;
    return first;
}

static int steps_take(struct swi_thinning *thinning, const struct sw_record *record,
                      swi_thinning_fn *take, void *state, struct sw_error *err)
{
    int64_t place = place_of(thinning, record->step);
    bool continues =
        thinning->groups.count && thinning->groups_place == place &&
        thinning->groups.steps + swi_step_count(record->step_done) <= SWI_POINT_STEPS &&
        record->time_ns - thinning->groups_began_ns < SWI_POINT_NS;
    bool first = is_first(thinning, record);
    int rc = continues && !first ? 0 : steps_end(thinning, place, take, state, err);
    if (!continues) {
        thinning->groups_place = place;
        thinning->groups_began_ns = record->time_ns;
    }
    if (rc >= 0)
        rc = first ? one_pass(thinning, record, take, state, err)
                   : step_take(thinning, record, take, state, err);
    thinning->seen_ns = record->time_ns;
    return rc;
}

/* ---- the newest steps ------------------------------------------------------------------------ */

/* What waits until there is more, of all that is stored before points get more steps, or for so
 * long. Where a fit or a part of it ends, it is stored one by one: a share of what may be stored so
 * in all, which is a quarter, so that the disk is still bounded. */
enum { NEWEST_OF_ALL = 1000, NEWEST_SHARE = 50, NEWEST_LEFT = 4 };
#define NEWEST_NS (INT64_C(10) * 1000000000)

static int point_take(struct swi_thinning *thinning, const struct sw_record *record,
                      swi_thinning_fn *take, void *state, struct sw_error *err)
{
    return record->type == SW_RECORD_METRICS ? metrics_take(thinning, record, take, state, err)
                                             : steps_take(thinning, record, take, state, err);
}

/* Makes points of what is older than now_ns - NEWEST_NS, or more than `most` lines. */
static int newest_shorten(struct swi_thinning *thinning, int64_t most, int64_t now_ns,
                          swi_thinning_fn *take, void *state, struct sw_error *err)
{
    struct swi_newest_records *newest = &thinning->newest;
    int rc = 0;
    while (rc >= 0 && newest->oldest &&
           (newest->lines > most || now_ns - newest->oldest->record.time_ns > NEWEST_NS)) {
        struct swi_kept_record *kept = swi_newest_records_take(newest);
        rc = point_take(thinning, &kept->record, take, state, err);
        swi_kept_record_free(kept);
    }
    return rc;
}

/* Passes all points, and then the newest steps one by one. */
static int newest_pass(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                       struct sw_error *err)
{
    int64_t share = thinning->newest_left / NEWEST_SHARE;
    int rc = newest_shorten(thinning, share, 0, take, state, err);
    if (rc >= 0)
        rc = all_pass(thinning, take, state, err);
    thinning->newest_left -= thinning->newest.lines;
    for (struct swi_kept_record *kept; (kept = swi_newest_records_take(&thinning->newest));) {
        if (rc >= 0)
            rc = one_pass(thinning, &kept->record, take, state, err);
        thinning->seen_ns = kept->record.time_ns;
        swi_kept_record_free(kept);
    }
    return rc;
}

static int newest_take(struct swi_thinning *thinning, const struct sw_record *record,
                       swi_thinning_fn *take, void *state, struct sw_error *err)
{
    if (swi_is_sample(record))
        return metrics_take(thinning, record, take, state, err);
    /* With `every`, a point is what was asked for. */
    bool waits = thinning->every == 1 && !thinning->max_size &&
                 swi_newest_records_add(&thinning->newest, record);
    int rc = newest_shorten(thinning, waits ? thinning->thin_after / NEWEST_OF_ALL : -1,
                            record->time_ns, take, state, err);
    return rc < 0 || waits ? rc : point_take(thinning, record, take, state, err);
}

/* Passes all points, of what is newest, too. */
static int points_pass(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                       struct sw_error *err)
{
    int rc = newest_shorten(thinning, -1, 0, take, state, err);
    return rc < 0 ? rc : all_pass(thinning, take, state, err);
}

/* A fit or a part of it ends, or the run. */
static bool is_end(const struct sw_record *record)
{
    bool mark = record->type == SW_RECORD_MARK && record->regions.count;
    return record->type == SW_RECORD_REPORT || record->type == SW_RECORD_END ||
           (mark && sw_record_region(record, 0)->event != SW_REGION_BEGIN);
}

/* ---- how many steps a point has ---------------------------------------------------------------
 */

/* Half of the room that is left for more steps is filled. */
static bool is_filled(const struct swi_thinning *thinning)
{
    int64_t max = thinning->max_size;
    return max && strcmp(thinning->when_full, "thin") == 0 && thinning->fillings < FILLINGS &&
           thinning->bytes >= max - (max >> (thinning->fillings + 1));
}

static bool is_long(const struct swi_thinning *thinning)
{
    int64_t most = thinning->steps > thinning->values ? thinning->steps : thinning->values;
    bool short_run = thinning->factor == 1 && most < thinning->thin_after / LINES_OF_STEP;
    return thinning->thin_after && !short_run && thinning->lines >= thinning->thin_after &&
           swi_thinning_stride(thinning) <= SWI_POINT_STEPS / MORE;
}

static void factor_raise(struct swi_thinning *thinning, const struct sw_record *record, bool filled)
{
    thinning->fillings += filled;
    thinning->lines = thinning->steps = thinning->values = 0;
    if (swi_thinning_stride(thinning) > SWI_POINT_STEPS / MORE)
        return;
    thinning->factor *= MORE;
    if (thinning->factor == MORE)
        sw_sink_say(thinning->sink, SW_NOTE,
                    "%s: %s: from step %" PRId64 " on, %" PRId64
                    " steps become one point with their mean, smallest and largest values, and "
                    "later more%s",
                    thinning->what, filled ? "half of max_size is filled" : "a long run",
                    record->step, swi_thinning_stride(thinning),
                    filled ? "" : " (thin_after: 0 keeps each step)");
}

/* ---- a sink that is full --------------------------------------------------------------------- */

/* What grows with the steps. The rest is needed to read the file. */
#define GROWING                                                                                    \
    (SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REGIONS) |           \
     SW_WANT(SW_RECORD_SPAN) | SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_VALUE) |                \
     SW_WANT(SW_RECORD_LINE) | SW_WANT(SW_RECORD_EPOCH))

/* The last part is left for the points that are not complete. */
static bool is_full(const struct swi_thinning *thinning)
{
    int64_t max = thinning->max_size;
    if (!max || thinning->bytes < max - (max >> FILLINGS))
        return false;
    bool stops = strcmp(thinning->when_full, "stop") == 0;
    return strcmp(thinning->when_full, "thin") == 0 || (stops && thinning->bytes >= max);
}

static int stop(struct swi_thinning *thinning, const struct sw_record *record,
                swi_thinning_fn *take, void *state, struct sw_error *err)
{
    int rc = newest_pass(thinning, take, state, err);
    thinning->stopped = true;
    sw_sink_say(thinning->sink, SW_WARNING,
                "%s: max_size is reached at step %" PRId64
                ": steps and values are not stored from here on; reports are",
                thinning->what, record->step);
    return rc;
}

/* Makes points of more steps once much is stored. */
static int factor_look(struct swi_thinning *thinning, const struct sw_record *record,
                       swi_thinning_fn *take, void *state, struct sw_error *err)
{
    int rc = 0;
    bool filled = is_filled(thinning);
    if (filled || is_long(thinning)) {
        rc = points_pass(thinning, take, state, err);
        factor_raise(thinning, record, filled);
    }
    return rc;
}

/* What a program may store in each step without ending a point of several steps. */
#define BESIDE                                                                                     \
    (SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_LINE) | SW_WANT(SW_RECORD_VALUE) |                \
     SW_WANT(SW_RECORD_SPAN) | SW_WANT(SW_RECORD_SUMMARY))

/* Passes the points that such a record is not in. It may be of a later step than the newest metric
 * of a point: then the point is of that step, too, so that steps do not go back. */
static int beside_take(struct swi_thinning *thinning, const struct sw_record *record,
                       swi_thinning_fn *take, void *state, struct sw_error *err)
{
    int rc = newest_shorten(thinning, -1, 0, take, state, err);
    int64_t place = place_of(thinning, record->step);
    bool later = record->step_source == SW_STEP_OF_LOOP && thinning->groups_place < place;
    if (rc >= 0 && later)
        rc = groups_pass(thinning, take, state, err);
    for (int i = 0; i < SWI_THINNED_LANES && rc >= 0; i++) {
        struct swi_metric_point *lane = &thinning->lane[i];
        if (!lane->records || lane->newest.step_source != record->step_source)
            continue;
        if (lane->place < place)
            rc = lane_pass(thinning, lane, take, state, err);
        else if (lane->newest.step < record->step)
            lane->newest.step = record->step;
    }
    return rc;
}

const struct swi_step_group *swi_thinned_steps(const struct swi_thinning *thinning,
                                               const struct sw_record *record)
{
    for (size_t i = 0; i < thinning->groups.count; i++)
        if (record == &thinning->groups.group[i].record)
            return &thinning->groups.group[i];
    return NULL;
}

void swi_thinning_check(const struct swi_thinning *thinning, struct sw_sink_check *check)
{
    if (swi_thinning_rotates(thinning) && !thinning->max_size)
        sw_sink_mistake(check, "when_full", "rotate needs a limit: set max_size");
}

void swi_thinning_begin(struct swi_thinning *thinning, struct sw_sink *sink, const char *what)
{
    thinning->sink = sink;
    thinning->what = what;
    thinning->factor = 1;
    thinning->newest_left = thinning->thin_after / NEWEST_LEFT;
}

/* Passes a record, whether what came before it has failed or not. */
static int passed(struct swi_thinning *thinning, const struct sw_record *record,
                  swi_thinning_fn *take, void *state, int rc, struct sw_error *err)
{
    if (rc >= 0)
        return one_pass(thinning, record, take, state, err);
    SW_ERROR_SCOPE(ignored);
    one_pass(thinning, record, take, state, &ignored);
    return rc;
}

int swi_thinning_record(struct swi_thinning *thinning, const struct sw_record *record,
                        swi_thinning_fn *take, void *state, struct sw_error *err)
{
    if (SW_WANT(record->type) & GROWING) {
        int full =
            !thinning->stopped && is_full(thinning) ? stop(thinning, record, take, state, err) : 0;
        thinning->unstored += thinning->stopped;
        if (thinning->stopped)
            return full;
    }
    bool metrics = record->type == SW_RECORD_METRICS && record->metrics.count;
    bool thinned = metrics || record->type == SW_RECORD_STEP;
    int rc = thinned ? factor_look(thinning, record, take, state, err) : 0;
    if (rc >= 0 && thinned && swi_thinning_stride(thinning) > 1)
        return newest_take(thinning, record, take, state, err);
    bool beside = SW_WANT(record->type) & BESIDE;
    if (rc >= 0 && !thinned)
        rc = beside           ? beside_take(thinning, record, take, state, err)
             : is_end(record) ? newest_pass(thinning, take, state, err)
                              : points_pass(thinning, take, state, err);
    rc = passed(thinning, record, take, state, rc, err);
    if (!metrics && !beside)
        thinning->seen_ns = record->time_ns;
    return rc;
}

int swi_thinning_step_aside(struct swi_thinning *thinning, const struct sw_record *record,
                            swi_thinning_fn *take, void *state, int64_t *stride,
                            struct sw_error *err)
{
    int rc = factor_look(thinning, record, take, state, err);
    thinning->steps++;
    thinning->lines++;
    is_first(thinning, record);
    thinning->seen_ns = record->time_ns;
    *stride = swi_thinning_stride(thinning);
    return rc;
}

int swi_thinning_end(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                     struct sw_error *err)
{
    int rc = newest_pass(thinning, take, state, err);
    if (thinning->unstored)
        sw_sink_say(thinning->sink, SW_WARNING,
                    "%s: %" PRId64 " records of steps and values came after max_size was reached",
                    thinning->what, thinning->unstored);
    for (int i = 0; i < SWI_THINNED_LANES; i++)
        swi_metric_point_free(&thinning->lane[i]);
    swi_made_metrics_free(&thinning->made);
    return rc;
}
