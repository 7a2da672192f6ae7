/* SPDX-License-Identifier: MIT */
/* stepwatch.hpp - stepwatch.h for C++11 and later: profilers and regions that end with their block,
 * even if an exception leaves it.
 *
 * You can pass a stepwatch::profiler to every function of stepwatch.h. */
#ifndef STEPWATCH_STEPWATCH_HPP
#define STEPWATCH_STEPWATCH_HPP

#include <stepwatch/stepwatch.h>

#include <exception>
#include <string>

namespace stepwatch
{

/** A profiler that is closed at the end of its block. If it is off or could not be opened, it does
 * nothing and the program runs the same. */
class profiler
{
  public:
    /** Like sw_open(). On failure, error() says why. Never throws. */
    SW_NOT_INSTRUMENTED_ explicit profiler(const char *path = nullptr) noexcept
        : error_(), sw_(nullptr)
    {
        sw_error_init(&error_);
        sw_ = sw_open(path, &error_);
    }
    /** Like sw_open_options(). On failure, error() says why. Never throws. */
    SW_NOT_INSTRUMENTED_ explicit profiler(const struct sw_options &options) noexcept
        : error_(), sw_(nullptr)
    {
        sw_error_init(&error_);
        sw_ = sw_open_options(&options, &error_);
    }
    SW_NOT_INSTRUMENTED_ ~profiler()
    {
        close();
        sw_error_free(&error_);
    }
    profiler(const profiler &) = delete;
    profiler &operator=(const profiler &) = delete;

    /** Like sw_close(). Returns false if a sink lost something; then error() says what. You can
     * close it twice. */
    SW_NOT_INSTRUMENTED_ bool close() noexcept
    {
        struct sw_profiler *open = sw_;
        sw_ = nullptr;
        if (open)
            sw_error_free(&error_);
        return !open || sw_close(open, &error_) >= 0;
    }

    /** Returns what went wrong in opening or closing, as a line with its newline; empty if nothing
     * did. */
    std::string error() const
    {
        std::string text = sw_error_text(&error_);
        return text.empty() || text.back() == '\n' ? text : text + '\n';
    }

    /** For the functions of stepwatch.h; nullptr if the profiler is off or closed. */
    SW_NOT_INSTRUMENTED_ operator struct sw_profiler *() const noexcept
    {
        return sw_;
    }

  private:
    struct sw_error error_;
    struct sw_profiler *sw_;
};

/** A region from here to the end of its block, or to end() or cancel() if that comes first:
 * `stepwatch::region forward(sw, SW_FORWARD);` */
class region
{
  public:
    SW_NOT_INSTRUMENTED_ region(struct sw_profiler *sw, int action) noexcept
        : sw_(sw), action_(action)
    {
        sw_begin(sw_, action_);
    }
    SW_NOT_INSTRUMENTED_ ~region()
    {
        end();
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

    SW_NOT_INSTRUMENTED_ void end() noexcept
    {
        sw_end(sw_, action_);
        sw_ = nullptr;
    }

    /** Ends the region without counting it. */
    SW_NOT_INSTRUMENTED_ void cancel() noexcept
    {
        sw_cancel(sw_, action_);
        sw_ = nullptr;
    }

  private:
    struct sw_profiler *sw_;
    int action_;
};

/** A batch from here to samples(), or to the end of its block: `stepwatch::batch batch(sw);` …
 * `batch.samples(64);`. If an exception leaves the block first, the batch is cancelled, so that it
 * counts for nothing; otherwise it has the samples that were given at its beginning, by default
 * none, and then no rate. */
class batch
{
  public:
    SW_NOT_INSTRUMENTED_ explicit batch(struct sw_profiler *sw, int64_t samples = 0) noexcept
        : sw_(sw), exceptions_(exceptions()), samples_(samples)
    {
        sw_begin(sw_, SW_BATCH);
    }
    SW_NOT_INSTRUMENTED_ ~batch()
    {
        if (sw_ && exceptions() > exceptions_)
            sw_cancel(sw_, SW_BATCH);
        else if (sw_)
            sw_end_batch(sw_, samples_);
    }
    batch(const batch &) = delete;
    batch &operator=(const batch &) = delete;

