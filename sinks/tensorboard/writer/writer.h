/* SPDX-License-Identifier: MIT */
/* writer.h - what the files of the writer share: its state, and how a record gets into it. */
#ifndef TENSORBOARD_WRITER_H
#define TENSORBOARD_WRITER_H

#include "sinks/tensorboard/writer/flusher.h"
#include "sinks/tensorboard/writer/frames.h"
#include "sinks/tensorboard/writer/tags.h"

#include <stepwatch/tensorboard.h>

#include <stdbool.h>
#include <unistd.h>

/* Which process a writer belongs to. A child has a copy of it, perhaps made while another thread
 * changed it, and must neither use its locks nor write its file. */
struct swi_tb_process {
    pid_t pid;
    volatile char *page; /* 1; the kernel makes 0 of it in a child. NULL: it cannot */
};

/* Returns whether this is the process of swi_tb_process_init(): at best one read, for every value
 * asks. */
static inline bool swi_tb_process_is_this(const struct swi_tb_process *process)
{
    return process->page ? *process->page : process->pid == getpid();
}

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
    double flushed_s; /* when a call last wrote out what waits */
    int file;         /* number of the present file, from 1 */
    struct swi_tb_process process;
    struct swi_tb_flusher flusher; /* its lock is for output */
    struct swi_tb_output output;
    struct swi_tb_tags tags;
    uint64_t event;             /* number of the scalar event being made */
    struct swi_tb_point *point; /* scratch for it, room of them */
    size_t room;
    struct sw_tb_stats stats;
    int refused;             /* why swi_tb_tag() gave none */
    struct sw_error problem; /* since the last flush, one a line; code 0: none */
    bool failed;             /* one of them is swi_tb_fail()'s */
};

/* Returns whether a call has anything to do: not without a writer, nor in a child. */
static inline bool swi_tb_usable(const struct sw_tb *tb)
{
    return tb && swi_tb_process_is_this(&tb->process);
}

/* Takes the payload that was put there, and writes out what waits when it is time. */
void swi_tb_commit(struct sw_tb *tb, size_t size, double now);

/* Numbers of fields, as in the messages of tests/tensorboard/tb_messages.h. */
enum {
    SWI_TB_EVENT_WALL_TIME = 1,
    SWI_TB_EVENT_STEP = 2,
    SWI_TB_EVENT_FILE_VERSION = 3,
    SWI_TB_EVENT_SUMMARY = 5,
    SWI_TB_EVENT_SESSION_LOG = 7,
    SWI_TB_EVENT_SOURCE = 10,
    SWI_TB_SUMMARY_VALUE = 1,
    SWI_TB_VALUE_TAG = 1,
    SWI_TB_VALUE_SIMPLE = 2,
    SWI_TB_VALUE_TENSOR = 8,
    SWI_TB_VALUE_METADATA = 9
};

#endif
