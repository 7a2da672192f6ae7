/* SPDX-License-Identifier: MIT */
/* value.c - values that are tensors: texts, tables, histograms, images. */

#include "sinks/tensorboard/writer/writer.h"
#include "core/text/characters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bins of a histogram of values, as in TensorFlow. */
#define BINS 30

/* The largest record. A larger one is refused, as is one whose size would overflow. */
#define COUNT_MAX (SWI_TB_PAYLOAD_MAX / 8)

/* ---- messages -------------------------------------------------------------------------------- */

/* Returns the text as valid UTF-8: itself, or a copy that was repaired, which the caller frees.
 * NULL if out of memory. */
static const char *valid(const char *text, int *repaired)
{
    if (!text)
        return "";
    size_t size = strlen(text);
    if (swi_utf8_is_valid(text, size))
        return text;
    ++*repaired;
    return swi_utf8_repair(text, size);
}

void swi_tb_put_text(struct swi_tb_message *to, unsigned field, const char *text)
{
    int before = to->repaired;
    const char *good = valid(text, &to->repaired);
    to->bytes.failed |= !good;
    if (good)
        swi_wire_add_text(&to->bytes, field, good, strlen(good));
    if (to->repaired > before)
        free((char *)(uintptr_t)good);
}

void swi_tb_put_name(struct swi_tb_message *to, unsigned field, const char *text)
{
    if (text && *text)
        swi_tb_put_text(to, field, text);
}

void swi_tb_put_number(struct swi_tb_message *to, unsigned field, int64_t number)
{
    if (number != 0)
        swi_wire_add_number(&to->bytes, field, (uint64_t)number);
}

void swi_tb_put_double(struct swi_tb_message *to, unsigned field, double number)
{
    if (number < 0 || number > 0 || isnan(number))
        swi_wire_add_double(&to->bytes, field, number);
}

void swi_tb_put_message(struct swi_tb_message *to, unsigned field, struct swi_tb_message *message)
{
    to->repaired += message->repaired;
    swi_wire_add_message(&to->bytes, field, &message->bytes);
}

/* ---- a value --------------------------------------------------------------------------------- */

/* What comes before the elements. */
static void tensor_head(struct swi_tb_message *head, const struct swi_tb_tensor *tensor)
{
    struct swi_tb_message shape = {0};
    for (int i = 0; i < tensor->rank; i++) {
        struct swi_tb_message dimension = {0};
        swi_tb_put_number(&dimension, 1, (int64_t)tensor->size[i]);
        swi_tb_put_message(&shape, 2, &dimension);
    }
    swi_tb_put_number(head, 1, tensor->type);
    swi_tb_put_message(head, 2, &shape);
}

static size_t elements_size(const struct swi_tb_tensor *tensor)
{
    size_t size = 0;
    for (size_t i = 0; tensor->bytes && i < tensor->count; i++)
        size += swi_wire_field_size(tensor->bytes[i].size);
    return tensor->number && tensor->count ? swi_wire_field_size(8 * tensor->count) : size;
}

static char *elements_put(char *to, const struct swi_tb_tensor *tensor)
{
    if (tensor->number && tensor->count)
        to = swi_wire_head(to, 6, 8 * tensor->count);
    for (size_t i = 0; tensor->number && i < tensor->count; i++) {
        uint64_t bits;
        memcpy(&bits, &tensor->number[i], sizeof bits);
        to = (char *)swi_put64((uint8_t *)to, bits);
    }
    for (size_t i = 0; tensor->bytes && i < tensor->count; i++) {
        const struct sw_tb_blob *bytes = &tensor->bytes[i];
        to = swi_wire_bytes(to, 8, bytes->size ? bytes->data : "", bytes->size);
    }
    return to;
}

/* begun: the event so far; head: of the tensor. */
static int event_write(struct sw_tb *tb, const struct swi_tb_tag *tag, double now,
                       const struct swi_text *begun, const struct swi_text *head,
                       const struct swi_tb_tensor *tensor, const struct swi_text *metadata)
{
    int rc;
    size_t tensor_size = head->size + elements_size(tensor);
    size_t value_size = swi_wire_field_size(tag->name_size) + swi_wire_field_size(tensor_size) +
                        (metadata->size ? swi_wire_field_size(metadata->size) : 0);
    size_t summary_size = swi_wire_field_size(value_size);
    size_t size = begun->size + swi_wire_field_size(summary_size);
    uint8_t *payload = swi_tb_reserve(tb, size, &rc);
    if (!payload)
        return rc;
    char *to = (char *)payload;
    if (begun->size)
        memcpy(to, begun->data, begun->size);
    to = swi_wire_head(to + begun->size, SWI_TB_EVENT_SUMMARY, summary_size);
    to = swi_wire_head(to, SWI_TB_SUMMARY_VALUE, value_size);
    to = swi_wire_bytes(to, SWI_TB_VALUE_TAG, tag->name, tag->name_size);
    to = swi_wire_head(to, SWI_TB_VALUE_TENSOR, tensor_size);
    memcpy(to, head->data, head->size);
    to = elements_put(to + head->size, tensor);
    if (metadata->size)
        swi_wire_bytes(to, SWI_TB_VALUE_METADATA, metadata->data, metadata->size);
    swi_tb_commit(tb, size, now);
    return 0;
}

