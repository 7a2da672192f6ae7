/* SPDX-License-Identifier: MIT */
#include "tools/output/text.h"
#include "core/text/characters.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

const char *text_time(char *buffer, double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    size_t unit = 0;
    if (!isfinite(ns) || ns == 0)
        return memcpy(buffer, "-", 2);
    while (unit < 3 && fabs(ns) >= 999.95) {
        ns /= 1000;
        unit++;
    }
    int digits = fabs(ns) < 9.9995 ? 3 : fabs(ns) < 99.995 ? 2 : fabs(ns) < 999.95 ? 1 : 0;
    snprintf(buffer, TEXT_NUMBER, "%.*f %s", digits, ns, units[unit]);
    return buffer;
}

/* From the right: digits, with a comma in front of each three that are not the first. */
const char *text_count(char *buffer, double count)
{
    char digits[TEXT_NUMBER];
    if (!isfinite(count))
        return memcpy(buffer, "-", 2);
    if (fabs(count) >= 1e15) {
        snprintf(buffer, TEXT_NUMBER, "%.4g", count);
        return buffer;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(count));
    char *to = buffer;
    if (count < 0 && strcmp(digits, "0") != 0)
        *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *text_rate(char *buffer, double per_second)
{
    if (!(fabs(per_second) < 99.95))
        return text_count(buffer, per_second);
    snprintf(buffer, TEXT_NUMBER, "%.3g", per_second);
    return buffer;
}

const char *text_share(char *buffer, double share)
{
    if (!isfinite(share))
        return memcpy(buffer, "-", 2);
    snprintf(buffer, TEXT_NUMBER, "%.1f %%", 100 * share);
    return buffer;
}

/* ---- names ---- */

/* How many bytes the character in front takes, and its code; 0 for a byte that is no UTF-8. The NUL
 * at the end is no byte of a longer one. */
static size_t character(const char *text, uint32_t *code)
{
    return swi_utf8_next(text, 4, code);
}

static void shown_character(FILE *out, const char *text, size_t length, uint32_t code)
{
    if (!length)
        fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (swi_character_is_unsafe(code))
        fprintf(out, code < 0x80 ? "\\x%02" PRIx32 : "\\u{%" PRIx32 "}", code);
    else
        fwrite(text, 1, length, out);
}

void text_shown(FILE *out, const char *text, size_t most)
{
    for (size_t count = 0; *text; count++) {
        uint32_t code = 0;
        size_t length = character(text, &code);
        if (most && count == most) {
            fputs("…", out);
            return;
        }
        shown_character(out, text, length, code);
        text += length ? length : 1;
    }
}

void text_put(const char *text, int width)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    if (!out)
        return;
    text_shown(out, text, 0);
    if (fclose(out) == 0)
        printf("%-*s", width, shown);
    free(shown);
}

void text_html(FILE *out, const char *name, size_t most)
{
    static const char marks[] = "&<>\"'`";
    for (size_t count = 0; *name; count++) {
        uint32_t code = 0;
        size_t length = character(name, &code);
        if (most && count == most) {
            fputs("…", out);
            return;
        }
        if (length == 1 && strchr(marks, *name))
            fprintf(out, "&#%d;", *name);
        else
            shown_character(out, name, length, code);
        name += length ? length : 1;
    }
}

void text_yaml(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t code = 0xfffd;
        size_t length = character(text, &code);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (code == '$')
            fputs("$$", out);
        else if (!length || swi_character_is_unsafe(code))
            fprintf(out, "\\U%08" PRIX32, code);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

json_t *text_json(const char *name)
{
    char *safe = malloc(4 * strlen(name) + 1), *to = safe;
    if (!safe)
        return NULL;
    while (*name) {
        uint32_t code;
        size_t length = character(name, &code);
        if (length)
            memcpy(to, name, length);
        else
            snprintf(to, 5, "\\x%02x", (unsigned)(unsigned char)*name);
        to += length ? length : 4;
        name += length ? length : 1;
    }
    json_t *text = json_stringn(safe, (size_t)(to - safe));
    free(safe);
    return text;
}

json_t *text_json_number(double value)
{
    if (isnan(value))
        return json_string("NaN");
    if (isinf(value))
        return json_string(value > 0 ? "Infinity" : "-Infinity");
    return json_real(value);
}
