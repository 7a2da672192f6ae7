/* SPDX-License-Identifier: MIT */
/* metadata.c - kinds of tags, and the rules for their names. */
#include "sinks/tensorboard/writer/metadata.h"

#include "sinks/tensorboard/writer/arena.h"
#include "sinks/tensorboard/writer/utf8.h"
#include "sinks/tensorboard/writer/writer.h"

#include <stdlib.h>
#include <string.h>

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

const char *swi_tb_plugin(enum swi_tb_kind kind)
{
    return kinds[kind].plugin;
}

int swi_tb_data_class(enum swi_tb_kind kind)
{
    return kinds[kind].data_class;
}

uint8_t *swi_tb_scalar_metadata(const struct swi_tb_tag *tag, size_t *size)
{
    static char scalars[] = "scalars";
    SwiTb__PluginData plugin = SWI_TB__PLUGIN_DATA__INIT;
    SwiTb__Metadata metadata = SWI_TB__METADATA__INIT;
    plugin.plugin_name = scalars;
    metadata.plugin_data = &plugin;
    metadata.description = tag->markdown;
    metadata.data_class = SCALAR;
    *size = swi_tb__metadata__get_packed_size(&metadata);
    uint8_t *bytes = malloc(*size);
    if (bytes)
        swi_tb__metadata__pack(&metadata, bytes);
    return bytes;
}

/* Tags that mean something to TensorBoard itself. */
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
        return refuse(tb, swi_tb_fail(tb, SW_ENOMEM, "no memory for another tag"));
    if (tag->kind == kind)
        return tag;
    if (tag->kind != SWI_TB_UNUSED)
        return refuse(tb,
                      swi_tb_fail(tb, SW_EINVAL, "the tag %s holds %s: write %s under another tag",
                                  tag->name, kinds[tag->kind].holds, kinds[kind].holds));
    if (kind < SWI_TB_LAYOUT && reserved(tag->name))
        return refuse(tb,
                      swi_tb_fail(tb, SW_EINVAL,
                                  "the tag %s is TensorBoard's own: use another name", tag->name));
    tag->kind = kind;
    return tag;
}

int sw_tb_describe(struct sw_tb *tb, const char *tag, const char *markdown)
{
    if (!tb)
        return 0;
    struct swi_tb_tag *described = swi_tb_tags_get(&tb->tags, tag ? tag : "");
    char *text = markdown ? swi_tb_utf8_copy(markdown, strlen(markdown)) : NULL;
    if (!described || (markdown && !text)) {
        free(text);
        return swi_tb_fail(tb, SW_ENOMEM, "no memory for the description of a tag");
    }
    free(described->markdown);
    described->markdown = text;
    return 0;
}

bool sw_tb_knows(const struct sw_tb *tb, const char *tag)
{
    return tb && swi_tb_tags_has(&tb->tags, tag ? tag : "");
}
