/* SPDX-License-Identifier: MIT */
#include "tools/html/page_parts.h"

#include <math.h>

double scale_position(const struct scale *scale, double value)
{
    double low = scale->low, high = scale->high;
    value = fmin(fmax(value, low), high);
    double share =
        scale->logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
    return scale->from + share * (scale->to - scale->from);
}

/* Returns the smallest of 1, 2 and 5 times a power of ten that is not below the value. */
static double round_up(double value)
{
    double power = pow(10, floor(log10(value)));
    double digit = value / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static size_t powers(const struct scale *scale, double tick[SCALE_TICKS])
{
    size_t count = 0;
    double power = pow(10, ceil(log10(scale->low) - 1e-9));
    while (count < SCALE_TICKS && power <= scale->high * (1 + 1e-9)) {
        tick[count++] = power;
        power *= 10;
    }
    return count;
}

size_t scale_ticks(const struct scale *scale, size_t wanted, bool whole, double tick[SCALE_TICKS])
{
    if (scale->logarithmic)
        return powers(scale, tick);
    double step = round_up((scale->high - scale->low) / (double)wanted);
    size_t count = 0;
    if (whole && step < 1)
        step = 1;
    for (double at = ceil(scale->low / step - 1e-9);
         count < SCALE_TICKS && at * step <= scale->high + step * 1e-9; at++)
        tick[count++] = at * step;
    return count;
}
