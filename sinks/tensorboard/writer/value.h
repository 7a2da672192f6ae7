/* SPDX-License-Identifier: MIT */
/* value.h - makes messages and tensors, and writes a tag's value with its metadata where it is due.
 */
#ifndef TENSORBOARD_VALUE_H
#define TENSORBOARD_VALUE_H

#include "core/text/wire.h"
#include "sinks/tensorboard/writer/writer.h"

/* A message that is being made of texts of the program. Zero-initialised, it is empty. */
struct swi_tb_message {
    struct swi_text bytes;
    int repaired; /* texts that were not UTF-8 */
};

/* Adds a text as valid UTF-8. NULL is "". */
void swi_tb_put_text(struct swi_tb_message *to, unsigned field, const char *text);
/* These add nothing if the value is the default of the format: no text, or 0. */
void swi_tb_put_name(struct swi_tb_message *to, unsigned field, const char *text);
void swi_tb_put_number(struct swi_tb_message *to, unsigned field, int64_t number);
void swi_tb_put_double(struct swi_tb_message *to, unsigned field, double number);
/* Frees the message. */
void swi_tb_put_message(struct swi_tb_message *to, unsigned field, struct swi_tb_message *message);

/* Types of a tensor's elements. */
enum { SWI_TB_FLOAT = 1, SWI_TB_DOUBLE = 2, SWI_TB_BYTES = 7 };

/* Its elements are borrowed. */
struct swi_tb_tensor {
    int type;
    int rank;
    size_t size[2]; /* of each dimension */
    size_t count;   /* of the elements that are given: of those the type asks for */
    const double *number;
    const struct sw_tb_blob *bytes;
    bool failed;  /* there was not enough memory for it */
    int repaired; /* texts in it that were not UTF-8 */
};

/* Writes an event of one value. content: of the plugin's metadata, freed; may be NULL. */
int swi_tb_value_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       const struct swi_tb_tensor *tensor, struct swi_tb_message *content);

#endif