int swi_tb_value_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       const struct swi_tb_tensor *tensor, struct swi_tb_message *content)
{
    struct swi_tb_message none = {0}, head = {0};
    SWI_FREED struct swi_text begun = {0}, metadata = {0};
    double now = swi_tb_now(tb);
    int repaired = tensor->repaired + (content ? content->repaired : 0);
    swi_tb_event_begin(&begun, now, step);
    tensor_head(&head, tensor);
    /* Readers use it only with the first value of a tag. */
    if (tag->file != tb->file)
        swi_tb_metadata_put(&metadata, tag, content ? &content->bytes : &none.bytes);
    bool failed = tensor->failed || begun.failed || head.bytes.failed || metadata.failed;
    int rc = failed ? swi_tb_fail(tb, SW_ENOMEM, "not enough memory for a value of %s", tag->name)
                    : event_write(tb, tag, now, &begun, &head.bytes, tensor, &metadata);
    swi_text_free(&head.bytes);
    if (content)
        swi_text_free(&content->bytes);
    if (rc < 0)
        return rc;
    tag->file = tb->file;
    tag->used = true;
    tb->stats.repaired += repaired;
    return 0;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Writes texts as the tensor's elements. */
static int texts_write(struct sw_tb *tb, struct swi_tb_tag *tag, int64_t step,
                       struct swi_tb_tensor *tensor, const char *const *text)
{
    struct sw_tb_blob *good = calloc(tensor->count + 1, sizeof *good);
    tensor->bytes = good;
    tensor->failed = !good;
    for (size_t i = 0; good && i < tensor->count; i++) {
        good[i].data = valid(text[i], &tensor->repaired);
        good[i].size = good[i].data ? strlen(good[i].data) : 0;
        tensor->failed |= !good[i].data;
    }
    int rc = swi_tb_value_write(tb, tag, step, tensor, NULL);
    for (size_t i = 0; good && i < tensor->count; i++)
        if (text[i] && good[i].data != text[i])
            free((void *)(uintptr_t)good[i].data);
    free(good);
    return rc;
}

int sw_tb_text(struct sw_tb *tb, const char *tag, int64_t step, const char *markdown)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *text = swi_tb_tag(tb, tag, SWI_TB_TEXT);
    struct swi_tb_tensor tensor = {.type = SWI_TB_BYTES, .count = 1};
    return text ? texts_write(tb, text, step, &tensor, &markdown) : tb->refused;
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
    struct swi_tb_tensor tensor = {
        .type = SWI_TB_BYTES, .rank = 2, .size = {rows, columns}, .count = rows * columns};
    return texts_write(tb, text, step, &tensor, cell);
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
    struct sw_tb_blob *item = calloc(count + 2, sizeof *item);
    struct swi_tb_tensor tensor = {.type = SWI_TB_BYTES,
                                   .rank = 1,
                                   .size = {count + 2},
                                   .count = count + 2,
                                   .bytes = item,
                                   .failed = !item};
    if (item) {
        item[0] = (struct sw_tb_blob){w, strlen(w)};
        item[1] = (struct sw_tb_blob){h, strlen(h)};
        for (size_t i = 0; i < count; i++)
            item[i + 2] = image[i];
    }
    int rc = swi_tb_value_write(tb, images, step, &tensor, NULL);
    free(item);
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
    double *row = calloc(6 * count + 1, sizeof *row);
    size_t values = row ? put_bins(row, bin, count) : 0;
    struct swi_tb_tensor tensor = {.type = SWI_TB_DOUBLE,
                                   .rank = 2,
                                   .size = {values / 3, 3},
                                   .count = values,
                                   .number = row,
                                   .failed = !row};
    int rc = swi_tb_value_write(tb, histogram, step, &tensor, NULL);
    free(row);
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
