// SPDX-License-Identifier: MIT
// slowest - a sink in C++: the slowest training steps in a file.
//
//     c++ -std=c++17 -shared -fPIC $(pkg-config --cflags stepwatch) -o slowest.so slowest.cpp
//
// Core allocates the state, sets it to zero and frees it without a destructor. So it has the
// options and a pointer to an object that open() makes and close() deletes. No exception may leave
// a callback.
#include <stepwatch/sink.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace
{

struct step {
    int64_t number;
    int64_t duration_ns;
};

class slowest
{
  public:
    explicit slowest(size_t count) : count_(count)
    {
    }

    void add(step added)
    {
        auto slower = [](const step &a, const step &b) { return a.duration_ns > b.duration_ns; };
        steps_.insert(std::upper_bound(steps_.begin(), steps_.end(), added, slower), added);
        if (steps_.size() > count_)
            steps_.pop_back();
    }

    std::string text() const
    {
        std::string all;
        for (const step &s : steps_)
            all += std::to_string(s.number) + " " + std::to_string(s.duration_ns / 1000) + " us\n";
        return all;
    }

  private:
    size_t count_;
    std::vector<step> steps_;
};

struct state {
    const char *path; // options
    int64_t count;
    struct sw_sink *sink;
    slowest *steps;
};

// Calls a function of C++ and turns an exception into an error.
template <class Function> int guarded(struct sw_error *err, Function function) noexcept
{
    try {
        return function();
    } catch (const std::exception &e) {
        return sw_error_set(err, SW_ESINK, "%s", e.what());
    }
}

int open_sink(void *memory, struct sw_sink *sink, struct sw_error *err)
{
    auto *s = static_cast<state *>(memory);
    s->sink = sink;
    return guarded(err, [s] {
        s->steps = new slowest(static_cast<size_t>(s->count));
        return 0;
    });
}

int take_record(void *memory, const struct sw_record *record, struct sw_error *err)
{
    auto *s = static_cast<state *>(memory);
    const struct sw_step *done = record->step_done;
    return guarded(err, [=] {
        int64_t duration_ns = 0;
        for (size_t i = 0; i < done->count; i++) {
            const struct sw_step_part *part = sw_step_part_at(done, i);
            if (std::string(part->action) == "batch" || std::string(part->action) == "draw")
                duration_ns += part->duration_ns;
        }
        if (done->phase == SW_PHASE_TRAIN)
            s->steps->add({record->step, duration_ns});
        return 0;
    });
}

int close_sink(void *memory, struct sw_error *err)
{
    auto *s = static_cast<state *>(memory);
    std::unique_ptr<slowest> steps(s->steps);
    return guarded(err, [&] {
        std::string text = steps->text();
        return sw_sink_replace(s->sink, s->path, text.data(), text.size(), err);
    });
}

struct sw_option path_option()
{
    struct sw_option option =
        sw_option_make("path", SW_OPTION_PATH, offsetof(state, path), "file to write");
    option.fallback = "slowest.txt";
    return option;
}

struct sw_option count_option()
{
    struct sw_option option =
        sw_option_make("count", SW_OPTION_INT, offsetof(state, count), "steps in the file");
    option.fallback = "10";
    option.min = 1;
    option.max = 1000;
    return option;
}

const struct sw_option options[] = {path_option(), count_option(), sw_option_make_end()};

struct sw_sink_plugin describe()
{
    struct sw_sink_plugin plugin =
        sw_sink_plugin_make("slowest", "1.0", "MIT", "the slowest training steps");
    plugin.wants = SW_WANT(SW_RECORD_STEP);
    plugin.queue = SW_QUEUE_DROP_NEWEST;
    plugin.options = options;
    plugin.state_size = sizeof(state);
    plugin.open = open_sink;
    plugin.record = take_record;
    plugin.close = close_sink;
    return plugin;
}

} // namespace

const struct sw_sink_plugin sw_sink_plugin = describe();
