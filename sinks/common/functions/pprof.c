/* SPDX-License-Identifier: MIT */
/* pprof: one protobuf message (profile.proto), in the format of gzip without compression. */
#include "core/text/digest.h"
#include "core/text/wire.h"
#include "sinks/common/functions/export_formats.h"
#include "sinks/common/functions/merged_tree.h"

#include <string.h>

/* ---- the message ---- */

/* Texts are referred to by their numbers in a table: first these, then name and file of each
 * function. */
enum { EMPTY, CALLS, COUNT, WALL, NANOSECONDS, SAMPLES, MORE, TEXTS };
static const char *const texts[TEXTS] = {
    "", "calls", "count", "wall", "nanoseconds", "samples", "(more contexts)"};

struct pprof_writing {
    const struct tree *tree;
    struct swi_text out;
    int64_t total;
};

static void type_put(struct swi_text *out, unsigned field, int type, int unit)
{
    struct swi_text part = {0};
    swi_wire_add_number(&part, 1, (uint64_t)type);
    swi_wire_add_number(&part, 2, (uint64_t)unit);
    swi_wire_add_message(out, field, &part);
}

/* Each function has one location. The leaf comes first. */
static void take(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls)
{
    struct pprof_writing *writing = arg;
    struct swi_text ids = {0}, values = {0}, sample = {0};
    for (size_t i = depth; i-- > 0;)
        swi_wire_add_varint(&ids, function[i] == STACKS_MORE ? writing->tree->stats.count + 1
                                                             : function[i] + 1);
    swi_wire_add_varint(&values, (uint64_t)calls);
    swi_wire_add_varint(&values, (uint64_t)ns);
    swi_wire_add_message(&sample, 1, &ids);
    swi_wire_add_message(&sample, 2, &values);
    swi_wire_add_message(&writing->out, 2, &sample);
    writing->total += ns;
}

static void location_put(struct swi_text *out, size_t id, int64_t line)
{
    struct swi_text part = {0}, where = {0};
    swi_wire_add_number(&where, 1, id);
    swi_wire_add_number(&where, 2, (uint64_t)(line > 0 ? line : 0));
    swi_wire_add_number(&part, 1, id);
    swi_wire_add_message(&part, 4, &where);
    swi_wire_add_message(out, 4, &part);
}

static void function_put(struct swi_text *out, size_t id, size_t name, size_t file, int64_t line)
{
    struct swi_text part = {0};
    swi_wire_add_number(&part, 1, id);
    swi_wire_add_number(&part, 2, name);
    swi_wire_add_number(&part, 3, name);
    swi_wire_add_number(&part, 4, file);
    swi_wire_add_number(&part, 5, (uint64_t)(line > 0 ? line : 0));
    swi_wire_add_message(out, 5, &part);
}

static void functions_put(struct swi_text *out, const struct tree *tree)
{
    size_t count = tree->stats.count;
    for (size_t i = 0; i < count; i++) {
        location_put(out, i + 1, tree->stats.function[i].line);
        function_put(out, i + 1, TEXTS + 2 * i, TEXTS + 2 * i + 1, tree->stats.function[i].line);
    }
    location_put(out, count + 1, 0);
    function_put(out, count + 1, MORE, EMPTY, 0);
    for (int i = 0; i < TEXTS; i++)
        swi_wire_add_text(out, 6, texts[i], strlen(texts[i]));
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *name = stacks_name(tree, i, &size), *file = tree->stats.function[i].file;
        swi_wire_add_text(out, 6, name, size);
        swi_wire_add_text(out, 6, file, strlen(file));
    }
}

static void message_make(struct pprof_writing *writing, const struct exported_run *about)
{
    struct swi_text *out = &writing->out;
    type_put(out, 1, about->samples ? SAMPLES : CALLS, COUNT);
    type_put(out, 1, WALL, NANOSECONDS);
    out->failed |= !stacks_each(writing->tree, take, writing);
    functions_put(out, writing->tree);
    swi_wire_add_number(out, 10, (uint64_t)writing->total);
    type_put(out, 11, WALL, NANOSECONDS);
    swi_wire_add_number(out, 12, 1);
    swi_wire_add_number(out, 14, WALL);
}

/* ---- gzip: blocks that are stored as they are ---- */

static void put_little(FILE *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 255), out);
}

static void gzip_write(FILE *out, const char *data, size_t size)
{
    enum { BLOCK = 65535 };
    fwrite("\x1f\x8b\x08\0\0\0\0\0\0\xff", 1, 10, out);
    for (size_t at = 0, left = size;;) {
        uint32_t take_now = left < BLOCK ? (uint32_t)left : BLOCK;
        putc(left <= BLOCK ? 1 : 0, out);
        put_little(out, take_now, 2);
        put_little(out, ~take_now & 0xffff, 2);
        fwrite(data + at, 1, take_now, out);
        at += take_now;
        left -= take_now;
        if (!left)
            break;
    }
    put_little(out, swi_crc32(0, data, size), 4);
    put_little(out, (uint32_t)size, 4);
}

bool export_pprof(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    struct pprof_writing writing = {.tree = tree};
    message_make(&writing, about);
    bool fine = !writing.out.failed;
    if (fine)
        gzip_write(out, writing.out.data, writing.out.size);
    swi_text_free(&writing.out);
    return fine;
}
