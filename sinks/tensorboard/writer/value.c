/* SPDX-License-Identifier: MIT */
/* value.c - values that are tensors: texts, tables, histograms, images. */
#include "sinks/tensorboard/writer/value.h"

#include "core/text/characters.h"
#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/problem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory for the messages of one call, freed together ------------------------------------- */

struct swi_tb_block {
    struct swi_tb_block *next;
    void *data;
};

/* Frees data together with the arena. If out of memory, frees data now and returns NULL. */
static void *keep(struct swi_tb_arena *arena, void *data)
{
    struct swi_tb_block *block = data ? malloc(sizeof *block) : NULL;
    if (!block) {
        free(data);
        arena->failed = true;
        return NULL;
    }
    *block = (struct swi_tb_block){.next = arena->first, .data = data};
    arena->first = block;
    return data;
}

void *swi_tb_arena_new(struct swi_tb_arena *arena, size_t count, size_t size)
{
    return keep(arena, calloc(count ? count : 1, size));
}

char *swi_tb_arena_text(struct swi_tb_arena *arena, const char *text)
{
    static char empty[] = "";
    if (!text)
        return empty;
    size_t size = strlen(text);
    if (swi_utf8_is_valid(text, size))
        return (char *)(uintptr_t)text;
    arena->repaired++;
    char *copy = keep(arena, swi_utf8_repair(text, size));
    return copy ? copy : empty;
}

void swi_tb_arena_fini(struct swi_tb_arena *arena)
{
    while (arena->first) {
        struct swi_tb_block *block = arena->first;
        arena->first = block->next;
        free(block->data);
        free(block);
    }
}

/* ---- makes tensors, and writes a tag's value with its metadata where they are due ------------ */

/* Types of a tensor's elements. */
enum { FLOAT = 1, DOUBLE = 2, STRING = 7 };

/* The bins of a histogram of values, as in TensorFlow. */
#define BINS 30

/* The largest record. A larger one is refused, as is one whose size would overflow. */
#define COUNT_MAX (SWI_TB_PAYLOAD_MAX / 8)

/* ---- shared with layout.c and hparams.c ------------------------------------------------------ */

SwiTb__Tensor *swi_tb_tensor_new(struct swi_tb_arena *arena, int type, int rank,
                                 const int64_t *size)
{
    SwiTb__Tensor *tensor = swi_tb_arena_new(arena, 1, sizeof *tensor);
    SwiTb__Shape *shape = swi_tb_arena_new(arena, 1, sizeof *shape);
    SwiTb__Dim *dim = swi_tb_arena_new(arena, (size_t)rank, sizeof *dim);
    SwiTb__Dim **dims = swi_tb_arena_new(arena, (size_t)rank, sizeof *dims);
    if (arena->failed)
        return NULL;
    swi_tb__tensor__init(tensor);
    swi_tb__shape__init(shape);
    for (int i = 0; i < rank; i++) {
        swi_tb__dim__init(&dim[i]);
        dim[i].size = size[i];
        dims[i] = &dim[i];
    }
    shape->n_dim = (size_t)rank;
    shape->dim = dims;
    tensor->type = type;
    tensor->shape = shape;
    return tensor;
}

SwiTb__Tensor *swi_tb_tensor_bytes(struct swi_tb_arena *arena, ProtobufCBinaryData bytes)
{
    SwiTb__Tensor *tensor = swi_tb_tensor_new(arena, STRING, 0, NULL);
    ProtobufCBinaryData *item = swi_tb_arena_new(arena, 1, sizeof *item);
    if (arena->failed)
        return NULL;
    *item = bytes;
    tensor->n_string_val = 1;
    tensor->string_val = item;
    return tensor;
}

SwiTb__Tensor *swi_tb_tensor_none(struct swi_tb_arena *arena)
{
    return swi_tb_tensor_new(arena, FLOAT, 1, (int64_t[]){0});
}

