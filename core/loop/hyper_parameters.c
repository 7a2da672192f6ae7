/* SPDX-License-Identifier: MIT */
/* sw_hparam_int() and its like: hyper-parameters. */
#include "core/counters/counted_memory.h"
#include "core/loop/state.h"
#include "core/rows/rare_overhead.h"
#include "core/text/address_user.h"

#include <stdlib.h>
#include <string.h>

struct hparam_text {
    struct sw_hparam hparam;
    char text[];
};

static void hparam_release(struct swi_record *record)
{
    free(record->owned);
}

static struct hparam_text *hparam_new(struct sw_profiler *sw, const char *name, const char *string)
{
    SWI_OWN_MEMORY;
    size_t n = strlen(name) + 1, s = string ? strlen(string) + 1 : 0;
    struct hparam_text *hparam = calloc(1, sizeof *hparam + n + s);
    if (!hparam) {
        swi_no_memory(&sw->records, "a hyper-parameter");
        return NULL;
    }
    memcpy(hparam->text, name, n);
    hparam->hparam.size = sizeof hparam->hparam;
    hparam->hparam.name = hparam->text;
    if (string) {
        hparam->hparam.string = memcpy(hparam->text + n, string, s);
        swi_address_clean(hparam->text + n);
    }
    return hparam;
}

static void hparam_push(struct sw_profiler *sw, struct hparam_text *hparam)
{
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    struct swi_record *record = hparam ? swi_recorder_make(&sw->records, SW_RECORD_HPARAM, 0,
                                                           swi_clock_tick(&sw->measured.clock))
                                       : NULL;
    if (!record) {
        free(hparam);
        return;
    }
    record->owned = hparam;
    record->release = hparam_release;
    record->bytes += sizeof *hparam + strlen(hparam->hparam.name) +
                     (hparam->hparam.string ? strlen(hparam->hparam.string) : 0);
    record->record.hparam = &hparam->hparam;
    swi_pipeline_push(sw->records.pipeline, record);
}

static bool hparam_wanted(const struct sw_profiler *sw, const char *name)
{
    return sw && name && !swi_is_inherited(&sw->measured) && !atomic_load(&sw->measured.dead) &&
           swi_wants(&sw->records, SW_RECORD_HPARAM);
}

void sw_hparam_int(struct sw_profiler *sw, const char *name, int64_t value)
{
    struct hparam_text *hparam = hparam_wanted(sw, name) ? hparam_new(sw, name, NULL) : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_INT;
    hparam->hparam.integer = value;
    hparam_push(sw, hparam);
}

void sw_hparam_float(struct sw_profiler *sw, const char *name, double value)
{
    struct hparam_text *hparam = hparam_wanted(sw, name) ? hparam_new(sw, name, NULL) : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_FLOAT;
    hparam->hparam.number = value;
    hparam_push(sw, hparam);
}

void sw_hparam_string(struct sw_profiler *sw, const char *name, const char *value)
{
    struct hparam_text *hparam =
        hparam_wanted(sw, name) ? hparam_new(sw, name, value ? value : "") : NULL;
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_STRING;
    hparam_push(sw, hparam);
}