    /** Ends the batch, and with it the step. */
    SW_NOT_INSTRUMENTED_ void samples(int64_t n) noexcept
    {
        sw_end_batch(sw_, n);
        sw_ = nullptr;
    }

    /** Ends the batch without counting it. */
    SW_NOT_INSTRUMENTED_ void cancel() noexcept
    {
        sw_cancel(sw_, SW_BATCH);
        sw_ = nullptr;
    }

  private:
    SW_NOT_INSTRUMENTED_ static int exceptions() noexcept
    {
#if defined(__cpp_lib_uncaught_exceptions)
        return std::uncaught_exceptions();
#else
        return std::uncaught_exception();
#endif
    }

    struct sw_profiler *sw_;
    int exceptions_;
    int64_t samples_;
};

/** One of the program's own counters: `stepwatch::counter tokens(sw, "tokens"); tokens += 2048;`
 * adds to all regions that are open on the calling thread. Any thread may use it. */
class counter
{
  public:
    SW_NOT_INSTRUMENTED_ counter(struct sw_profiler *sw, const char *name) noexcept
        : sw_(sw), counter_(sw_counter(name))
    {
    }

    SW_NOT_INSTRUMENTED_ counter &operator+=(int64_t n) noexcept
    {
        sw_count(sw_, counter_, n);
        return *this;
    }
    SW_NOT_INSTRUMENTED_ counter &operator++() noexcept
    {
        return *this += 1;
    }

  private:
    struct sw_profiler *sw_;
    int counter_;
};

/** A span from here to end(), or until its owner is destroyed, on any thread. Move it into
 * a task or a callback: `stepwatch::span prefetch(sw, sw_action("prefetch"));` */
class span
{
  public:
    /** A span that has ended. */
    SW_NOT_INSTRUMENTED_ span() noexcept : sw_(nullptr), id_(0)
    {
    }
    SW_NOT_INSTRUMENTED_ span(struct sw_profiler *sw, int action) noexcept
        : sw_(sw), id_(sw_span_begin(sw, action))
    {
    }
    SW_NOT_INSTRUMENTED_ ~span()
    {
        end();
    }
    span(const span &) = delete;
    span &operator=(const span &) = delete;
    SW_NOT_INSTRUMENTED_ span(span &&other) noexcept : sw_(other.sw_), id_(other.id_)
    {
        other.id_ = 0;
    }
    /** Ends this span, if it is open, and takes over the other one. */
    SW_NOT_INSTRUMENTED_ span &operator=(span &&other) noexcept
    {
        if (this != &other) {
            end();
            sw_ = other.sw_;
            id_ = other.id_;
            other.id_ = 0;
        }
        return *this;
    }

    SW_NOT_INSTRUMENTED_ void end() noexcept
    {
        sw_span_end(sw_, id_);
        id_ = 0;
    }

    /** The id of the span; 0 if it has ended. */
    SW_NOT_INSTRUMENTED_ int64_t id() const noexcept
    {
        return id_;
    }

  private:
    struct sw_profiler *sw_;
    int64_t id_;
};

/** Adds a note if it is made with a text, and another one at each call: `stepwatch::note note(sw);
 * note("saved");` */
class note
{
  public:
    SW_NOT_INSTRUMENTED_ explicit note(struct sw_profiler *sw) noexcept : sw_(sw)
    {
    }
    SW_NOT_INSTRUMENTED_ note(struct sw_profiler *sw, const std::string &text) noexcept : sw_(sw)
    {
        sw_note(sw_, text.c_str());
    }
    SW_NOT_INSTRUMENTED_ void operator()(const std::string &text) const noexcept
    {
        sw_note(sw_, text.c_str());
    }

  private:
    struct sw_profiler *sw_;
};

/** Reports something that the user should look at: sw_alert(). */
SW_NOT_INSTRUMENTED_ inline int alert(struct sw_profiler *sw, enum sw_level level,
                                      const std::string &title, const std::string &text = {})
{
    return sw_alert(sw, level, title.c_str(), text.c_str());
}

} // namespace stepwatch
#endif