static int write_value(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       SwiTb__Tensor *tensor, ProtobufCBinaryData content)
{
    SwiTb__Value value = SWI_TB__VALUE__INIT;
    SwiTb__Value *values[] = {&value};
    SwiTb__Summary summary = SWI_TB__SUMMARY__INIT;
    SwiTb__Event event = SWI_TB__EVENT__INIT;
    struct swi_tb_metadata metadata;

    swi_tb_metadata_init(&metadata, tag);
    metadata.plugin.content = content;
    value.tag = tag->name;
    value.what_case = SWI_TB__VALUE__WHAT_TENSOR;
    value.tensor = tensor;
    /* Readers use them only with the first value of a tag. */
    value.metadata = tag->file != tb->file ? &metadata.metadata : NULL;
    summary.n_value = 1;
    summary.value = values;
    event.step = step;
    event.what_case = SWI_TB__EVENT__WHAT_SUMMARY;
    event.summary = &summary;
    return swi_tb_event(tb, &event);
}

int swi_tb_value_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       struct swi_tb_arena *arena, SwiTb__Tensor *tensor,
                       ProtobufCBinaryData content)
{
    if (arena->failed)
        return swi_tb_fail(tb, SW_ENOMEM, "not enough memory for a value of %s", tag->name);
    int rc = write_value(tb, tag, step, tensor, content);
    if (rc < 0)
        return rc;
    tag->file = tb->file;
    tag->used = true;
    tb->stats.repaired += arena->repaired;
    return 0;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int write_strings(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                         struct swi_tb_arena *arena, SwiTb__Tensor *tensor,
                         ProtobufCBinaryData *item, size_t count)
{
    if (tensor) {
        tensor->n_string_val = count;
        tensor->string_val = item;
    }
    return swi_tb_value_write(tb, tag, step, arena, tensor, (ProtobufCBinaryData){0});
}

int sw_tb_text(struct sw_tb *tb, const char *tag, int64_t step, const char *markdown)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *text = swi_tb_tag(tb, tag, SWI_TB_TEXT);
    if (!text)
        return tb->refused;
    struct swi_tb_arena arena = {0};
    ProtobufCBinaryData item = swi_tb_bytes(swi_tb_arena_text(&arena, markdown));
    int rc =
        write_strings(tb, text, step, &arena, swi_tb_tensor_new(&arena, STRING, 0, NULL), &item, 1);
    swi_tb_arena_fini(&arena);
    return rc;
}

int sw_tb_table(struct sw_tb *tb, const char *tag, int64_t step, const char *const *cell,
                size_t rows, size_t columns)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *text = swi_tb_tag(tb, tag, SWI_TB_TEXT);
    if (!text)
        return tb->refused;
    if (rows > COUNT_MAX || columns > COUNT_MAX / (rows ? rows : 1))
        return swi_tb_refuse(tb, text,
                             "the table %s of %zu x %zu cells is too large for TensorBoard",
                             text->name, rows, columns);
    struct swi_tb_arena arena = {0};
    int64_t size[] = {(int64_t)rows, (int64_t)columns};
    SwiTb__Tensor *tensor = swi_tb_tensor_new(&arena, STRING, 2, size);
    ProtobufCBinaryData *item = swi_tb_arena_new(&arena, rows * columns, sizeof *item);
    for (size_t i = 0; item && i < rows * columns; i++)
        item[i] = swi_tb_bytes(swi_tb_arena_text(&arena, cell[i]));
    int rc = write_strings(tb, text, step, &arena, tensor, item, rows * columns);
    swi_tb_arena_fini(&arena);
    return rc;
}

/* A record holds all of them, so sizes that would overflow are refused first. */
static bool images_fit(const struct sw_tb_blob *image, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (image[i].size > SWI_TB_PAYLOAD_MAX - sum)
            return false;
        sum += image[i].size;
    }
    return true;
}

int sw_tb_images(struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
                 const struct sw_tb_blob *image, size_t count)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *images = swi_tb_tag(tb, tag, SWI_TB_IMAGE);
    if (!images)
        return tb->refused;
    if (count > COUNT_MAX || !images_fit(image, count))
        return swi_tb_refuse(tb, images, "the images of %s are too large for TensorBoard",
                             images->name);
    char w[16], h[16];
    snprintf(w, sizeof w, "%d", width);
    snprintf(h, sizeof h, "%d", height);
    struct swi_tb_arena arena = {0};
    SwiTb__Tensor *tensor = swi_tb_tensor_new(&arena, STRING, 1, (int64_t[]){(int64_t)count + 2});
    ProtobufCBinaryData *item = swi_tb_arena_new(&arena, count + 2, sizeof *item);
    if (item) {
        item[0] = swi_tb_bytes(w);
        item[1] = swi_tb_bytes(h);
        for (size_t i = 0; i < count; i++)
            item[i + 2] = (ProtobufCBinaryData){.len = image[i].size,
                                                .data = (uint8_t *)(uintptr_t)image[i].data};
    }
    int rc = write_strings(tb, images, step, &arena, tensor, item, count + 2);
    swi_tb_arena_fini(&arena);
    return rc;
}

