/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/early_values.h"

#include "sinks/tensorboard/event_stream.h"

#include <stdlib.h>
#include <string.h>

/* What a program logs before its first training step is little: a validation of the checkpoint. */
enum { VALUES_MAX = 1024, BYTES_MAX = 16 << 20 };

struct early_value {
    struct stream *stream;
    char *tag;
    int64_t step;
    double wall_s;
    struct rich rich;
};

static void rich_free(struct rich *rich)
{
    for (size_t i = 0; rich->image && i < rich->count; i++)
        free((void *)(uintptr_t)rich->image[i].data);
    free(rich->image);
    free(rich->bin);
    free(rich->text);
}

static size_t rich_bytes(const struct rich *rich)
{
    size_t bytes = rich->text ? strlen(rich->text) : rich->count * sizeof *rich->bin;
    for (size_t i = 0; rich->image && i < rich->count; i++)
        bytes += rich->image[i].size;
    return bytes;
}

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size + 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

static bool images_copy(struct rich *copy, const struct rich *rich)
{
    copy->image = calloc(rich->count + 1, sizeof *copy->image);
    for (size_t i = 0; copy->image && i < rich->count; i++) {
        copy->image[i].size = rich->image[i].size;
        if (!(copy->image[i].data = copy_of(rich->image[i].data, rich->image[i].size)))
            return false;
    }
    return copy->image;
}

static bool rich_copy(struct rich *copy, const struct rich *rich)
{
    *copy = (struct rich){.count = rich->count, .width = rich->width, .height = rich->height};
    if (rich->text)
        return (copy->text = strdup(rich->text));
    if (rich->image)
        return images_copy(copy, rich);
    return (copy->bin = copy_of(rich->bin, rich->count * sizeof *rich->bin));
}

bool early_value_keep(struct tensorboard *t, struct stream *stream, const char *tag, int64_t step,
                      double wall_s, const struct rich *rich)
{
    size_t bytes = rich_bytes(rich);
    if (t->early_count == VALUES_MAX || bytes > BYTES_MAX - t->early_bytes)
        return false;
    struct early_value *grown = realloc(t->early, (t->early_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    t->early = grown;
    struct early_value *early = &grown[t->early_count];
    *early = (struct early_value){stream, strdup(tag), step, wall_s, {0}};
    if (!rich_copy(&early->rich, rich) || !early->tag) {
        rich_free(&early->rich);
        free(early->tag);
        return false;
    }
    t->early_count++;
    t->early_bytes += bytes;
    return true;
}

int64_t early_values_last(const struct tensorboard *t)
{
    int64_t last = 0;
    for (size_t i = 0; i < t->early_count; i++)
        last = t->early[i].step > last ? t->early[i].step : last;
    return last;
}

void early_values_write(struct tensorboard *t, int64_t shift)
{
    for (size_t i = 0; i < t->early_count; i++) {
        const struct early_value *early = &t->early[i];
        int64_t step = early->step + shift > 0 ? early->step + shift : 0;
        struct sw_tb *tb = event_stream_tb(t, early->stream, early->wall_s);
        if (tb)
            rich_write(tb, early->tag, step, &early->rich);
    }
    early_values_fini(t);
}

void early_values_fini(struct tensorboard *t)
{
    for (size_t i = 0; i < t->early_count; i++) {
        rich_free(&t->early[i].rich);
        free(t->early[i].tag);
    }
    free(t->early);
    t->early = NULL;
    t->early_count = t->early_bytes = 0;
}

void rich_write(struct sw_tb *tb, const char *tag, int64_t step, const struct rich *rich)
{
    if (rich->text)
        sw_tb_text(tb, tag, step, rich->text);
    else if (rich->image)
        sw_tb_images(tb, tag, step, rich->width, rich->height, rich->image, rich->count);
    else
        sw_tb_histogram(tb, tag, step, rich->bin, rich->count);
}
