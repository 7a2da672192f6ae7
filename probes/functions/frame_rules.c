/* SPDX-License-Identifier: MIT */
#include "probes/functions/frame_rules.h"
#include "probes/functions/table_bytes.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* ---- the table of an object ---- */

/* Returns the address of its header (.eh_frame_hdr), or 0. is_object: set to whether there is an
 * object at all, as far as that can be known. Takes no lock. */
static uintptr_t header_of(uintptr_t pc, bool *is_object)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    static int (*find)(void *, struct dl_find_object *); /* glibc has it since 2.35 */
    struct dl_find_object object;
    if (!find)
        *(void **)&find = dlsym(RTLD_DEFAULT, "_dl_find_object");
    bool found = find && find((void *)pc, &object) == 0;
    *is_object = found || !find;
    return found ? (uintptr_t)object.dlfo_eh_frame : 0;
#else
    (void)pc;
    *is_object = true;
    return 0;
#endif
}

bool fn_rule_is_object(uintptr_t pc)
{
    bool is_object;
    header_of(pc, &is_object);
    return is_object;
}

/* A row of .eh_frame_hdr: both are relative to its beginning. */
struct table_row {
    int32_t function, entry;
};

enum { FIXED = 12, AS_EXPECTED = 0x3b031b }; /* bytes before the rows; encodings of the header */

static bool row_at(uintptr_t header, uint32_t i, struct table_row *row)
{
    return fn_safe_read(row, header + FIXED + i * sizeof *row, sizeof *row);
}

/* Returns the address of the entry (FDE) of a function, or 0. */
static uintptr_t entry_of(uintptr_t pc)
{
    struct {
        uint32_t version_and_encodings;
        int32_t frames;
        uint32_t count;
    } head = {0};
    struct table_row row;
    bool is_object;
    uintptr_t header = header_of(pc, &is_object);
    if (!header || !fn_safe_read(&head, header, sizeof head) ||
        head.version_and_encodings != (1 | AS_EXPECTED << 8) || head.count == 0)
        return 0;
    int64_t sought = (int64_t)(pc - header);
    uint32_t low = 0, high = head.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (!row_at(header, middle, &row))
            return 0;
        if (row.function <= sought)
            low = middle;
        else
            high = middle;
    }
    if (!row_at(header, low, &row) || row.function > sought)
        return 0;
    return header + (uintptr_t)(intptr_t)row.entry;
}

/* ---- entries ---- */

/* What all functions of a common entry (CIE) share. */
struct common {
    struct fn_bytes program;
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t encoding; /* of addresses */
    bool augmented, signal;
};

static void augmentation_read(struct fn_bytes *in, const char *letters, struct common *common)
{
    struct fn_bytes after = *in;
    fn_bytes_skip(&after, fn_bytes_uleb(&after));
    fn_bytes_uleb(in);
    for (; *letters && !in->bad; letters++) {
        if (*letters == 'R')
            common->encoding = (uint8_t)fn_bytes_number(in, 1);
        else if (*letters == 'P')
            fn_bytes_pointer(in, (uint8_t)fn_bytes_number(in, 1));
        else if (*letters == 'L')
            fn_bytes_number(in, 1);
        else if (*letters == 'S')
            common->signal = true;
    }
    after.bad |= in->bad;
    *in = after;
}

static bool common_read(struct fn_block *block, uintptr_t at, struct common *common)
{
    struct fn_bytes in;
    if (!fn_block_load(block, at, &in) || fn_bytes_number(&in, 4) != 0)
        return false;
    uint8_t version = (uint8_t)fn_bytes_number(&in, 1);
    const char *letters = (const char *)in.at;
    const uint8_t *zero = memchr(in.at, '\0', (size_t)(in.end - in.at));
    if (!zero || (version != 1 && version != 3))
        return false;
    in.at = zero + 1;
    *common = (struct common){.encoding = 0};
    common->code_unit = fn_bytes_uleb(&in);
    common->data_unit = fn_bytes_sleb(&in);
    uint64_t back = version == 1 ? fn_bytes_number(&in, 1) : fn_bytes_uleb(&in);
    common->augmented = *letters == 'z';
    if (common->augmented)
        augmentation_read(&in, letters + 1, common);
    common->program = in;
    return !in.bad && back == FN_REG_RETURN && (common->augmented || !*letters);
}

