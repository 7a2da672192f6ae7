/* SPDX-License-Identifier: MIT */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "core/media/vector.h"
#include "core/media/half.h"
#include "core/media/lanes.h"
#include "core/media/pixels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PART = SWI_PART, LANES = SWI_DOUBLES };

#define READ(type, convert)                                                                        \
    do {                                                                                           \
        type raw[PART];                                                                            \
        memcpy(raw, from, count * sizeof *raw);                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (double)convert(raw[i]);                                                       \
    } while (0)

static void elements_read(double *to, const char *from, size_t count, enum sw_type type)
{
    switch (type) {
    case SW_U8:
        READ(uint8_t, );
        break;
    case SW_I32:
        READ(int32_t, );
        break;
    case SW_I64:
        READ(int64_t, );
        break;
    case SW_F32:
        READ(float, );
        break;
    case SW_F16:
        READ(uint16_t, swi_half);
        break;
    case SW_BF16:
        READ(uint16_t, swi_bfloat);
        break;
    default:
        memcpy(to, from, count * sizeof *to);
    }
}

/* A value times 0 is 0, and NAN if it is not finite. */
static bool has_nonfinite(const double *value, size_t count)
{
    swi_doubles_mask found = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        swi_doubles x;
        SWI_LANES_LOAD(x, value + i);
        found |= x * 0 != 0;
    }
    bool any = found[0] || found[1];
    for (; i < count; i++)
        any |= !(fabs(value[i]) <= DBL_MAX);
    return any;
}

static size_t finite_pick(double *value, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(value[i]) <= DBL_MAX)
            value[kept++] = value[i];
    return kept;
}

void swi_vector_read(struct swi_elements *part, const struct swi_vector *vector, size_t at)
{
    size_t left = vector->count - at;
    const char *from = (const char *)vector->data + at * swi_type_size(vector->type);
    part->count = left < PART ? left : PART;
    elements_read(part->value, from, part->count, vector->type);
    bool integers = vector->type <= SW_I64;
    if (!integers && has_nonfinite(part->value, part->count))
        part->count = finite_pick(part->value, part->count);
}
