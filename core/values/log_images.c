/* SPDX-License-Identifier: MIT */
/* Checks images and converts them to 8 bits, all into one block. */
#include "core/media/pictures.h"
#include "core/values/logging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 64, SIDE_MAX = 65500 };
#define PIXELS_MAX ((size_t)64 << 20)

/* The program's image with all fields, and its converted form. */
struct checked {
    struct sw_image image;
    struct swi_picture_file file; /* of SW_ENCODED */
    struct swi_valid_text caption;
    size_t bytes; /* of pixels, or of the file */
};

struct images_block {
    struct sw_value value;
    struct swi_picture_set set;
    struct swi_picture picture[];
};

/* ---- checks ---------------------------------------------------------------------------------- */

static bool has_pixels(enum sw_type type)
{
    return type == SW_U8 || type == SW_F32 || type == SW_F64 || type == SW_F16 || type == SW_BF16;
}

static int side_check(const struct swi_logging *logging, int width, int height)
{
    if (width >= 1 && width <= SIDE_MAX && height >= 1 && height <= SIDE_MAX)
        return 0;
    return SWI_REFUSE(logging, "%d x %d pixels, expected 1 to %d on each side", width, height,
                      SIDE_MAX);
}

static int range_check(const struct swi_logging *logging, const struct sw_image *image)
{
    bool given = image->low != 0 || image->high != 0;
    if (image->type == SW_U8 || !given ||
        (isfinite(image->low) && isfinite(image->high) && image->low != image->high))
        return 0;
    return SWI_REFUSE(logging, "low is %g and high is %g: expected two different finite numbers",
                      image->low, image->high);
}

static int pixels_check(const struct swi_logging *logging, struct checked *checked)
{
    const struct sw_image *image = &checked->image;
    int rc = side_check(logging, image->width, image->height);
    if (rc < 0)
        return rc;
    if (image->channels != 1 && image->channels != 3 && image->channels != 4)
        return SWI_REFUSE(logging, "%d channels, expected 1, 3 or 4", image->channels);
    if (!has_pixels(image->type))
        return SWI_REFUSE(logging, "type %d, expected SW_U8, SW_F32, SW_F64, SW_F16 or SW_BF16",
                          (int)image->type);
    size_t span = swi_pixels_span(image);
    if (!span)
        return SWI_REFUSE(logging, "row_bytes is %zu, which is less than a row", image->row_bytes);
    if (image->bytes && image->bytes < span)
        return SWI_REFUSE(logging, "%zu bytes of pixels, expected %zu", image->bytes, span);
    checked->bytes = (size_t)image->width * (size_t)image->height * (size_t)image->channels;
    return range_check(logging, image);
}

static int file_check(const struct swi_logging *logging, struct checked *checked)
{
    const char *wrong =
        swi_picture_file_read(&checked->file, checked->image.data, checked->image.bytes);
    if (wrong)
        return SWI_REFUSE(logging, "%s", wrong);
    checked->bytes = checked->image.bytes;
    return side_check(logging, checked->file.width, checked->file.height);
}

static int image_check(const struct swi_logging *logging, struct checked *checked)
{
    const struct sw_image *image = &checked->image;
    if (!image->data)
        return SWI_REFUSE(logging, "the data is NULL");
    if (image->layout == SW_ENCODED)
        return file_check(logging, checked);
    if (image->layout != SW_HWC && image->layout != SW_CHW)
        return SWI_REFUSE(logging, "layout %d, expected SW_HWC, SW_CHW or SW_ENCODED",
                          (int)image->layout);
    return pixels_check(logging, checked);
}

/* If the program has an older header, the fields that it lacks are 0. The first image has the size
 * of all. */
static int images_take(const struct swi_logging *logging, struct checked *checked,
                       const struct sw_image *image, size_t count)
{
    size_t size = count ? image->size : 0, sum = 0;
    if (count && (size < offsetof(struct sw_image, caption) || size > 4096))
        return SWI_REFUSE(logging, "size is %zu, expected sizeof(struct sw_image)", size);
    for (size_t i = 0; i < count; i++) {
        const char *from = (const char *)image + i * size;
        checked[i] = (struct checked){.image.size = size};
        memcpy(&checked[i].image, from,
               size < sizeof checked[i].image ? size : sizeof checked[i].image);
        int rc = image_check(logging, &checked[i]);
        if (rc < 0)
            return rc;
        sum += checked[i].bytes;
        if (sum > PIXELS_MAX)
            return SWI_REFUSE(logging, "more than 64 MiB of pixels");
    }
    return 0;
}