/* ---- the program of an entry: it says how the rule changes from instruction to instruction ----
 */

enum { KEPT = 8 };

struct machine {
    const struct common *common;
    uintptr_t pc, at; /* the address that is sought, and that the rule is of */
    struct fn_rule rule, first, kept[KEPT];
    int depth;
    bool done;
};

static struct fn_place *register_of(struct machine *m, uint64_t number)
{
    static struct fn_place other;
    if (number == FN_REG_FRAME)
        return &m->rule.frame;
    return number == FN_REG_RETURN ? &m->rule.back : &other;
}

static void advance(struct machine *m, uint64_t units)
{
    uintptr_t next = m->at + units * m->common->code_unit;
    m->done = next > m->pc;
    if (!m->done)
        m->at = next;
}

static void saved_at(struct machine *m, uint64_t number, int64_t units)
{
    *register_of(m, number) = (struct fn_place){FN_FROM_END, units * m->common->data_unit, false};
}

static void restore(struct machine *m, uint64_t number)
{
    if (number == FN_REG_FRAME)
        m->rule.frame = m->first.frame;
    else if (number == FN_REG_RETURN)
        m->rule.back = m->first.back;
}

static void keep(struct machine *m, struct fn_bytes *in)
{
    in->bad |= m->depth == KEPT;
    if (!in->bad)
        m->kept[m->depth++] = m->rule;
}

static void kept_take(struct machine *m, struct fn_bytes *in)
{
    in->bad |= m->depth == 0;
    if (!in->bad)
        m->rule = m->kept[--m->depth];
}

static enum fn_base base_of(uint64_t number)
{
    return number == FN_REG_FRAME   ? FN_FROM_FRAME
           : number == FN_REG_STACK ? FN_FROM_STACK
                                    : FN_NOWHERE;
}

/* Frames of signals have expressions, and those of functions that align the stack: a register plus
 * a number, and perhaps the word there. No code that waits has others. */
static struct fn_place expression_take(struct fn_bytes *in)
{
    enum { REGISTER = 0x70, DEREF = 0x06 };
    uint64_t size = fn_bytes_uleb(in);
    struct fn_bytes by = *in;
    fn_bytes_skip(in, size);
    by.end = in->at;
    struct fn_place place = {.base = base_of(fn_bytes_number(&by, 1) - REGISTER)};
    place.offset = fn_bytes_sleb(&by);
    place.indirect = by.at < by.end && fn_bytes_number(&by, 1) == DEREF;
    if (by.bad || by.at != by.end)
        place.base = FN_NOWHERE;
    return place;
}

static int64_t offset_take(const struct machine *m, struct fn_bytes *in, bool in_units)
{
    return in_units ? fn_bytes_sleb(in) * m->common->data_unit : (int64_t)fn_bytes_uleb(in);
}

/* A value that is nowhere in memory is not looked for. */
static void saved_otherwise(struct machine *m, struct fn_bytes *in, uint8_t code)
{
    struct fn_place *is = register_of(m, fn_bytes_uleb(in));
    *is = (struct fn_place){code == 0x08 ? FN_UNCHANGED : FN_NOWHERE, 0, false};
    if (code == 0x09)
        fn_bytes_uleb(in);
    else if (code == 0x10)
        *is = expression_take(in);
    else if (code == 0x16)
        expression_take(in);
}

