/* SPDX-License-Identifier: MIT */
/* tags.h - the tags of a writer: what kind each is of, and whether this file has its metadata. */
#ifndef TENSORBOARD_TAGS_H
#define TENSORBOARD_TAGS_H

#include "core/text/map.h"

enum swi_tb_kind {
    SWI_TB_UNUSED, /* described, but without a value yet */
    SWI_TB_SCALAR,
    SWI_TB_HISTOGRAM,
    SWI_TB_TEXT,
    SWI_TB_IMAGE,
    SWI_TB_LAYOUT,
    SWI_TB_HPARAMS
};

struct swi_tb_tag {
    char *name; /* as the file has it: valid UTF-8, not empty */
    size_t name_size;
    struct swi_tb_tag *same; /* where the name had to be repaired: the tag that is used instead */
    enum swi_tb_kind kind;   /* of its values, or of the one that is being made of the first */
    bool used;               /* it has a value */
    bool refused;            /* it was said why a value was refused */
    int file;                /* number of the file that has its metadata, 0: none */
    char *markdown;          /* its description; may be NULL */
    uint64_t event; /* of the scalar event being made: whether the tag is in it, and where */
    size_t place;
};

/* Zero-initialised is empty. */
struct swi_tb_tags {
    struct swi_map keys;     /* as the caller writes them */
    struct swi_tb_tag **tag; /* by the number of the key */
    size_t repaired;         /* how many of the keys are empty or not UTF-8 */
};

/* Finds the tag, or adds it unused. NULL if out of memory. */
struct swi_tb_tag *swi_tb_tags_get(struct swi_tb_tags *tags, const char *key);

/* The tag, or NULL. */
const struct swi_tb_tag *swi_tb_tags_find(const struct swi_tb_tags *tags, const char *key);

void swi_tb_tags_fini(struct swi_tb_tags *tags);

#endif
