/* SPDX-License-Identifier: MIT */
/* metadata.h - what stands beside a tag's first value: which page shows it, and how it is read. */
#ifndef TENSORBOARD_METADATA_H
#define TENSORBOARD_METADATA_H

#include "sinks/tensorboard/writer/tags.h"

#include <stdint.h>

/* The plugin's name and the data class of a kind. */
const char *swi_tb_plugin(enum swi_tb_kind kind);
int swi_tb_data_class(enum swi_tb_kind kind);

/* The metadata of a described scalar, encoded; the caller's to free(). NULL without memory. */
uint8_t *swi_tb_scalar_metadata(const struct swi_tb_tag *tag, size_t *size);

#endif
