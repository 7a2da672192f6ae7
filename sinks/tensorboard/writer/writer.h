/* SPDX-License-Identifier: MIT */
/* writer.h - what the files of the writer share: its state, and how a record gets into it. */
#ifndef TENSORBOARD_WRITER_H
#define TENSORBOARD_WRITER_H

#include "sinks/tensorboard/tensorboard.pb-c.h"
#include "sinks/tensorboard/writer/output.h"
#include "sinks/tensorboard/writer/tags.h"

#include <stepwatch/tensorboard.h>

/* A scalar on its way: the tag, and the value as the file has it. */
struct swi_tb_point {
    struct swi_tb_tag *tag;
    float value;
    size_t metadata_size;
    uint8_t *metadata; /* encoded, on the tag's first occurrence; else NULL */
    size_t size;       /* of the Value message */
};

struct sw_tb {
    char *dir;
    char *suffix;
    char *writer;
    char *path;
    double flush_s;
    double wall_s;    /* time of what follows; NAN: the clock's */
    double flushed_s; /* when output was last written */
    int file;         /* number of the present file, from 1 */
    struct swi_tb_output output;
    struct swi_tb_tags tags;
    uint64_t event;             /* number of the scalar event being made */
    struct swi_tb_point *point; /* scratch for it, room of them */
    size_t room;
    struct sw_tb_stats stats;
    int refused;             /* why swi_tb_tag() gave none */
    struct sw_error problem; /* the first since the last flush; code 0: none */
};

/* The time of the next record: set, or the clock's. */
double swi_tb_now(const struct sw_tb *tb);

/* Remembers the first failure since the last flush, counts every one; returns code. */
__attribute__((format(printf, 3, 4))) int swi_tb_fail(struct sw_tb *tb, int code,
                                                      const char *format, ...);

/* The tag, where a value of this kind may be written under it; else NULL: tb->refused
 * says the code, the failure is remembered. */
struct swi_tb_tag *swi_tb_tag(struct sw_tb *tb, const char *tag, enum swi_tb_kind kind);

/* Room for a payload; NULL when it does not fit, the failure remembered and rc set. */
uint8_t *swi_tb_reserve(struct sw_tb *tb, size_t size, int *rc);

/* Takes the payload that was put there, and writes out what waits when it is time. */
void swi_tb_commit(struct sw_tb *tb, size_t size, double now);

/* Encodes and takes one event; its wall time is set here unless it has one. */
int swi_tb_event(struct sw_tb *tb, SwiTb__Event *event);

#endif
