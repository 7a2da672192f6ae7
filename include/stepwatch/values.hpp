// SPDX-License-Identifier: MIT
// values.hpp - stepwatch/values.h for C++17 and later: ranges, strings, and tables of columns.
//
//     stepwatch::log(sw, {{"loss", loss}, {"lr", lr}});
//     stepwatch::log_vector(sw, "grad", gradient, SW_HISTOGRAM | SW_NORM);
//     stepwatch::log_table(sw, "worst", {{"id", ids}, {"label", labels}});
//
// With an older standard, this header is empty.
#ifndef STEPWATCH_VALUES_HPP
#define STEPWATCH_VALUES_HPP

#include <stepwatch/stepwatch.h>
#include <stepwatch/values.h>

#if __cplusplus >= 201703L
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stepwatch
{

/** The type of an element, for sw_log_vector() and sw_log_table(). */
template <class T> constexpr sw_type type_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, float>)
        return SW_F32;
    else if constexpr (std::is_same_v<U, double>)
        return SW_F64;
    else if constexpr (std::is_same_v<U, bool>)
        return SW_BOOL;
    else if constexpr (std::is_same_v<U, unsigned char>)
        return SW_U8;
    else if constexpr (std::is_integral_v<U> && sizeof(U) == 4 && std::is_signed_v<U>)
        return SW_I32;
    else if constexpr (std::is_integral_v<U> && sizeof(U) == 8 && std::is_signed_v<U>)
        return SW_I64;
    else
        static_assert(!sizeof(U),
                      "stepwatch takes float, double, bool, uint8_t, and signed integers "
                      "of 32 and 64 bits");
}

/** Logs several numbers at one time. */
SW_NOT_INSTRUMENTED_ inline void log(sw_profiler *sw,
                                     std::initializer_list<std::pair<const char *, double>> values)
{
    std::vector<sw_named> named;
    if (!sw)
        return;
    named.reserve(values.size());
    for (const auto &value : values)
        named.push_back({value.first, value.second});
    sw_log_many(sw, named.data(), named.size());
}

/** Like sw_log_at(). */
SW_NOT_INSTRUMENTED_ inline void log_at(sw_profiler *sw, const std::string &name, double value,
                                        int64_t step)
{
    sw_log_at(sw, name.c_str(), value, step);
}

/** Logs figures of anything with data() and size(): std::vector, std::array, std::span. */
template <class R>
auto log_vector(sw_profiler *sw, const char *name, const R &range, unsigned what = SW_HISTOGRAM)
    -> decltype(range.data(), range.size(), int())
{
    constexpr sw_type type = type_of<std::remove_pointer_t<decltype(range.data())>>();
    static_assert(type != SW_BOOL, "an array of bool is not one of numbers");
    return sw_log_vector(sw, name, type, range.data(), range.size(), what);
}

/** Like sw_log_text(). */
SW_NOT_INSTRUMENTED_ inline int log_text(sw_profiler *sw, const std::string &name,
                                         std::string_view text)
{
    return sw_wants(sw, SW_VALUE_TEXT) ? sw_log_text(sw, name.c_str(), std::string(text).c_str())
                                       : 0;
}

/** A column of log_table(). It refers to the vector, except for std::string and bool, of which it
 * has pointers or a copy. */
class column
{
  public:
    template <class T>
    column(const char *name, const std::vector<T> &values)
        : column_{name, type_of<T>(), values.data()}, rows_(values.size()), texts_(), truths_()
    {
    }
    column(const char *name, const std::vector<const char *> &values)
        : column_{name, SW_TEXT, values.data()}, rows_(values.size()), texts_(), truths_()
    {
    }
    column(const char *name, const std::vector<std::string> &values)
        : column_{name, SW_TEXT, nullptr}, rows_(values.size()), texts_(), truths_()
    {
        for (const std::string &value : values)
            texts_.push_back(value.c_str());
    }
    column(const char *name, const std::vector<bool> &values)
        : column_{name, SW_BOOL, nullptr}, rows_(values.size()), texts_(), truths_()
    {
        for (bool value : values)
            truths_.push_back(value);
    }

    std::size_t rows() const noexcept
    {
        return rows_;
    }
    sw_table_column get() const noexcept
    {
        sw_table_column got = column_;
        if (!got.data)
            got.data = got.type == SW_TEXT ? static_cast<const void *>(texts_.data())
                                           : static_cast<const void *>(truths_.data());
        return got;
    }

  private:
    sw_table_column column_;
    std::size_t rows_;
    std::vector<const char *> texts_;
    std::vector<unsigned char> truths_;
};

/** Like sw_log_table(). Returns SW_EINVAL if the columns have different lengths. */
SW_NOT_INSTRUMENTED_ inline int log_table(sw_profiler *sw, const char *name,
                                          std::initializer_list<column> columns)
{
    std::vector<sw_table_column> given;
    std::size_t rows = columns.size() ? columns.begin()->rows() : 0;
    for (const column &one : columns) {
        if (one.rows() != rows)
            return SW_EINVAL;
        given.push_back(one.get());
    }
    return sw_log_table(sw, name, given.data(), given.size(), rows);
}

} // namespace stepwatch
#endif
#endif
