/* SPDX-License-Identifier: MIT */
/* error.h - error codes and messages of stepwatch and its plugins.
 *
 * A function that can fail returns 0 (or a count) on success. On failure it returns a negative
 * SW_E… code and fills the caller's struct sw_error with one sentence: what was found, where, and
 * what was expected. sw_error_text() returns it, and sw_error_free() frees it:
 *
 *     struct sw_error err;
 *     struct sw_profiler *sw = sw_open(NULL, &err);
 *     if (err.code) {
 *         sw_error_print(stderr, &err);
 *         sw_error_free(&err);
 *     }
 *
 * Everything here is inline, so that a plugin needs no symbol of the library. */
#ifndef STEPWATCH_ERROR_H
#define STEPWATCH_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library runs on 64-bit Linux. Elsewhere, and with STEPWATCH_DISABLE, every call is an inline
 * function that does nothing, as all calls do without a profiler: sw_open() returns NULL without an
 * error. A program then needs no library. */
#if defined(STEPWATCH_DISABLE) || !defined(__linux__) || !defined(__ELF__) || !defined(__LP64__)
#define SW_DISABLED 1
#define SW_DISABLED_TEXT_ "stepwatch is disabled in this program"
#endif

/** Marks the symbols that the library exports. */
#if defined(SW_DISABLED) && !defined(SW_API)
#define SW_API SW_NOT_INSTRUMENTED_ static __inline__
#define SW_OFF_(type, name, parameters, result)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        return result;                                                                             \
    }
#elif defined(__GNUC__) && !defined(SW_API)
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

/* Failures are rare: they are kept out of the way, and small. */
#if defined(__GNUC__)
#define SW_COLD_ SW_NOT_INSTRUMENTED_ __attribute__((cold, noinline, unused))
#else
#define SW_COLD_
#endif

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/** The kinds of failure. Every code is negative; 0 is success. */
enum sw_error_code {
    SW_EINVAL = -1,  /**< an argument or a value is not allowed */
    SW_ENOMEM = -2,  /**< out of memory */
    SW_EIO = -3,     /**< a file, socket or system call failed */
    SW_ECONFIG = -4, /**< the configuration has mistakes */
    SW_ESINK = -5,   /**< a sink cannot be loaded, or failed */
    SW_ETIME = -6,   /**< a deadline passed */
    SW_EFORMAT = -7, /**< data does not have the expected format */
    SW_EFULL = -8    /**< a file has no space: there may be some later */
};

/** The severity of a message. */
enum sw_level {
    SW_NOTE,    /**< worth knowing, such as the address of a run's page */
    SW_WARNING, /**< something was lost or is doubtful; the measurement continues */
    SW_ERROR    /**< a sink gave up, or a mistake in the configuration */
};

/** Bytes of text that a struct sw_error has room for itself, including the closing NUL. Longer text
 * is on the heap. */
#define SW_ERROR_SHORT 496

/**
 * One failure: a code and a text. The caller provides it, on its stack or elsewhere.
 *
 * It needs no initialisation: a function that fails overwrites whatever is in it, without reading
 * or freeing it. So free a text before you use the struct for another call. Read the text with
 * sw_error_text().
 *
 * The text belongs to the struct. A copy of the struct shares the text: free only one of them. The
 * struct has no lock; only one thread at a time may use it, and any thread may free it.
 *
 * If there is not enough memory for a long text, the struct keeps its first SW_ERROR_SHORT - 1
 * bytes, which then end with "...".
 */
struct sw_error {
    int code;                    /**< an enum sw_error_code, or 0 */
    char *long_;                 /**< all of the text if it is too long for short_, else NULL */
    char short_[SW_ERROR_SHORT]; /**< otherwise the text; UTF-8, NUL terminated */
};

/** Sets err to "no failure", whatever was in it before. It frees nothing. err may be NULL. */
SW_NOT_INSTRUMENTED_ static inline void sw_error_init(struct sw_error *err)
{
    if (!err)
        return;
    err->code = 0;
    err->long_ = NULL;
    err->short_[0] = '\0';
}

/** Frees the text of err and sets err to "no failure". Call it once you have read the text of a
 * failure, or at any time after sw_error_init(). err may be NULL. */
SW_NOT_INSTRUMENTED_ static inline void sw_error_free(struct sw_error *err)
{
    if (err)
        free(err->long_);
    sw_error_init(err);
}

