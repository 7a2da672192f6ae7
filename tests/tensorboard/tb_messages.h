/* SPDX-License-Identifier: MIT */
/* tb_messages.h - the messages of event files as structs of core/text/wire_message.h: only the
 * fields that stepwatch writes. Numbers and types are those of the format, names are ours. */
#ifndef TESTS_TB_MESSAGES_H
#define TESTS_TB_MESSAGES_H

#include "core/text/wire_message.h"

/* clang-format off */
/* status of a session: 1 is START. data_class: 1 scalar, 2 tensor, 3 blob sequence. type of a
 * tensor: 1 float, 2 double, 7 string; of a hyper-parameter: 1 string, 2 bool, 3 number. Doubles of
 * a tensor are packed. */
#define TB_DIM_FIELDS(S, F, L, C) \
    F(S, INT64, , size, 1)
#define TB_SHAPE_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_dim, dim, 2)
#define TB_TENSOR_FIELDS(S, F, L, C) \
    F(S, INT32, , type, 1) F(S, MESSAGE, tb_shape, shape, 2) F(S, BYTES, , float_val, 5) \
    F(S, BYTES, , double_val, 6) L(S, BYTES, , string_val, 8)
#define TB_PLUGIN_DATA_FIELDS(S, F, L, C) \
    F(S, TEXT, , plugin_name, 1) F(S, BYTES, , content, 2)
#define TB_METADATA_FIELDS(S, F, L, C) \
    F(S, MESSAGE, tb_plugin_data, plugin_data, 1) F(S, TEXT, , description, 3) \
    F(S, INT32, , data_class, 4)
#define TB_VALUE_FIELDS(S, F, L, C) \
    F(S, TEXT, , tag, 1) C(S, FLOAT, , simple_value, 2) C(S, MESSAGE, tb_tensor, tensor, 8) \
    F(S, MESSAGE, tb_metadata, metadata, 9)
#define TB_SUMMARY_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_value, value, 1)
#define TB_SESSION_LOG_FIELDS(S, F, L, C) \
    F(S, INT32, , status, 1)
#define TB_SOURCE_FIELDS(S, F, L, C) \
    F(S, TEXT, , writer, 1)
#define TB_EVENT_FIELDS(S, F, L, C) \
    F(S, DOUBLE, , wall_time, 1) F(S, INT64, , step, 2) C(S, TEXT, , file_version, 3) \
    C(S, MESSAGE, tb_summary, summary, 5) C(S, MESSAGE, tb_session_log, session_log, 7) \
    F(S, MESSAGE, tb_source, source, 10)
#define TB_MULTILINE_FIELDS(S, F, L, C) \
    L(S, TEXT, , tag, 1)
#define TB_SERIES_FIELDS(S, F, L, C) \
    F(S, TEXT, , value, 1) F(S, TEXT, , lower, 2) F(S, TEXT, , upper, 3)
#define TB_MARGIN_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_series, series, 1)
#define TB_CHART_FIELDS(S, F, L, C) \
    F(S, TEXT, , title, 1) C(S, MESSAGE, tb_multiline, multiline, 2) \
    C(S, MESSAGE, tb_margin, margin, 3)
#define TB_CATEGORY_FIELDS(S, F, L, C) \
    F(S, TEXT, , title, 1) L(S, MESSAGE, tb_chart, chart, 2) F(S, BOOL, , closed, 3)
#define TB_LAYOUT_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_category, category, 2)
#define TB_ANY_FIELDS(S, F, L, C) \
    C(S, DOUBLE, , number, 2) C(S, TEXT, , text, 3) C(S, BOOL, , truth, 4)
#define TB_LIST_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_any, value, 1)
#define TB_INTERVAL_FIELDS(S, F, L, C) \
    F(S, DOUBLE, , min, 1) F(S, DOUBLE, , max, 2)
#define TB_HPARAM_INFO_FIELDS(S, F, L, C) \
    F(S, TEXT, , name, 1) F(S, TEXT, , title, 2) F(S, TEXT, , description, 3) \
    F(S, INT32, , type, 4) C(S, MESSAGE, tb_list, discrete, 5) \
    C(S, MESSAGE, tb_interval, interval, 6)
#define TB_METRIC_NAME_FIELDS(S, F, L, C) \
    F(S, TEXT, , group, 1) F(S, TEXT, , tag, 2)
#define TB_METRIC_INFO_FIELDS(S, F, L, C) \
    F(S, MESSAGE, tb_metric_name, name, 1) F(S, TEXT, , title, 3) F(S, TEXT, , description, 4) \
    F(S, INT32, , dataset, 5)
