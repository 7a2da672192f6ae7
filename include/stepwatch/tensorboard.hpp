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
    explicit event_writer(const std::string &directory, const std::string &suffix = "") : writer_()
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
    /** Bins must be ascending and must not overlap. */
    void histogram(const std::string &tag, std::int64_t step, const std::vector<sw_bin> &bins)
    {
        sw_tb_histogram(get(), tag.c_str(), step, bins.data(), bins.size());
    }
    void text(const std::string &tag, std::int64_t step, const std::string &markdown)
    {
        sw_tb_text(get(), tag.c_str(), step, markdown.c_str());
    }
    /** Writes a table, row by row, without a heading. cells.size() is a multiple of columns. */
    void table(const std::string &tag, std::int64_t step, const std::vector<std::string> &cells,
               std::size_t columns)
    {
        std::vector<const char *> texts;
        for (const std::string &cell : cells)
            texts.push_back(cell.c_str());
        sw_tb_table(get(), tag.c_str(), step, texts.data(), columns ? cells.size() / columns : 0,
                    columns);
    }
    /** Writes a picture: a whole PNG, JPEG or GIF file. */
    void image(const std::string &tag, std::int64_t step, int width, int height,
               const std::string &encoded)
    {
        sw_tb_image(get(), tag.c_str(), step, width, height, encoded.data(), encoded.size());
    }
    /** Writes several pictures of one step. width, height: of the first. */
    void images(const std::string &tag, std::int64_t step, int width, int height,
                const std::vector<std::string> &encoded)
    {
        std::vector<sw_tb_blob> blobs;
        for (const std::string &file : encoded)
            blobs.push_back({file.data(), file.size()});
        sw_tb_images(get(), tag.c_str(), step, width, height, blobs.data(), blobs.size());
    }
    /** Writes the layout of the Custom Scalars page. */
    void layout(std::int64_t step, const std::vector<sw_tb_chart> &charts)
    {
        sw_tb_layout(get(), step, charts.data(), charts.size());
    }
    /** Writes the hyper-parameters of the run. */
    void hparams(const std::vector<sw_tb_hparam> &hparams, const std::string &group = "")
    {
        sw_tb_hparams(get(), hparams.data(), hparams.size(),
                      group.empty() ? nullptr : group.c_str());
    }
    /** Writes how the run ended. */
    void hparams_end(sw_tb_status status)
    {
        sw_tb_hparams_end(get(), status);
    }
    /** Sets the columns of the HParams page. */
    void experiment(const struct sw_tb_experiment &experiment)
    {
        sw_tb_experiment(get(), &experiment);
    }
    /** Marks that the run starts at a step, or resumes there. */
    void start(std::int64_t step)
    {
        sw_tb_start(get(), step);
    }
    /** Sets the time of the following values, in seconds since 1970; NAN: the clock. */
    void set_time(double wall_s)
    {
        sw_tb_set_time(get(), wall_s);
    }
    /** Returns whether the tag has been described or has a value. */
    bool knows(const std::string &tag) const
    {
        return sw_tb_knows(get(), tag.c_str());
    }
    /** Returns the writer's counters. */
    struct sw_tb_stats stats() const
    {
        struct sw_tb_stats stats;
        ::sw_tb_stats(get(), &stats);
        return stats;
    }
    /** Returns the path of the event file; empty after close(). */
    std::string path() const
    {
        return get() ? sw_tb_path(get()) : "";
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
