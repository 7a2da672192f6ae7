/* SPDX-License-Identifier: MIT */
/* ranks.h - the mapping `ranks`: which process of a distributed run this is, if no launcher
 * provides it or a launcher is wrong. */
#ifndef CONFIG_RANKS_H
#define CONFIG_RANKS_H

struct swi_node;
struct swi_yaml_reader;

/* Reads `ranks: {rank: N, size: N}` into settings->ranks. */
void swi_ranks_read(struct swi_yaml_reader *reading, const struct swi_node *node);

#endif
