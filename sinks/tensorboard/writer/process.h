/* SPDX-License-Identifier: MIT */
/* process.h - which process a writer belongs to. A child has a copy of it, perhaps made while
 * another thread changed it, and must neither use its locks nor write its file. */
#ifndef TENSORBOARD_PROCESS_H
#define TENSORBOARD_PROCESS_H

#include <stdbool.h>
#include <unistd.h>

struct swi_tb_process {
    pid_t pid;
    volatile char *page; /* 1; the kernel makes 0 of it in a child. NULL: it cannot */
};

void swi_tb_process_init(struct swi_tb_process *process);
void swi_tb_process_fini(struct swi_tb_process *process);

/* Returns whether this is the process of swi_tb_process_init(): at best one read, for every value
 * asks. */
static inline bool swi_tb_process_is_this(const struct swi_tb_process *process)
{
    return process->page ? *process->page : process->pid == getpid();
}

#endif