/* ---- the block ------------------------------------------------------------------------------- */

static bool captions_take(struct checked *checked, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (checked[i].image.caption &&
            !swi_valid_text_init(&checked[i].caption, checked[i].image.caption, SWI_CAPTION_MAX))
            return false;
    return true;
}

static size_t block_bytes(const struct checked *checked, size_t count)
{
    size_t bytes = sizeof(struct images_block) + count * sizeof(struct swi_picture);
    for (size_t i = 0; i < count; i++)
        bytes += checked[i].bytes + checked[i].caption.size + 1;
    return bytes;
}

static void picture_fill(struct sw_picture *picture, const struct checked *checked, char **room)
{
    const struct sw_image *image = &checked->image;
    bool is_file = image->layout == SW_ENCODED;
    void *bytes = *room;
    *room += checked->bytes;
    picture->width = is_file ? checked->file.width : image->width;
    picture->height = is_file ? checked->file.height : image->height;
    picture->channels = is_file ? 0 : image->channels;
    picture->format = is_file ? checked->file.format : "png";
    if (is_file) {
        picture->encoded = memcpy(bytes, image->data, checked->bytes);
        picture->encoded_size = checked->bytes;
    } else {
        swi_pixels_put(bytes, image);
        picture->pixel = bytes;
    }
    if (image->caption)
        picture->caption = swi_text_take(room, checked->caption.text, checked->caption.size);
}

static void images_release(void *owned)
{
    struct images_block *block = owned;
    swi_picture_set_fini(&block->set);
    swi_block_free(block);
}

static int images_send(const struct swi_logging *logging, const struct checked *checked,
                       size_t count)
{
    int rc = 0;
    size_t bytes = block_bytes(checked, count);
    struct images_block *block = swi_logging_block(logging, bytes, &rc);
    if (!block)
        return rc;
    swi_picture_set_init(&block->set, block->picture, count, &logging->sw->records.budget);
    char *room = (char *)(block->picture + count);
    for (size_t i = 0; i < count; i++)
        picture_fill(&block->picture[i].picture, &checked[i], &room);
    block->value = (struct sw_value){.pictures = &block->set.pictures};
    rc = swi_logging_send(logging, &block->value, block, bytes, images_release);
    if (rc < 0)
        images_release(block);
    return rc;
}

static int images_log(struct swi_logging *logging, struct checked *checked,
                      const struct sw_image *image, size_t count)
{
    int rc = images_take(logging, checked, image, count);
    rc = rc < 0 ? rc : swi_logging_name(logging);
    if (rc < 0)
        return rc;
    if (captions_take(checked, count)) {
        rc = images_send(logging, checked, count);
    } else {
        swi_no_memory(&logging->sw->records, "a caption");
        rc = SW_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        free(checked[i].caption.repaired);
    return rc;
}

/* A single image needs no memory except its block. */
static int images_begin(struct swi_logging *logging, const struct sw_image *image, size_t count)
{
    struct checked one = {0};
    if (count > IMAGES_MAX)
        return SWI_REFUSE(logging, "%zu pictures at once, expected at most %d", count, IMAGES_MAX);
    if (!image && count)
        return SWI_REFUSE(logging, "the images are NULL");
    if (count <= 1)
        return images_log(logging, &one, image, count);
    struct checked *checked = calloc(count, sizeof *checked);
    if (!checked) {
        swi_no_memory(&logging->sw->records, "images");
        return SW_ENOMEM;
    }
    int rc = images_log(logging, checked, image, count);
    free(checked);
    return rc;
}

int sw_log_images(struct sw_profiler *sw, const char *name, const struct sw_image *image,
                  size_t count)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_IMAGES) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_IMAGES, name))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return images_begin(&logging, image, count);
}

int sw_log_image(struct sw_profiler *sw, const char *name, enum sw_type type, const void *pixels,
                 int width, int height, int channels, const char *caption)
{
    const struct sw_image image = {.size = sizeof image,
                                   .data = pixels,
                                   .layout = SW_HWC,
                                   .type = type,
                                   .width = width,
                                   .height = height,
                                   .channels = channels,
                                   .caption = caption};
    return sw_log_images(sw, name, &image, 1);
}
