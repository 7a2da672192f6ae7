/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline_names.h"

#include "core/text/buffer.h"
#include "core/text/characters.h"

#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns whether every viewer shows a character once it is escaped, and a terminal as well. */
static bool is_shown(uint32_t code)
{
    return code == '\t' || code == '\n' || !swi_character_is_unsafe(code);
}

void swi_timeline_repair(struct swi_text *out, const char *text, size_t size)
{
    uint32_t code;
    for (size_t length; size > 0; text += length, size -= length) {
        length = swi_utf8_next(text, size, &code);
        bool fine = length && is_shown(code);
        swi_text_add(out, fine ? text : REPLACEMENT, fine ? length : 3);
        length = length ? length : 1;
    }
}

/* Escapes a repaired text. */
static void escape_add(struct swi_text *out, const char *text, size_t size)
{
    swi_text_put(out, "\"");
    for (size_t i = 0; i < size; i++) {
        const char *escape = text[i] == '"'    ? "\\\""
                             : text[i] == '\\' ? "\\\\"
                             : text[i] == '\t' ? "\\t"
                             : text[i] == '\n' ? "\\n"
                                               : NULL;
        swi_text_add(out, escape ? escape : text + i, escape ? 2 : 1);
    }
    swi_text_put(out, "\"");
}

void swi_timeline_json(struct swi_text *out, const char *text, size_t size)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, size);
    escape_add(out, repaired.data, repaired.size);
    out->failed |= repaired.failed;
    swi_text_free(&repaired);
}

static enum swi_kind kind_of(const char *text)
{
    static const struct {
        const char *name;
        enum swi_kind kind;
    } kinds[] = {{"fit", SWI_KIND_FIT},           {"epoch", SWI_KIND_EPOCH},
                 {"train", SWI_KIND_TRAIN},       {"valid", SWI_KIND_VALID},
                 {"draw", SWI_KIND_DRAW},         {"batch", SWI_KIND_BATCH},
                 {"opt_step", SWI_KIND_OPT_STEP}, {"zero_grad", SWI_KIND_ZERO_GRAD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, text) == 0)
            return kinds[i].kind;
    return SWI_KIND_OTHER;
}

static void name_free(struct swi_timeline_name *name)
{
    free(name->text);
    free(name->json);
}

/* Viewers fail on an empty name. */
static bool name_make(struct swi_timeline_name *name, const char *text, size_t size)
{
    struct swi_text shown = {0}, json = {0};
    swi_timeline_repair(&shown, size ? text : "unnamed", size ? size : 7);
    if (shown.data)
        escape_add(&json, shown.data, shown.size);
    *name = (struct swi_timeline_name){
        .text = shown.data, .size = shown.size, .json = json.data, .json_size = json.size};
    if (!shown.data || shown.failed || json.failed) {
        name_free(name);
        return false;
    }
    name->kind = kind_of(name->text);
    return true;
}

int32_t swi_timeline_name(struct swi_timeline_names *names, const char *text, size_t size)
{
    size = strnlen(text, size);
    struct swi_timeline_name *name =
        swi_map_item(&names->keys, &names->item, sizeof *name, text, size);
    if (name && !name->text && !name_make(name, text, size)) {
        swi_map_undo(&names->keys);
        return -1;
    }
    return name ? (int32_t)(name - names->item) : -1;
}

void swi_timeline_names_free(struct swi_timeline_names *names)
{
    for (size_t i = 0; i < names->keys.count; i++)
        name_free(&names->item[i]);
    free(names->item);
    swi_map_free(&names->keys);
    names->item = NULL;
}
