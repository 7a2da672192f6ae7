/* SPDX-License-Identifier: MIT */
/* tag_series.h - the tags of a stream. */
#ifndef SINKS_TENSORBOARD_TAG_SERIES_H
#define SINKS_TENSORBOARD_TAG_SERIES_H

#include "core/text/map.h"

enum {
    TAG_MAX = 320, /* bytes of a tag: an action's or a metric's name has 255 at most */
    SLOTS = 4      /* steps whose values are still being collected */
};

/* A tag, and where its value is in each step that is being collected. */
struct tag_series {
    const char *tag;      /* the map's */
    bool described;       /* the writer knows it, so it needs no description */
    uint64_t turn[SLOTS]; /* of the slot when it had this tag last */
    size_t place[SLOTS];  /* in that turn of the slot */
};

/* Initialise it as {0}. */
struct tag_series_list {
    struct swi_map tags;
    struct tag_series **item; /* by the number of the tag */
};

/* Returns the series of a tag, which stays where it is; NULL if out of memory. */
struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag);
void tag_series_fini(struct tag_series_list *list);

#endif
