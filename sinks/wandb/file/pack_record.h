/* SPDX-License-Identifier: MIT */
/* pack_record.h - packs messages of wandb.proto and adds them to the log. */
#ifndef SINKS_WANDB_FILE_PACK_RECORD_H
#define SINKS_WANDB_FILE_PACK_RECORD_H

#include "sinks/wandb/file/records.h"
#include "sinks/wandb/file/wandb.pb-c.h"

/* Structs of protobuf-c have no const, but it does not change texts. NULL becomes "". */
char *swi_wandb_text(const char *text);
size_t swi_wandb_texts_count(const char *const *texts);
SwiWandb__Timestamp swi_wandb_timestamp(double wall_s);

/* Packs a record and adds it with the next number. */
void swi_records_add(struct swi_records *records, SwiWandb__Record *record,
                     SwiWandb__Record__WhatCase what);

/* Makes room in records->packed. Returns false if out of memory. */
bool swi_records_room(struct swi_records *records, size_t size);

/* Adds the record in records->packed. size 0: there was no memory for it. */
void swi_records_add_packed(struct swi_records *records, size_t size);

/* Gives it to `beyond`. Returns whether that keeps it. */
bool swi_records_set_aside(struct swi_records *records, size_t size);

#endif
