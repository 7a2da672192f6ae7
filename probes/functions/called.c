/* SPDX-License-Identifier: MIT */
#include "probes/functions/called.h"
#include "probes/functions/safe_read.h"

#include <string.h>

enum { LEAST = 64 << 10 }; /* the program has no code below */

#if defined(__aarch64__)
/* bl and blr. */
enum fn_called fn_called(uintptr_t back, uintptr_t function)
{
    uint32_t code;
    if (back < LEAST || back % sizeof code || !fn_safe_read(&code, back - sizeof code, sizeof code))
        return FN_CALLED_NOTHING;
    if ((code & 0xfc000000) == 0x94000000) {
        int64_t words = ((int64_t)(code & 0x3ffffff) ^ 0x2000000) - 0x2000000;
        return back - 4 + (uintptr_t)(words * 4) == function ? FN_CALLED_IT : FN_CALLED_OTHER;
    }
    return (code & 0xfffffc1f) == 0xd63f0000 ? FN_CALLED_UNKNOWN : FN_CALLED_NOTHING;
}
#else
enum { BEFORE = 7 }; /* the longest call */

static uintptr_t relative(uintptr_t after, const uint8_t *bytes)
{
    int32_t distance;
    memcpy(&distance, bytes, sizeof distance);
    return after + (uintptr_t)(intptr_t)distance;
}

/* An entry of the linker's table jumps on, perhaps behind a landing pad (endbr64) or a prefix. */
static bool leads_to(uintptr_t entry, uintptr_t function)
{
    uint8_t code[11];
    uintptr_t target;
    size_t at = 0;
    if (entry == function)
        return true;
    if (!fn_safe_read(code, entry, sizeof code))
        return false;
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        at = 4;
    at += code[at] == 0xf2;
    return code[at] == 0xff && code[at + 1] == 0x25 &&
           fn_safe_read(&target, relative(entry + at + 6, code + at + 2), sizeof target) &&
           target == function;
}

/* call *%reg, call *offset(%reg). `code` ends at the return address. */
static bool is_indirect(const uint8_t *code)
{
    enum { CALL = 2 }; /* the middle bits of the second byte */
    static const struct {
        int size, mode;
    } forms[] = {{2, 3}, {2, 0}, {3, 1}, {6, 2}};
    for (int i = 0; i < 4; i++) {
        const uint8_t *at = code + BEFORE - forms[i].size;
        if (at[0] == 0xff && at[1] >> 6 == forms[i].mode && (at[1] >> 3 & 7) == CALL)
            return true;
    }
    return false;
}

enum fn_called fn_called(uintptr_t back, uintptr_t function)
{
    uint8_t code[BEFORE];
    uintptr_t target;
    if (back < LEAST || !fn_safe_read(code, back - BEFORE, BEFORE))
        return FN_CALLED_NOTHING;
    if (code[2] == 0xe8)
        return leads_to(relative(back, code + 3), function) ? FN_CALLED_IT : FN_CALLED_OTHER;
    if (code[1] == 0xff && code[2] == 0x15 &&
        fn_safe_read(&target, relative(back, code + 3), sizeof target))
        return target == function ? FN_CALLED_IT : FN_CALLED_OTHER;
    return is_indirect(code) ? FN_CALLED_UNKNOWN : FN_CALLED_NOTHING;
}
#endif
