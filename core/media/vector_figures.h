/* SPDX-License-Identifier: MIT */
/* vector_figures.h - minimum, maximum, mean and the like of the elements of an array. */
#ifndef CORE_MEDIA_VECTOR_FIGURES_H
#define CORE_MEDIA_VECTOR_FIGURES_H

#include <stepwatch/values.h>

/* Reads the elements of an array of any type in parts that fit into the first-level cache. */
enum { SWI_PART = 256 };

struct swi_vector {
    enum sw_type type; /* not SW_BOOL or SW_TEXT */
    const void *data;  /* at any address */
    size_t count;
};

/* Elements that were read, as doubles: the finite ones. */
struct swi_elements {
    size_t count;
    double value[SWI_PART];
};

/* Reads the part that begins with element `at`. */
void swi_vector_read(struct swi_elements *part, const struct swi_vector *vector, size_t at);

/* Of the values that are finite. NAN where there are none. */
struct swi_figures {
    size_t finite, nonfinite, zeros;
    double min, max; /* with SW_HISTOGRAM, SW_MIN or SW_MAX */
    double norm, mean, std;
};

/* Computes what is asked for, as bits of enum sw_what. nonfinite is set in any case. */
void swi_vector_figures(struct swi_figures *figures, const struct swi_vector *vector,
                        unsigned what);

/* ---- a histogram of the elements of an array ------------------------------------------------- */

/* Bins of a histogram: as many as TensorBoard shows 30 of, and W&B 64. */
enum { SWI_BINS = 64 };

/* Fills the bins, for figures that have min and max. Returns how many there are: none without a
 * finite value, one where all are equal. */
size_t swi_vector_bins(struct sw_bin bin[SWI_BINS], const struct swi_vector *vector,
                       const struct swi_figures *figures);

#endif
