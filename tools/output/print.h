/* SPDX-License-Identifier: MIT */
/* print.h - what the command prints: numbers, names, messages and JSON, safely for a terminal,
 * whatever the log or path in them contains. */
#ifndef TOOLS_OUTPUT_PRINT_H
#define TOOLS_OUTPUT_PRINT_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- numbers --------------------------------------------------------------------------------- */

enum { TEXT_NUMBER = 32 };

/* Formats a time with four significant digits and its unit: "86.62 ms"; "-" for 0 and values that
 * are not finite. These functions fill buffer[TEXT_NUMBER] and return it. */
const char *text_time(char *buffer, double ns);

/* Formats a number rounded to an integer, with a comma every three digits; "-" if it is not finite.
 */
const char *text_count(char *buffer, double count);

/* Formats a rate like that, but with decimals if it is small: 0.27, 12.5. */
const char *text_rate(char *buffer, double per_second);

/* Formats what was used of a counter with this unit: bytes as 1.50 KB, times with their unit,
 * counts like a rate; "-" if it is not finite. */
const char *text_use(char *buffer, double use, const char *unit);

/* Formats a share of 1 in percent, with one decimal. */
const char *text_share(char *buffer, double share);

/* ---- names and texts ------------------------------------------------------------------------- */

/* Prints a name as text of an HTML page: markup as entities; control characters, bidi marks and
 * invalid UTF-8 as \xNN or \u{N}. At most `most` characters, then an ellipsis; 0: all. */
void text_html(FILE *out, const char *name, size_t most);

/* Prints HTML, like swi_escape_format(): each %s is a text of the page, as above. */
__attribute__((format(printf, 2, 3))) void html_put(FILE *out, const char *format, ...);

/* Prints a text for a terminal or a comment, with control characters as in text_html(). */
void text_shown(FILE *out, const char *text, size_t most);

/* Prints it to standard output, padded with blanks to `width` characters. */
void text_put(const char *text, int width);

enum { PARAGRAPH_INDENT = 8 };

/* Prints `before` and the text to standard output in lines of 100 columns, every line indented.
 * Control characters of the text are escaped. */
void paragraph_put(int indent, const char *before, const char *text);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a name for JSON, with bytes that are not UTF-8 as the four characters \xNN. Returns NULL
 * if out of memory. */
json_t *text_json(const char *name);

/* Returns a number for JSON; "NaN", "Infinity" or "-Infinity" if it is not finite. */
json_t *text_json_number(double value);

/* Returns what that function made a value of; NAN of anything else. */
double text_json_value(const json_t *value);

/* Prints a value in the format of every --json: indented, printable ASCII only, a newline at the
 * end. Takes it over. Returns 0, or SW_ENOMEM if it is NULL. */
int json_print(json_t *value, struct sw_error *err);

/* Prints a value like that, or to standard error why not. Returns whether it was printed. */
bool json_show(const char *command, json_t *value);

/* Prints a value as one line of a stream, and flushes it. */
bool json_show_line(const char *command, json_t *value);

/* ---- JSON that need not fit in memory -------------------------------------------------------- */

/* A document in parts, byte for byte as json_show() prints it as a whole. It waits in a temporary
 * file until it is complete, so that no message comes into the middle of it. */
enum { JSON_DEPTH = 10 };
struct json_parts {
    FILE *out;
    char *text; /* instead of a file, where none can be made; NULL: there is one */
    size_t size;
    int depth;
    bool any[JSON_DEPTH]; /* of the object or list at this depth: it has a member */
    char end[JSON_DEPTH]; /* the bracket that ends it */
    bool failed;          /* out of memory: a part is missing */
};

/* Begins an object. Returns 0, or -1 after a message. */
int json_begin(struct json_parts *json, const char *command);

/* Begins an object '{' or a list '[' in the innermost one. key: NULL in a list. */
void json_enter(struct json_parts *json, const char *key, char bracket);
void json_leave(struct json_parts *json);

/* Adds a value, and takes it over. key: NULL in a list. */
void json_put(struct json_parts *json, const char *key, json_t *value);

/* Ends all that was begun, prints it to standard output and frees it. Returns 0; if a part is
 * missing, a negative code after a message. */
int json_end(struct json_parts *json, const char *command);

/* Begins the items of a list that are known before what comes before them: it will be so much
 * deeper than the innermost object or list of json. Returns 0 or SW_ENOMEM; call json_free() in any
 * case. */
int json_ahead_begin(struct json_parts *ahead, const struct json_parts *json, int deeper,
                     struct sw_error *err);
/* Adds them to the list that was just begun. Returns 0, SW_ENOMEM or SW_EIO. */
int json_ahead_print(const struct json_parts *ahead, struct json_parts *json, struct sw_error *err);
void json_free(struct json_parts *json);

/* ---- messages -------------------------------------------------------------------------------- */

/* Prints "stepwatch COMMAND: TEXT", printf-like, with a newline. command NULL: only the text.
 * Control characters of the arguments, newlines as well, are shown as in text_shown(). */
__attribute__((format(printf, 2, 3))) void say(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 0))) void vsay(const char *command, const char *format,
                                                va_list args);

/* Prints the text of an error. Those of configurations and sinks may have several lines. */
void say_error(const char *command, const struct sw_error *err);

/* Returns whether stdout still has a reader. `| head` closes it when it has its lines, and then a
 * failed write is not an error. */
bool stdout_is_read(void);

/* Writes what stdout still has in memory. Returns false if something that was printed is lost, as
 * on a full disk, which is said. */
bool stdout_finish(const char *command);

/* Keeps standard output for the command's JSON while sinks or a program print: sends what is
 * printed to standard error, until stdout_restore(). on: false does nothing. Returns false, and
 * prints why, if that is not possible. */
bool stdout_to_stderr(const char *command, bool on);

/* Does nothing if it was not set aside. */
void stdout_restore(void);

#endif
