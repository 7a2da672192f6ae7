/* SPDX-License-Identifier: MIT */
/* vector_bins.h - a histogram of the elements of an array. */
#ifndef CORE_MEDIA_VECTOR_BINS_H
#define CORE_MEDIA_VECTOR_BINS_H

#include "core/media/vector_figures.h"

/* Bins of a histogram: as many as TensorBoard shows 30 of, and W&B 64. */
enum { SWI_BINS = 64 };

/* Fills the bins, for figures that have min and max. Returns how many there are: none without a
 * finite value, one where all are equal. */
size_t swi_vector_bins(struct sw_bin bin[SWI_BINS], const struct swi_vector *vector,
                       const struct swi_figures *figures);

#endif
