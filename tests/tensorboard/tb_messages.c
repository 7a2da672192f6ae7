/* SPDX-License-Identifier: MIT */
#include "tests/tensorboard/tb_messages.h"

TB_MESSAGES(SWI_MESSAGE_TYPE, SWI_MESSAGE_TYPE)

struct swi_tb_event_message *tb_event_read(const void *bytes, size_t size)
{
    return swi_message_read(&swi_tb_event_type, bytes, size, SIZE_MAX);
}

struct swi_tb_metadata_message *tb_metadata_read(const void *bytes, size_t size)
{
    return swi_message_read(&swi_tb_metadata_type, bytes, size, SIZE_MAX);
}

struct swi_tb_hparams_message *tb_hparams_read(const void *bytes, size_t size)
{
    return swi_message_read(&swi_tb_hparams_type, bytes, size, SIZE_MAX);
}

struct swi_tb_layout_message *tb_layout_read(const void *bytes, size_t size)
{
    return swi_message_read(&swi_tb_layout_type, bytes, size, SIZE_MAX);
}

void tb_event_add(struct swi_text *to, const struct swi_tb_event_message *event)
{
    swi_message_add(to, &swi_tb_event_type, event);
}

void tb_summary_add(struct swi_text *to, const struct swi_tb_summary_message *summary)
{
    swi_message_add(to, &swi_tb_summary_type, summary);
}

const double *tb_doubles(const struct swi_tb_tensor_message *tensor)
{
    return (const double *)(const void *)tensor->double_val.data;
}

size_t tb_double_count(const struct swi_tb_tensor_message *tensor)
{
    return tensor->double_val.size / sizeof(double);
}