/* An instruction without an operand in its code: a number of DW_CFA_. */
static void step_other(struct machine *m, struct fn_bytes *in, uint8_t code)
{
    uint64_t number;
    switch (code) {
    case 0x07: /* undefined */
    case 0x08: /* same value */
    case 0x09: /* register */
    case 0x10: /* expression */
    case 0x16: /* value expression */
        saved_otherwise(m, in, code);
        break;
    case 0x00: /* nop */
    case 0x2d: /* aarch64: return addresses are signed */
        break;
    case 0x02:
    case 0x03:
    case 0x04: /* advance by a number of 1, 2 or 4 bytes */
        advance(m, fn_bytes_number(in, (size_t)1 << (code - 0x02)));
        break;
    case 0x05: /* saved at, and the same with a signed number */
    case 0x11:
        number = fn_bytes_uleb(in);
        saved_at(m, number, code == 0x11 ? fn_bytes_sleb(in) : (int64_t)fn_bytes_uleb(in));
        break;
    case 0x06:
        restore(m, fn_bytes_uleb(in));
        break;
    case 0x0a:
        keep(m, in);
        break;
    case 0x0b:
        kept_take(m, in);
        break;
    case 0x0c: /* the end of the frame: register and offset; only one of them; the same in units */
    case 0x12:
        number = fn_bytes_uleb(in);
        m->rule.end = (struct fn_place){base_of(number), offset_take(m, in, code == 0x12), false};
        break;
    case 0x0d:
        m->rule.end.base = base_of(fn_bytes_uleb(in));
        break;
    case 0x0e:
    case 0x13:
        m->rule.end.offset = offset_take(m, in, code == 0x13);
        break;
    case 0x0f:
        m->rule.end = expression_take(in);
        break;
    case 0x2e: /* size of arguments */
        fn_bytes_uleb(in);
        break;
    default:
        in->bad = true;
    }
}

static void program_run(struct machine *m, struct fn_bytes in, bool *fine)
{
    m->done = false;
    while (in.at < in.end && !in.bad && !m->done) {
        uint8_t code = (uint8_t)fn_bytes_number(&in, 1), low = code & 0x3f;
        if (code >> 6 == 1)
            advance(m, low);
        else if (code >> 6 == 2)
            saved_at(m, low, (int64_t)fn_bytes_uleb(&in));
        else if (code >> 6 == 3)
            restore(m, low);
        else
            step_other(m, &in, code);
    }
    *fine &= !in.bad;
}

static bool rule_make(uintptr_t pc, struct fn_rule *rule)
{
    static struct fn_block entry_block, common_block;
    struct common common;
    struct fn_bytes in;
    uintptr_t entry = entry_of(pc);
    if (!entry || !fn_block_load(&entry_block, entry, &in))
        return false;
    uintptr_t back = fn_bytes_address(&in);
    if (!common_read(&common_block, back - fn_bytes_number(&in, 4), &common))
        return false;
    uintptr_t start = fn_bytes_pointer(&in, common.encoding);
    uintptr_t size = fn_bytes_pointer(&in, common.encoding & 0x0f);
    if (common.augmented)
        fn_bytes_skip(&in, fn_bytes_uleb(&in));
    struct machine m = {.common = &common, .pc = pc, .at = start};
    bool fine = !in.bad && pc >= start && pc < start + size;
    m.rule.start = start;
    m.rule.signal = common.signal;
    program_run(&m, common.program, &fine);
    m.first = m.rule;
    if (fine)
        program_run(&m, in, &fine);
    *rule = m.rule;
    return fine;
}

/* ---- threads wait at few places, again and again ---- */

struct remembered {
    uintptr_t pc;
    bool found;
    struct fn_rule rule;
};
enum { PLACES = 512 };
static struct remembered remembered[PLACES];
static atomic_uint closed;

void fn_rules_forget(void)
{
    atomic_fetch_add(&closed, 1);
}

bool fn_rule_find(uintptr_t pc, struct fn_rule *rule)
{
    static unsigned known;
    unsigned now = atomic_load(&closed);
    if (now != known)
        memset(remembered, 0, sizeof remembered);
    known = now;
    struct remembered *place = &remembered[(pc ^ pc >> 9) % PLACES];
    if (place->pc != pc) {
        place->found = rule_make(pc, &place->rule);
        place->pc = pc;
    }
    *rule = place->rule;
    return place->found;
}