/** Declares a struct sw_error with the name ERR, without a failure, which is freed at the end of
 * its block: `SW_ERROR_SCOPE(err);` */
#define SW_ERROR_SCOPE(ERR)                                                                        \
    struct sw_error ERR __attribute__((cleanup(sw_error_free))) = {0, NULL, {0}}

/** Returns the text of err: UTF-8; each of several mistakes is on a line of its own. "" if nothing
 * failed. Valid until err is freed or filled again. */
SW_NOT_INSTRUMENTED_ static inline const char *sw_error_text(const struct sw_error *err)
{
    return err->long_ ? err->long_ : err->short_;
}

/* Makes room for size bytes of text, and keeps the present text. Returns how many bytes there is
 * room for: fewer if there is not enough memory. */
SW_COLD_ static size_t sw_error_grow_(struct sw_error *err, size_t size)
{
    char *text;
    if (size <= sizeof err->short_ && !err->long_)
        return sizeof err->short_;
    text = (char *)realloc(err->long_, size);
    if (!text)
        return err->long_ ? strlen(err->long_) + 1 : sizeof err->short_;
    if (!err->long_)
        memcpy(text, err->short_, strlen(err->short_) + 1);
    err->long_ = text;
    return size;
}

/* Ends a text that was cut to room bytes with "...", between two characters. */
SW_COLD_ static void sw_error_cut_(struct sw_error *err, size_t room)
{
    char *text = err->long_ ? err->long_ : err->short_;
    size_t at = room - sizeof "...";
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, "...", sizeof "...");
}

/* Appends to the text of err. */
SW_COLD_ __attribute__((format(printf, 2, 0))) static void
sw_error_vappend_(struct sw_error *err, const char *format, va_list args)
{
    size_t used = strlen(sw_error_text(err)), more, room;
    char *text;
    va_list again;
    int length;
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    more = length < 0 ? 0 : (size_t)length;
    room = sw_error_grow_(err, used + more + 1);
    text = err->long_ ? err->long_ : err->short_;
    vsnprintf(text + used, room - used, format, args);
    if (used + more >= room)
        sw_error_cut_(err, room);
}

/** Like sw_error_set(), but takes the arguments as a va_list. */
SW_COLD_ __attribute__((format(printf, 3, 0))) static int
sw_error_vset(struct sw_error *err, int code, const char *format, va_list args)
{
    if (err) {
        sw_error_init(err);
        sw_error_vappend_(err, format, args);
        err->code = code;
    }
    return code;
}

/**
 * Sets the code and the text, with a format as for printf(). Returns code, so that one line reports
 * a failure: `return sw_error_set(err, SW_EIO, …);`
 *
 * err may be NULL. What was in it is overwritten, not freed.
 */
SW_COLD_ __attribute__((format(printf, 3, 4))) static int
sw_error_set(struct sw_error *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sw_error_vset(err, code, format, args);
    va_end(args);
    return code;
}

/**
 * Appends to the text of a failure, with a format as for printf(): a hint, or one more mistake on a
 * line of its own ("\n%s").
 *
 * err may be NULL; otherwise it must be initialised. Returns the code in err.
 */
SW_COLD_ __attribute__((format(printf, 2, 3))) static int sw_error_append(struct sw_error *err,
                                                                          const char *format, ...)
{
    va_list args;
    if (!err)
        return SW_EINVAL;
    va_start(args, format);
    sw_error_vappend_(err, format, args);
    va_end(args);
    return err->code;
}

/**
 * Puts "PREFIX: " in front of the text, so that callers can add where the failure happened.
 *
 * err may be NULL; otherwise it must contain a failure. Returns the code in err, so that you can
 * write `return sw_error_prefix(…);`.
 */
SW_COLD_ __attribute__((format(printf, 2, 3))) static int sw_error_prefix(struct sw_error *err,
                                                                          const char *format, ...)
{
    struct sw_error whole;
    va_list args;
    if (!err)
        return SW_EINVAL;
    va_start(args, format);
    sw_error_vset(&whole, err->code, format, args);
    va_end(args);
    sw_error_append(&whole, ": %s", sw_error_text(err));
    sw_error_free(err);
    *err = whole;
    return err->code;
}

/** Prints "stepwatch: TEXT" and a newline to stream. Prints nothing if err is NULL or has no
 * failure. */
SW_COLD_ static void sw_error_print(FILE *stream, const struct sw_error *err)
{
    if (err && err->code)
        fprintf(stream, "stepwatch: %s\n", sw_error_text(err));
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
