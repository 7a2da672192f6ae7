/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/rank.h"
#include "sinks/wandb/account/sdk_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                    "SLURM_PROCID"};

static const char *said(const char *name)
{
    const char *text = swi_wandb_env(name);
    return text && *text ? text : NULL;
}

/* -1 where it is no rank. */
static long rank_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    long rank = digits && digits <= 10 && !text[digits] ? strtol(text, NULL, 10) : -1;
    return rank <= 0x7fffffff ? rank : -1;
}

static void warn_no_rank(struct swi_wandb_rank *rank, const char *name, const char *text)
{
    if (!*rank->warning)
        snprintf(rank->warning, sizeof rank->warning,
                 "%s is \"%.64s\", which is no rank: expected a number from 0; it is left out",
                 name, text);
}

static void warn_other(struct swi_wandb_rank *rank, const char *name, long other)
{
    if (!*rank->warning)
        snprintf(rank->warning, sizeof rank->warning,
                 "this process is the first by %s and number %ld by %s; the former counts: unset "
                 "the one that is wrong, or processes that are not the first make a run too",
                 rank->from, other, name);
}

static void take(struct swi_wandb_rank *rank, const char *name, const char *text)
{
    long found = rank_of(text);
    if (found < 0)
        warn_no_rank(rank, name, text);
    else if (!rank->from)
        rank->from = name, rank->rank = found;
    else if (rank->rank == 0 && found > 0)
        warn_other(rank, name, found);
}

void swi_wandb_rank_find(struct swi_wandb_rank *rank)
{
    *rank = (struct swi_wandb_rank){0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (said(names[i]))
            take(rank, names[i], said(names[i]));
}

const char *swi_wandb_rank_job(void)
{
    /* torchrun without --rdzv-id calls every job none. */
    const char *elastic = said("TORCHELASTIC_RUN_ID");
    const char *slurm = said("SLURM_JOB_ID");
    if (slurm)
        return slurm;
    return elastic && strcmp(elastic, "none") != 0 ? elastic : said("PMIX_NAMESPACE");
}
