// SPDX-License-Identifier: MIT
// tensorboard.hpp - stepwatch/tensorboard.h for C++17: closes by itself and throws on errors.
//
//     stepwatch::event_writer writer("runs/first");
//     writer.scalar("loss", step, loss);
//
// A value that cannot be written does not throw: flush() and close() report what was lost. A thread
// of the writer writes out buffered values every two seconds; see stepwatch/tensorboard.h.
#ifndef STEPWATCH_TENSORBOARD_HPP
#define STEPWATCH_TENSORBOARD_HPP

#include <stepwatch/tensorboard.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stepwatch
{

/** One event file; see sw_tb_open() in the header for C. Can be moved, but not copied. */
class event_writer
{
  public:
    /** Throws std::runtime_error if no file can be created in directory. */
    explicit event_writer(const std::string &directory, const std::string &suffix = "")
    {
        SW_ERROR_SCOPE(err);
        sw_tb_options options{};
        options.size = sizeof options;
        options.suffix = suffix.c_str();
        writer_.reset(sw_tb_open(directory.c_str(), &options, &err));
        if (!writer_)
            throw std::runtime_error(sw_error_text(&err));
    }

    void describe(const std::string &tag, const std::string &markdown)
    {
        sw_tb_describe(get(), tag.c_str(), markdown.c_str());
    }
    void scalar(const char *tag, std::int64_t step, double value)
    {
        sw_tb_scalar(get(), tag, step, value);
    }
    void scalar(const std::string &tag, std::int64_t step, double value)
    {
        sw_tb_scalar(get(), tag.c_str(), step, value);
    }
    /** Writes all values of one step in one record. */
    void scalars(std::int64_t step, const std::vector<sw_tb_value> &values)
    {
        sw_tb_scalars(get(), step, values.data(), values.size());
    }
    void histogram(const std::string &tag, std::int64_t step, const std::vector<double> &values)
    {
        sw_tb_histogram_values(get(), tag.c_str(), step, values.data(), values.size());
    }
    void text(const std::string &tag, std::int64_t step, const std::string &markdown)
    {
        sw_tb_text(get(), tag.c_str(), step, markdown.c_str());
    }

    /** Throws std::runtime_error if something was lost; what() says what. */
    void flush()
    {
        SW_ERROR_SCOPE(err);
        if (sw_tb_flush(get(), &err) < 0)
            throw std::runtime_error(sw_error_text(&err));
    }
    /** Like flush(), then closes the file. If you do not call it, the destructor closes the file
     * silently. */
    void close()
    {
        SW_ERROR_SCOPE(err);
        if (sw_tb_close(writer_.release(), &err) < 0)
            throw std::runtime_error(sw_error_text(&err));
    }

    /** Returns the writer, for the functions that are not wrapped; NULL after close(). */
    sw_tb *get() const
    {
        return writer_.get();
    }

  private:
    struct closer {
        void operator()(sw_tb *writer) const
        {
            sw_tb_close(writer, nullptr);
        }
    };
    std::unique_ptr<sw_tb, closer> writer_;
};

} // namespace stepwatch

#endif
