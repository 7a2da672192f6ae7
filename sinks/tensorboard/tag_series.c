/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/tag_series.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const struct tag_series *series, const char *tag, size_t size)
{
    return series->size == size && memcmp(series->tag, tag, size) == 0;
}

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const char *tag, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)tag[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A tag is described and then gets its value: the last one or the next one. */
static struct tag_series *find_near(struct tag_series_list *list, const char *tag, size_t size)
{
    size_t next = list->last + 1 < list->count ? list->last + 1 : 0;
    if (!list->count)
        return NULL;
    if (is_of(list->item[list->last], tag, size))
        return list->item[list->last];
    if (!is_of(list->item[next], tag, size))
        return NULL;
    list->last = next;
    return list->item[next];
}

static struct tag_series *find(struct tag_series_list *list, const char *tag, size_t size,
                               uint64_t hash)
{
    struct tag_series *series = list->room ? list->bucket[hash % list->room] : NULL;
    while (series && !(series->hash == hash && is_of(series, tag, size)))
        series = series->next;
    if (series)
        list->last = series->number;
    return series;
}

static void link_in(struct tag_series_list *list, struct tag_series *series)
{
    struct tag_series **bucket = &list->bucket[series->hash % list->room];
    series->next = *bucket;
    *bucket = series;
}

static bool grow(struct tag_series_list *list)
{
    if (list->count < list->room)
        return true;
    size_t room = list->room ? 2 * list->room : 32;
    struct tag_series **bucket = calloc(room, sizeof(*bucket));
    struct tag_series **item = bucket ? realloc(list->item, room * sizeof *item) : NULL;
    if (!item) {
        free(bucket);
        return false;
    }
    free(list->bucket);
    list->item = item;
    list->bucket = bucket;
    list->room = room;
    for (size_t i = 0; i < list->count; i++)
        link_in(list, item[i]);
    return true;
}

static struct tag_series *add(struct tag_series_list *list, const char *tag, size_t size,
                              uint64_t hash)
{
    struct tag_series *series = grow(list) ? calloc(1, sizeof *series) : NULL;
    if (!series || !(series->tag = strndup(tag, size))) {
        free(series);
        return NULL;
    }
    series->size = size;
    series->hash = hash;
    series->number = list->last = list->count;
    list->item[list->count++] = series;
    link_in(list, series);
    return series;
}

struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag)
{
    size_t size = strnlen(tag, TAG_MAX - 1);
    struct tag_series *series = find_near(list, tag, size);
    if (series)
        return series;
    uint64_t hash = hash_of(tag, size);
    series = find(list, tag, size, hash);
    return series ? series : add(list, tag, size, hash);
}

void tag_series_fini(struct tag_series_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->item[i]->tag);
        free(list->item[i]);
    }
    free(list->item);
    free(list->bucket);
    *list = (struct tag_series_list){0};
}
