/* SPDX-License-Identifier: MIT */
/* error.h - error codes and messages of stepwatch and its plugins.
 *
 * A function that can fail returns 0 (or a count) on success. On failure it returns a negative
 * SW_E… code and fills the caller's struct sw_error with one sentence: what was found, where, and
 * what was expected. The struct contains the text, so there is nothing to free. Everything here is
 * inline, so that a plugin needs no symbol of the library. */
#ifndef STEPWATCH_ERROR_H
#define STEPWATCH_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** Marks the symbols that the library exports. */
#if defined(__GNUC__) && !defined(SW_API)
#define SW_API __attribute__((visibility("default")))
#elif !defined(SW_API)
#define SW_API
#endif

/* A program built with -finstrument-functions may call stepwatch in its hooks, so inline functions
 * must not call the hooks. */
#if defined(__GNUC__)
#define SW_NOT_INSTRUMENTED_ __attribute__((no_instrument_function))
#else
#define SW_NOT_INSTRUMENTED_
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The kinds of failure. Every code is negative; 0 is success. */
enum sw_error_code {
    SW_EINVAL = -1,  /**< an argument or a value is not allowed */
    SW_ENOMEM = -2,  /**< out of memory */
    SW_EIO = -3,     /**< a file, socket or system call failed */
    SW_ECONFIG = -4, /**< the configuration has mistakes */
    SW_ESINK = -5,   /**< a sink cannot be loaded, or failed */
    SW_ETIME = -6,   /**< a deadline passed */
    SW_EFORMAT = -7  /**< data does not have the expected format */
};

/** Size of the text of a struct sw_error in bytes, including the closing NUL; longer text is cut.
 */
#define SW_ERROR_TEXT 8192

/** One failure. The caller provides it; it needs no initialisation, and there is nothing to free.
 */
struct sw_error {
    int code;                 /**< an enum sw_error_code, or 0 */
    char text[SW_ERROR_TEXT]; /**< UTF-8, NUL terminated; several mistakes are on a line each */
};

/** Clears err: sets code to 0 and text to "". err may be NULL. */
SW_NOT_INSTRUMENTED_ static inline void sw_error_clear(struct sw_error *err)
{
    if (!err)
        return;
    err->code = 0;
    err->text[0] = '\0';
}

/** Like sw_error_set(), but takes the arguments as a va_list. */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 0))) static inline int
sw_error_vset(struct sw_error *err, int code, const char *format, va_list args)
{
    if (err) {
        err->code = code;
        vsnprintf(err->text, sizeof err->text, format, args);
    }
    return code;
}

/**
 * Sets the code and the text, with a format as for printf(). Returns code, so that one line reports
 * a failure: `return sw_error_set(err, SW_EIO, …);`
 *
 * err may be NULL.
 */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline int
sw_error_set(struct sw_error *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sw_error_vset(err, code, format, args);
    va_end(args);
    return code;
}

/**
 * Puts "PREFIX: " in front of the text, so that callers can add where the failure happened.
 *
 * err may be NULL. Returns the code in err, so that you can write `return sw_error_prefix(…);`.
 */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 2, 3))) static inline int
sw_error_prefix(struct sw_error *err, const char *format, ...)
{
    char prefix[1024];
    va_list args;
    if (!err)
        return SW_EINVAL;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);

    size_t length = strlen(prefix);
    size_t old = strlen(err->text);
    size_t room = sizeof err->text - 1;
    if (length + 2 + old > room)
        old = room - length - 2;
    memmove(err->text + length + 2, err->text, old);
    memcpy(err->text, prefix, length);
    memcpy(err->text + length, ": ", 2);
    err->text[length + 2 + old] = '\0';
    return err->code;
}

/** Prints "stepwatch: TEXT" and a newline to stream. Prints nothing if err is NULL or has no
 * failure. */
SW_NOT_INSTRUMENTED_ static inline void sw_error_print(FILE *stream, const struct sw_error *err)
{
    if (err && err->code)
        fprintf(stream, "stepwatch: %s\n", err->text);
}

#ifdef __cplusplus
}
#endif
#endif
