/* SPDX-License-Identifier: MIT */
#include "core/counters/event_code.h"
#include "core/counters/libpfm.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define RAW "raw:"
#define PFM "pfm:"
enum { PREFIX = sizeof RAW - 1 };

static bool is_raw(const char *name)
{
    return strncmp(name, RAW, PREFIX) == 0;
}

static bool is_pfm(const char *name)
{
    return strncmp(name, PFM, PREFIX) == 0;
}

bool swi_event_is_named(const char *name)
{
    return is_raw(name) || is_pfm(name);
}

static int raw_find(const char *text, struct swi_event_code *code, struct sw_error *err)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t count = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, digits) : 0;
    if (!count || count > 16 || text[2 + count])
        return sw_error_set(err, SW_EINVAL,
                            "expected the code of an event, 1 to 16 hexadecimal digits after 0x, "
                            "like raw:0x01c2");
    *code = (struct swi_event_code){.type = PERF_TYPE_RAW, .config = strtoull(text, NULL, 16)};
    return 0;
}

/* The characters of libpfm's names, so that no output has to quote one. */
static bool has_fine_characters(const char *text)
{
    static const char fine[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-=:";
    size_t length = strspn(text, fine);
    return length && !text[length] && text[length - 1] != ':';
}

int swi_event_code_find(const char *name, struct swi_event_code *code, struct sw_error *err)
{
    if (is_raw(name))
        return raw_find(name + PREFIX, code, err);
    if (has_fine_characters(name + PREFIX))
        return swi_libpfm_code(name + PREFIX, code, err);
    return sw_error_set(err, SW_EINVAL,
                        "expected the name of an event of libpfm, like "
                        "pfm:RETIRED_INSTRUCTIONS");
}
