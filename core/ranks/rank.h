/* SPDX-License-Identifier: MIT */
/* rank.h - finds which process of a distributed run this is, from the variables of its launcher. */
#ifndef CORE_RANKS_RANK_H
#define CORE_RANKS_RANK_H

#include <stepwatch/sink.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ranks of the configuration. A size of 0: not given. */
struct swi_rank_given {
    int64_t rank, size;
};

/* Unknown numbers are -1. */
struct swi_rank {
    int64_t rank; /* 0 if it is not known */
    int64_t size, local_rank, local_size, node;
    int64_t attempt;      /* how often the job was restarted */
    const char *source;   /* "torch"; "configuration"; "none" */
    const char *variable; /* the variable with the rank; NULL if there is none */
    bool certain;  /* nothing contradicts the rank; otherwise the rank must not suppress its results
                    */
    char job[256]; /* "" if it is not known */
    /* An id of the step or job that is the same in all ranks: "7-0"; "" if it is not known. */
    char run[320];
    char warning[512]; /* a warning for the user, or "" */
};

struct swi_variables;

/* Finds the rank. The variables are read now and not kept. */
void swi_rank_find(struct swi_rank *rank, const struct swi_rank_given *given,
                   const struct swi_variables *variables);

/* Finds the rank from the environment of this process. A setuid program reads nothing. */
void swi_rank_find_here(struct swi_rank *rank, const struct swi_rank_given *given);

/* Fills the fields of a run. Unknown sizes are 0 there, and the texts are borrowed. */
void swi_run_set_rank(struct sw_run *run, const struct swi_rank *rank);

/* Writes "rank 3 of 8 (torch: RANK), local rank 1 of 4, node 0, job 7". Returns text. */
const char *swi_rank_describe(const struct swi_rank *rank, char *text, size_t size);

/* ---- the launcher ---------------------------------------------------------------------------- */

/* What the variables of one launcher say about this process. */

/* Reads the environment variables in which launchers pass the rank. */

/* Returns the value of a variable of the environment, or NULL. */
typedef const char *swi_variable_fn(const void *arg, const char *name);

struct swi_variables {
    swi_variable_fn *get;
    const void *arg;
};

/* Returns a variable's value, or NULL if it is not set or empty. */
const char *swi_variable(const struct swi_variables *variables, const char *name);

/* Returns a variable's value as a number: 1 to 10 ASCII digits, at most 2^31 - 1. Returns -1 if it
 * is not set or not such a number. */
int64_t swi_variable_number(const struct swi_variables *variables, const char *name);

/* Converts size bytes of a text in the same way. */
int64_t swi_digits(const char *text, size_t size);

/* Returns how many entries a list with commas has. */
int64_t swi_entries(const char *list);

/* In the order in which they are read. */
enum swi_launcher_id {
    SWI_LAUNCHER_STEPWATCH,
    SWI_LAUNCHER_TORCH,
    SWI_LAUNCHER_HOROVOD,
    SWI_LAUNCHER_OMPI,
    SWI_LAUNCHER_MVAPICH,
    SWI_LAUNCHER_PMI,
    SWI_LAUNCHER_PMIX,
    SWI_LAUNCHER_JSM,
    SWI_LAUNCHER_FLUX,
    SWI_LAUNCHER_PALS,
    SWI_LAUNCHER_SLURM,
    SWI_LAUNCHER_TPU, /* this one and the next ones number machines: see rank.c */
    SWI_LAUNCHER_SAGEMAKER,
    SWI_LAUNCHER_KUBERNETES,
    SWI_LAUNCHERS
};

/* Unknown numbers are -1. */
struct swi_launcher {
    enum swi_launcher_id id;
    const char *name;     /* "torch" */
    const char *variable; /* the variable with the rank */
    int64_t rank, size, local_rank, local_size, node;
};

enum swi_launcher_state {
    SWI_LAUNCHER_ABSENT, /* no variable of it is set */
    SWI_LAUNCHER_THERE,
    SWI_LAUNCHER_WRONG /* its rank or size is not a number, or the rank is not below the size */
};

/* Reads a source before SWI_LAUNCHER_TPU. Sets name and variable unless it is absent. */
enum swi_launcher_state swi_launcher_read(struct swi_launcher *source, enum swi_launcher_id id,
                                          const struct swi_variables *variables);

/* Removes local numbers that contradict each other or the size. */
void swi_launcher_tidy(struct swi_launcher *source);

/* Returns whether two sources have the same rank, size and local size. An unknown number equals any
 * other. */
bool swi_launchers_agree(const struct swi_launcher *a, const struct swi_launcher *b);

/* ---- chooses one of several sources of the rank ---------------------------------------------- */

struct swi_choice {
    size_t count;
    struct swi_launcher source[SWI_LAUNCHERS + 1]; /* in the order of enum swi_launcher_id */
    bool certain;                                  /* set to false if another source contradicts */
    const struct swi_variables *variables;
};

/* Returns the best source. There must be at least one. Sources that do not count are removed. */
const struct swi_launcher *swi_choose(struct swi_choice *choice);

#endif
