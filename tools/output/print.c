/* SPDX-License-Identifier: MIT */
#include "tools/output/print.h"

#include "core/text/address_user.h"
#include "core/text/buffer.h"
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "core/text/number.h"
#include "core/text/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- numbers --------------------------------------------------------------------------------- */

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

const char *text_count(char *buffer, double count)
{
    struct swi_text text = {0};
    if (!isfinite(count))
        return memcpy(buffer, "-", 2);
    if (fabs(count) < 1e15)
        swi_number_rate(&text, count);
    else
        swi_text_format(&text, "%.4g", count);
    snprintf(buffer, TEXT_NUMBER, "%s", text.data ? text.data : "-");
    swi_text_free(&text);
    return buffer;
}

const char *text_rate(char *buffer, double per_second)
{
    if (!(fabs(per_second) < 99.95))
        return text_count(buffer, per_second);
    snprintf(buffer, TEXT_NUMBER, "%.3g", per_second);
    return buffer;
}

static const char *text_bytes(char *buffer, double bytes)
{
    struct swi_text text = {0};
    if (!isfinite(bytes))
        return memcpy(buffer, "-", 2);
    swi_number_bytes(&text, fabs(bytes) < 9e18 ? (int64_t)bytes : 0);
    snprintf(buffer, TEXT_NUMBER, "%s", text.data ? text.data : "-");
    swi_text_free(&text);
    return buffer;
}

const char *text_use(char *buffer, double use, const char *unit)
{
    if (strcmp(unit, "B") == 0)
        return text_bytes(buffer, use);
    return strcmp(unit, "ns") == 0 && use != 0 ? text_time(buffer, use) : text_rate(buffer, use);
}

const char *text_share(char *buffer, double share)
{
    if (!isfinite(share))
        return memcpy(buffer, "-", 2);
    snprintf(buffer, TEXT_NUMBER, "%.1f %%", 100 * share);
    return buffer;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Prints at most `most` characters, then an ellipsis; 0: all. marks: these characters become
 * entities of HTML. */
static void characters_put(FILE *out, const char *text, size_t most, const char *marks)
{
    size_t left = strlen(text);
    for (size_t count = 0; left; count++) {
        char shown[SWI_CHARACTER_SHOWN];
        if (most && count == most) {
            fputs("…", out);
            return;
        }
        size_t length = swi_printable_character(shown, text, left);
        if (strchr(marks, *text))
            fprintf(out, "&#%d;", *text);
        else
            fputs(shown, out);
        text += length;
        left -= length;
    }
}

void text_shown(FILE *out, const char *text, size_t most)
{
    characters_put(out, text, most, "");
}

void text_put(const char *text, int width)
{
    struct swi_text shown = {0};
    swi_escape_terminal(&shown, text);
    printf("%-*s", width, shown.data ? shown.data : "");
    swi_text_free(&shown);
}

void text_html(FILE *out, const char *name, size_t most)
{
    characters_put(out, name, most, "&<>\"'`");
}

void html_put(FILE *out, const char *format, ...)
{
    struct swi_text text = {0};
    va_list args;
    va_start(args, format);
    swi_escape_vformat(&text, swi_escape_html, format, args);
    va_end(args);
    fputs(text.data ? text.data : "", out);
    swi_text_free(&text);
}

json_t *text_json(const char *name)
{
    char *safe = swi_utf8_repair(name, strlen(name));
    json_t *text = safe ? json_string(safe) : NULL;
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

double text_json_value(const json_t *value)
{
    const char *text = json_string_value(value);
    if (text)
        return strcmp(text, "NaN") == 0 ? NAN : *text == '-' ? -INFINITY : INFINITY;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

enum { COLUMNS = 100 };

/* Returns the number of characters up to the next blank or the end. */
static size_t word_width(const char *text, size_t *bytes)
{
    size_t width = 0;
    for (*bytes = 0; text[*bytes] && text[*bytes] != ' '; ++*bytes)
        width += ((unsigned char)text[*bytes] & 0xc0) != 0x80;
    return width;
}

/* Prints words in lines of COLUMNS characters. at: how many characters the first line has already.
 */
static void put_wrapped(const char *text, int indent, size_t at)
{
    size_t bytes;
    for (bool first = true; *text; first = false) {
        size_t width = word_width(text, &bytes);
        bool fits = first || at + 1 + width <= COLUMNS;
        if (!fits) {
            printf("\n%*s", indent, "");
            at = (size_t)indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        fwrite(text, 1, bytes, stdout);
        at += width;
        text += bytes + (text[bytes] == ' ');
    }
    putchar('\n');
}

void paragraph_put(int indent, const char *before, const char *text)
{
    struct swi_text shown = {0};
    swi_escape_terminal(&shown, text);
    printf("%*s%s", indent, "", before);
    put_wrapped(shown.data ? shown.data : "", indent, (size_t)indent + strlen(before));
    swi_text_free(&shown);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Prints the lines of a text that end with this character. Newlines in them are foreign. */
static void lines_print(const char *command, char *text, const char *ending)
{
    char *line;
    if (command)
        fprintf(stderr, "stepwatch %s: ", command);
    swi_address_clean(text);
    while ((line = strsep(&text, ending))) {
        text_shown(stderr, line, 0);
        fputc('\n', stderr);
    }
}

/* Returns a control character that is not in a text. */
static char unused_in(const char *text)
{
    char character = 1;
    while (character < ' ' - 1 && strchr(text, character))
        character++;
    return character;
}

/* The newlines of the format end lines, those of the arguments do not: they get another character
 * first. */
void vsay(const char *command, const char *format, va_list args)
{
    char *text = NULL, *marked = strdup(format);
    char ending[2] = "";
    va_list again;
    va_copy(again, args);
    if (marked && vasprintf(&text, format, args) >= 0) {
        *ending = unused_in(text);
        for (char *at = marked; (at = strchr(at, '\n'));)
            *at = *ending;
        free(text);
    }
    if (*ending && vasprintf(&text, marked, again) >= 0) {
        lines_print(command, text, ending);
        free(text);
    }
    va_end(again);
    free(marked);
}

void say(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsay(command, format, args);
    va_end(args);
}

void say_error(const char *command, const struct sw_error *err)
{
    bool lines = err->code == SW_ECONFIG || err->code == SW_ESINK || err->code == SW_ETIME;
    char *text = lines ? strdup(sw_error_text(err)) : NULL;
    if (text)
        lines_print(command, text, "\n");
    else
        say(command, "%s", sw_error_text(err));
    free(text);
}

bool stdout_is_read(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR);
}

bool stdout_finish(const char *command)
{
    bool before = ferror(stdout) != 0, now = fflush(stdout) != 0;
    int reason = errno;
    if ((before || now) && stdout_is_read()) /* of what failed before, no reason is known */
        say(command, "standard output: cannot be written%s%s", now ? ": " : "",
            now ? strerror(reason) : "");
    return !before && !now;
}

/* ---- standard output, set aside -------------------------------------------------------------- */

static int saved_stdout = -1;

bool stdout_to_stderr(const char *command, bool on)
{
    if (!on)
        return true;
    fflush(stdout);
    saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (saved_stdout >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return true;
    say(command, "--json: standard output: %s", strerror(errno));
    return false;
}

void stdout_restore(void)
{
    if (saved_stdout < 0)
        return;
    fflush(stdout);
    dup2(saved_stdout, STDOUT_FILENO);
    close(saved_stdout);
    saved_stdout = -1;
}
