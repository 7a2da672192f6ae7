/* SPDX-License-Identifier: MIT */
/* metadata.c - kinds of tags, and the rules for their names. */
#include "sinks/tensorboard/writer/writer.h"
#include "core/text/characters.h"

#include <stdlib.h>
#include <string.h>

/* ---- tags ------------------------------------------------------------------------------------ */

static void tag_free(struct swi_tb_tag *tag)
{
    if (!tag)
        return;
    free(tag->name);
    free(tag->markdown);
    free(tag);
}

static struct swi_tb_tag *tag_new(const char *key, size_t size)
{
    struct swi_tb_tag *tag = calloc(1, sizeof *tag);
    if (!tag)
        return NULL;
    tag->name = size == 0 ? strdup("unnamed") : swi_utf8_repair(key, size);
    if (tag->name) {
        tag->name_size = strlen(tag->name);
        return tag;
    }
    tag_free(tag);
    return NULL;
}

struct swi_tb_tag *swi_tb_tags_get(struct swi_tb_tags *tags, const char *key)
{
    size_t size = strlen(key);
    struct swi_tb_tag **at = swi_map_item(&tags->keys, &tags->tag, sizeof(void *), key, size);
    if (!at)
        return NULL;
    if (*at)
        return (*at)->same ? (*at)->same : *at;
    struct swi_tb_tag *tag = *at = tag_new(key, size);
    if (!tag || strcmp(key, tag->name) == 0)
        return tag;
    /* Two keys with the same spelling are one series and must have the same kind. */
    tags->repaired++;
    tag->same = swi_tb_tags_get(tags, tag->name);
    return tag->same;
}

/* The tag, or NULL. */
static const struct swi_tb_tag *tags_find(const struct swi_tb_tags *tags, const char *key)
{
    ptrdiff_t number = swi_map_find(&tags->keys, key, strlen(key));
    const struct swi_tb_tag *tag = number < 0 ? NULL : tags->tag[number];
    return tag && tag->same ? tag->same : tag;
}

void swi_tb_tags_fini(struct swi_tb_tags *tags)
{
    for (size_t i = 0; i < tags->keys.count; i++)
        tag_free(tags->tag[i]);
    free(tags->tag);
    swi_map_free(&tags->keys);
    *tags = (struct swi_tb_tags){0};
}

enum { SCALAR = 1, TENSOR = 2, BLOB_SEQUENCE = 3 };

static const struct {
    const char *plugin;
    int data_class;
    const char *holds; /* in a message */
} kinds[] = {
    [SWI_TB_UNUSED] = {"", 0, "nothing"},
    [SWI_TB_SCALAR] = {"scalars", SCALAR, "scalars"},
    [SWI_TB_HISTOGRAM] = {"histograms", TENSOR, "histograms"},
    [SWI_TB_TEXT] = {"text", TENSOR, "texts"},
    [SWI_TB_IMAGE] = {"images", BLOB_SEQUENCE, "images"},
    [SWI_TB_LAYOUT] = {"custom_scalars", TENSOR, "a layout"},
    [SWI_TB_HPARAMS] = {"hparams", TENSOR, "hyper-parameters"},
};

void swi_tb_metadata_put(struct swi_text *to, const struct swi_tb_tag *tag,
                         struct swi_text *content)
{
    struct swi_text plugin = {0};
    const char *name = kinds[tag->kind].plugin;
    if (*name)
        swi_wire_add_text(&plugin, 1, name, strlen(name));
    if (content->size || content->failed)
        swi_wire_add_message(&plugin, 2, content);
    swi_wire_add_message(to, 1, &plugin);
    if (tag->markdown && *tag->markdown)
        swi_wire_add_text(to, 3, tag->markdown, strlen(tag->markdown));
    if (kinds[tag->kind].data_class)
        swi_wire_add_number(to, 4, (uint64_t)kinds[tag->kind].data_class);
}

/* Readers use them only with the first value of a tag. */
bool swi_tb_metadata_due(const struct swi_tb_tag *tag, int file)
{
    return tag->file != file && (tag->kind != SWI_TB_SCALAR || tag->markdown);
}

uint8_t *swi_tb_scalar_metadata(const struct swi_tb_tag *tag, size_t *size)
{
    struct swi_text bytes = {0}, none = {0};
    swi_tb_metadata_put(&bytes, tag, &none);
    if (bytes.failed)
        swi_text_free(&bytes);
    *size = bytes.size;
    return (uint8_t *)bytes.data;
}

/* Tags with a meaning for TensorBoard itself. */
static bool reserved(const char *tag)
{
    return strncmp(tag, "_hparams_/", 10) == 0 || strcmp(tag, "custom_scalars__config__") == 0 ||
           strcmp(tag, "__run_graph__") == 0;
}

static struct swi_tb_tag *refuse(struct sw_tb *tb, int rc)
{
    tb->refused = rc;
    return NULL;
}

struct swi_tb_tag *swi_tb_tag(struct sw_tb *tb, const char *name, enum swi_tb_kind kind)
{
    struct swi_tb_tag *tag = swi_tb_tags_get(&tb->tags, name ? name : "");
    if (!tag)
        return refuse(tb, swi_tb_fail(tb, SW_ENOMEM, "not enough memory for another tag"));
    if (tag->used && tag->kind != kind)
        return refuse(tb, swi_tb_refuse(tb, tag, "the tag %s contains %s: write %s to another tag",
                                        tag->name, kinds[tag->kind].holds, kinds[kind].holds));
    if (kind < SWI_TB_LAYOUT && reserved(tag->name))
        return refuse(
            tb,
            swi_tb_refuse(tb, tag, "the tag %s is TensorBoard's own: use another name", tag->name));
    tag->kind = kind;
    return tag;
}

int sw_tb_describe(struct sw_tb *tb, const char *tag, const char *markdown)
{
    if (!swi_tb_usable(tb))
        return 0;
    struct swi_tb_tag *described = swi_tb_tags_get(&tb->tags, tag ? tag : "");
    char *text = markdown ? swi_utf8_repair(markdown, strlen(markdown)) : NULL;
    if (!described || (markdown && !text)) {
        free(text);
        return swi_tb_fail(tb, SW_ENOMEM, "not enough memory for the description of a tag");
    }
    free(described->markdown);
    described->markdown = text;
    return 0;
}

bool sw_tb_knows(const struct sw_tb *tb, const char *tag)
{
    if (!swi_tb_usable(tb))
        return false;
    const struct swi_tb_tag *known = tags_find(&tb->tags, tag ? tag : "");
    return known && (known->used || known->markdown);
}
