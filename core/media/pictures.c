/* SPDX-License-Identifier: MIT */
#include "core/media/pictures.h"
#include "core/media/png.h"
#include "core/text/sha256.h"

#include <stdlib.h>

void swi_made_files_free(struct swi_made_file **made)
{
    for (struct swi_made_file *file = *made, *next; file; file = next) {
        next = file->next;
        free(file->file);
        free(file);
    }
    *made = NULL;
}

void swi_picture_set_init(struct swi_picture_set *set, struct swi_picture *picture, size_t count,
                          struct swi_budget *budget)
{
    set->pictures = (struct sw_pictures){.size = sizeof set->pictures,
                                         .count = count,
                                         .stride = sizeof *picture,
                                         .picture = &picture->picture};
    set->picture = picture;
    set->budget = budget;
    pthread_mutex_init(&set->lock, NULL);
    for (size_t i = 0; i < count; i++) {
        picture[i] = (struct swi_picture){.set = set};
        picture[i].picture.size = sizeof picture->picture;
        picture[i].picture.sha256 = picture[i].sha256;
    }
}

void swi_picture_set_fini(struct swi_picture_set *set)
{
    for (size_t i = 0; i < set->pictures.count; i++) {
        if (!set->picture[i].png)
            continue;
        swi_budget_give(set->budget, set->picture[i].png_size);
        free(set->picture[i].png);
    }
    pthread_mutex_destroy(&set->lock);
}

/* If the budget is full, only the caller has the file, and frees it after the record. */
static bool png_keep(struct swi_picture *picture, struct swi_made_file **made, uint8_t *png,
                     size_t size)
{
    if (swi_budget_take(picture->set->budget, size)) {
        picture->png = png;
        picture->png_size = size;
        return true;
    }
    struct swi_made_file *file = malloc(sizeof *file);
    if (!file)
        return false;
    *file = (struct swi_made_file){*made, png};
    *made = file;
    return true;
}

/* With the lock held. */
static int png_make(struct swi_picture *picture, struct swi_made_file **made, const void **bytes,
                    size_t *size)
{
    const struct sw_picture *p = &picture->picture;
    uint8_t *png = swi_png_new(p->pixel, p->width, p->height, p->channels, true, size);
    if (!png)
        return SW_ENOMEM;
    if (!png_keep(picture, made, png, *size)) {
        free(png);
        return SW_ENOMEM;
    }
    *bytes = png;
    return 0;
}

static int encode(struct swi_picture *picture, struct swi_made_file **made, const void **bytes,
                  size_t *size)
{
    const struct sw_picture *p = &picture->picture;
    int rc = 0;
    if (p->encoded) {
        *bytes = p->encoded;
        *size = p->encoded_size;
    } else if (picture->png) {
        *bytes = picture->png;
        *size = picture->png_size;
    } else {
        rc = png_make(picture, made, bytes, size);
    }
    if (rc == 0 && !*picture->sha256)
        swi_sha256_hex(*bytes, *size, picture->sha256);
    return rc;
}

int swi_picture_encode(const struct sw_picture *picture, struct swi_made_file **made,
                       const void **bytes, size_t *size)
{
    struct swi_picture *own = (struct swi_picture *)(uintptr_t)picture;
    pthread_mutex_lock(&own->set->lock);
    int rc = encode(own, made, bytes, size);
    pthread_mutex_unlock(&own->set->lock);
    return rc;
}