int sw_tb_image(struct sw_tb *tb, const char *tag, int64_t step, int width, int height,
                const void *encoded, size_t size)
{
    const struct sw_tb_blob image = {encoded, size};
    return sw_tb_images(tb, tag, step, width, height, &image, 1);
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* Rows of left edge, right edge and count. The page needs adjacent bins, so a gap becomes a row. */
static size_t put_bins(double *row, const struct sw_bin *bin, size_t count)
{
    double *to = row;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && bin[i].low > bin[i - 1].high) {
            *to++ = bin[i - 1].high;
            *to++ = bin[i].low;
            *to++ = 0;
        }
        *to++ = bin[i].low;
        *to++ = bin[i].high;
        *to++ = (double)bin[i].count;
    }
    return (size_t)(to - row);
}

static bool bins_ascend(const struct sw_bin *bin, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool follows = i == 0 || bin[i].low >= bin[i - 1].high;
        if (!follows || !isfinite(bin[i].low) || !isfinite(bin[i].high) || bin[i].high < bin[i].low)
            return false;
    }
    return true;
}

int sw_tb_histogram(struct sw_tb *tb, const char *tag, int64_t step, const struct sw_bin *bin,
                    size_t count)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *histogram = swi_tb_tag(tb, tag, SWI_TB_HISTOGRAM);
    if (!histogram)
        return tb->refused;
    if (count > COUNT_MAX / 6 || !bins_ascend(bin, count))
        return swi_tb_refuse(
            tb, histogram,
            "the bins of the histogram %s must be finite, ascending and must not overlap",
            histogram->name);
    struct swi_tb_arena arena = {0};
    double *row = swi_tb_arena_new(&arena, 6 * count, sizeof *row);
    size_t values = row ? put_bins(row, bin, count) : 0;
    SwiTb__Tensor *tensor =
        swi_tb_tensor_new(&arena, DOUBLE, 2, (int64_t[]){(int64_t)(values / 3), 3});
    if (tensor) {
        tensor->n_double_val = values;
        tensor->double_val = row;
    }
    int rc = swi_tb_value_write(tb, histogram, step, &arena, tensor, (ProtobufCBinaryData){0});
    swi_tb_arena_fini(&arena);
    return rc;
}

/* Returns how many values are finite, and their range. */
static size_t range_of(const double *value, size_t count, double *min, double *max)
{
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(value[i]))
            continue;
        *min = finite == 0 || value[i] < *min ? value[i] : *min;
        *max = finite == 0 || value[i] > *max ? value[i] : *max;
        finite++;
    }
    return finite;
}

/* The range of finite numbers may be infinite, so it is divided first. */
static double edge(double min, double max, int i)
{
    if (i == 0 || i == BINS)
        return i == 0 ? min : max;
    if (isfinite(max - min))
        return min + (max - min) * i / BINS;
    return min / BINS * (BINS - i) + max / BINS * i;
}

static int bin_of(double value, double min, double max)
{
    double width = max / BINS - min / BINS;
    int i = width > 0 ? (int)(value / width - min / width) : BINS - 1;
    return i < 0 ? 0 : i >= BINS ? BINS - 1 : i;
}

int sw_tb_histogram_values(struct sw_tb *tb, const char *tag, int64_t step, const double *value,
                           size_t count)
{
    struct sw_bin bin[BINS] = {0};
    double min = 0, max = 0;
    if (!swi_tb_usable(tb))
        return 0;
    if (range_of(value, count, &min, &max) == 0)
        return sw_tb_histogram(tb, tag, step, bin, 0);
    for (int i = 0; i < BINS; i++) {
        bin[i].low = edge(min, max, i);
        bin[i].high = edge(min, max, i + 1);
    }
    for (size_t i = 0; i < count; i++)
        if (isfinite(value[i]))
            bin[bin_of(value[i], min, max)].count++;
    return sw_tb_histogram(tb, tag, step, bin, BINS);
}
