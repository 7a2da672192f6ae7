/* SPDX-License-Identifier: MIT */
/* metadata.h - what is beside a tag's first value: which page shows it, and how it is read. */
#ifndef TENSORBOARD_METADATA_H
#define TENSORBOARD_METADATA_H

#include "core/text/buffer.h"
#include "sinks/tensorboard/writer/writer.h"

#include <stdint.h>

/* Adds the metadata of a tag's values. content: of the plugin's own, freed. */
void swi_tb_metadata_put(struct swi_text *to, const struct swi_tb_tag *tag,
                         struct swi_text *content);

/* Returns whether a value of this tag needs metadata in the file of this number: only a scalar that
 * is not described needs none. */
bool swi_tb_metadata_due(const struct swi_tb_tag *tag, int file);

/* The metadata of a described scalar, encoded; the caller's to free(). NULL if out of memory. */
uint8_t *swi_tb_scalar_metadata(const struct swi_tb_tag *tag, size_t *size);

/* The tag, where a value of this kind may be written under it; else NULL: tb->refused
 * says the code, the failure is remembered. */
struct swi_tb_tag *swi_tb_tag(struct sw_tb *tb, const char *tag, enum swi_tb_kind kind);

#endif
