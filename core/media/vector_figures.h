/* SPDX-License-Identifier: MIT */
/* vector_figures.h - minimum, maximum, mean and the like of the elements of an array. */
#ifndef CORE_MEDIA_VECTOR_FIGURES_H
#define CORE_MEDIA_VECTOR_FIGURES_H

#include "core/media/vector.h"

/* Of the values that are finite. NAN where there are none. */
struct swi_figures {
    size_t finite, nonfinite, zeros;
    double min, max; /* with SW_HISTOGRAM, SW_MIN or SW_MAX */
    double norm, mean, std;
};

/* Computes what is asked for, as bits of enum sw_what. nonfinite is set in any case. */
void swi_vector_figures(struct swi_figures *figures, const struct swi_vector *vector,
                        unsigned what);

#endif