#define TB_EXPERIMENT_FIELDS(S, F, L, C) \
    F(S, TEXT, , description, 1) F(S, TEXT, , user, 2) F(S, DOUBLE, , created, 3) \
    L(S, MESSAGE, tb_hparam_info, hparam, 4) L(S, MESSAGE, tb_metric_info, metric, 5) \
    F(S, TEXT, , name, 6)
#define TB_ENTRY_FIELDS(S, F, L, C) \
    F(S, TEXT, , key, 1) F(S, MESSAGE, tb_any, value, 2)
#define TB_START_FIELDS(S, F, L, C) \
    L(S, MESSAGE, tb_entry, hparam, 1) F(S, TEXT, , group, 4) F(S, DOUBLE, , started, 5)
#define TB_END_FIELDS(S, F, L, C) \
    F(S, INT32, , status, 1) F(S, DOUBLE, , ended, 2)
#define TB_HPARAMS_FIELDS(S, F, L, C) \
    C(S, MESSAGE, tb_experiment, experiment, 2) C(S, MESSAGE, tb_start, start, 3) \
    C(S, MESSAGE, tb_end, end, 4)
#define TB_MESSAGES(PLAIN, CHOICE) \
    PLAIN(tb_dim, TB_DIM_FIELDS) PLAIN(tb_shape, TB_SHAPE_FIELDS) \
    PLAIN(tb_tensor, TB_TENSOR_FIELDS) PLAIN(tb_plugin_data, TB_PLUGIN_DATA_FIELDS) \
    PLAIN(tb_metadata, TB_METADATA_FIELDS) CHOICE(tb_value, TB_VALUE_FIELDS) \
    PLAIN(tb_summary, TB_SUMMARY_FIELDS) PLAIN(tb_session_log, TB_SESSION_LOG_FIELDS) \
    PLAIN(tb_source, TB_SOURCE_FIELDS) CHOICE(tb_event, TB_EVENT_FIELDS) \
    PLAIN(tb_multiline, TB_MULTILINE_FIELDS) PLAIN(tb_series, TB_SERIES_FIELDS) \
    PLAIN(tb_margin, TB_MARGIN_FIELDS) CHOICE(tb_chart, TB_CHART_FIELDS) \
    PLAIN(tb_category, TB_CATEGORY_FIELDS) PLAIN(tb_layout, TB_LAYOUT_FIELDS) \
    CHOICE(tb_any, TB_ANY_FIELDS) PLAIN(tb_list, TB_LIST_FIELDS) \
    PLAIN(tb_interval, TB_INTERVAL_FIELDS) CHOICE(tb_hparam_info, TB_HPARAM_INFO_FIELDS) \
    PLAIN(tb_metric_name, TB_METRIC_NAME_FIELDS) PLAIN(tb_metric_info, TB_METRIC_INFO_FIELDS) \
    PLAIN(tb_experiment, TB_EXPERIMENT_FIELDS) PLAIN(tb_entry, TB_ENTRY_FIELDS) \
    PLAIN(tb_start, TB_START_FIELDS) PLAIN(tb_end, TB_END_FIELDS) \
    CHOICE(tb_hparams, TB_HPARAMS_FIELDS)
/* clang-format on */

#define TB_CHOICE_STRUCT(name, FIELDS) SWI_CHOICE_STRUCT(name, FIELDS, int)
TB_MESSAGES(SWI_MESSAGE_STRUCT, TB_CHOICE_STRUCT)

/* What an event and a value have. */
enum { TB_EVENT_SUMMARY = 5, TB_EVENT_SESSION_LOG = 7, TB_VALUE_SIMPLE = 2, TB_VALUE_TENSOR = 8 };

/* Each returns a message for swi_message_free(), or NULL. */
struct swi_tb_event_message *tb_event_read(const void *bytes, size_t size);
struct swi_tb_metadata_message *tb_metadata_read(const void *bytes, size_t size);
struct swi_tb_hparams_message *tb_hparams_read(const void *bytes, size_t size);
struct swi_tb_layout_message *tb_layout_read(const void *bytes, size_t size);

void tb_event_add(struct swi_text *to, const struct swi_tb_event_message *event);
void tb_summary_add(struct swi_text *to, const struct swi_tb_summary_message *summary);

/* The doubles of a tensor, and how many. */
const double *tb_doubles(const struct swi_tb_tensor_message *tensor);
size_t tb_double_count(const struct swi_tb_tensor_message *tensor);

#endif
