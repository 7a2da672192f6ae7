/* SPDX-License-Identifier: MIT */
/* error.h - how stepwatch and its plugins say what went wrong.
 *
 * A function that can fail returns 0 (or a count) on success and a negative SW_E… code on failure,
 * and then fills the caller's struct sw_error with one sentence: what was found, where, what was
 * expected. The text is held in the struct itself: there is nothing to free. Everything here is
 * inline, so that a plugin needs no symbol of the library. */
#ifndef STEPWATCH_ERROR_H
#define STEPWATCH_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** Marks what the library exports. */
#if defined(__GNUC__) && !defined(SW_API)
#define SW_API __attribute__((visibility("default")))
#elif !defined(SW_API)
#define SW_API
#endif

/* A program built with -finstrument-functions may measure in its hooks: what is inline here must
 * not call them. */
#if defined(__GNUC__)
#define SW_NOT_INSTRUMENTED_ __attribute__((no_instrument_function))
#else
#define SW_NOT_INSTRUMENTED_
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What kind of failure it was. Every code is negative; 0 is success. */
enum sw_error_code {
    SW_EINVAL = -1,  /**< an argument or a value is not within what is allowed */
    SW_ENOMEM = -2,  /**< no memory */
    SW_EIO = -3,     /**< a file, a socket or the system refused */
    SW_ECONFIG = -4, /**< the configuration holds at least one mistake */
    SW_ESINK = -5,   /**< a sink cannot be loaded, or failed */
    SW_ETIME = -6,   /**< a deadline passed */
    SW_EFORMAT = -7  /**< data read from elsewhere are not in their format */
};

/** Bytes of text that a struct sw_error can hold, the closing NUL included; longer text is cut. */
#define SW_ERROR_TEXT 8192

/** The caller's own record of one failure; needs no initialisation, and nothing is to be freed. */
struct sw_error {
    int code;                 /**< an enum sw_error_code, or 0 */
    char text[SW_ERROR_TEXT]; /**< UTF-8, NUL terminated; several mistakes stand one a line */
};

/** Forgets what err says: code 0 and no text. err may be NULL. */
SW_NOT_INSTRUMENTED_ static inline void sw_error_clear(struct sw_error *err)
{
    if (!err)
        return;
    err->code = 0;
    err->text[0] = '\0';
}

/** As sw_error_set(), with the arguments as a va_list. */
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
 * Sets code and text, printf-like, so that a failure is one line: `return sw_error_set(err, SW_EIO,
 * …);`
 *
 * err may be NULL. Returns code.
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
 * Puts "PREFIX: " in front of the text: callers up the stack add where it happened.
 *
 * err may be NULL. Returns the code that err has, so that it can end a function.
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

/** Prints "stepwatch: TEXT" and a newline to stream; prints nothing where err is NULL or holds no
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
