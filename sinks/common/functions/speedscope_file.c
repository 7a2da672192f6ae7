/* SPDX-License-Identifier: MIT */
/* The file format of speedscope.app: one "sampled" profile whose weights are nanoseconds. */
#include "core/text/escape.h"
#include "sinks/common/functions/speedscope_file.h"
#include "sinks/common/functions/stacks.h"

#include <stdlib.h>
#include <string.h>

struct speedscope_writing {
    const struct tree *tree;
    struct swi_text samples, weights;
    int64_t total;
};

static void json_name(struct swi_text *text, const char *name, size_t size)
{
    char *copy = strndup(name, size);
    text->failed |= !copy;
    if (copy)
        swi_escape_json(text, copy);
    free(copy);
}

/* The frames are the functions, followed by one for contexts beyond the tree. */
static void take(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls)
{
    struct speedscope_writing *writing = arg;
    bool first = !writing->samples.size;
    (void)calls;
    swi_text_put(&writing->samples, first ? "[" : ",[");
    for (size_t i = 0; i < depth; i++) {
        size_t frame = function[i] == STACKS_MORE ? writing->tree->stats.count : function[i];
        if (i)
            swi_text_put(&writing->samples, ",");
        swi_text_integer(&writing->samples, (int64_t)frame);
    }
    swi_text_put(&writing->samples, "]");
    if (!first)
        swi_text_put(&writing->weights, ",");
    swi_text_integer(&writing->weights, ns);
    writing->total += ns;
}

static void frames_put(struct swi_text *out, const struct tree *tree)
{
    for (size_t i = 0; i <= tree->stats.count; i++) {
        size_t size;
        const char *name = stacks_name(tree, i < tree->stats.count ? i : STACKS_MORE, &size);
        swi_text_put(out, i ? ",\n{\"name\":" : "{\"name\":");
        json_name(out, name, size);
        const struct function *f = i < tree->stats.count ? &tree->stats.function[i] : NULL;
        if (f && strcmp(f->file, "~") != 0) {
            swi_text_put(out, ",\"file\":");
            swi_escape_json(out, f->file);
        }
        if (f && f->line > 0) {
            swi_text_put(out, ",\"line\":");
            swi_text_integer(out, f->line);
        }
        swi_text_put(out, "}");
    }
}

static void all_put(struct swi_text *out, const struct speedscope_writing *writing,
                    const struct exported_run *about)
{
    swi_text_put(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                      "\"shared\":{\"frames\":[\n");
    frames_put(out, writing->tree);
    swi_text_put(out, "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
    swi_escape_json(out, about->name);
    swi_text_put(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":");
    swi_text_integer(out, writing->total);
    swi_text_put(out, ",\n\"samples\":[");
    swi_text_add(out, writing->samples.data ? writing->samples.data : "", writing->samples.size);
    swi_text_put(out, "],\n\"weights\":[");
    swi_text_add(out, writing->weights.data ? writing->weights.data : "", writing->weights.size);
    swi_text_put(out, "]}],\n\"name\":");
    swi_escape_json(out, about->program);
    swi_text_put(out, ",\"activeProfileIndex\":0,\"exporter\":\"stepwatch\"}\n");
}

bool export_speedscope(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    struct speedscope_writing writing = {.tree = tree};
    struct swi_text text = {0};
    bool fine = stacks_each(tree, take, &writing);
    all_put(&text, &writing, about);
    fine = fine && !text.failed && !writing.samples.failed && !writing.weights.failed;
    if (fine)
        fwrite(text.data, 1, text.size, out);
    swi_text_free(&text);
    swi_text_free(&writing.samples);
    swi_text_free(&writing.weights);
    return fine;
}
