/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/record_messages.h"

SWI_MESSAGE_TYPE(item, SWI_ITEM_FIELDS)
SWI_PLAIN_MESSAGES(SWI_MESSAGE_TYPE)
SWI_MESSAGE_TYPE(record, SWI_RECORD_FIELDS)

void swi_record_message_add(struct swi_text *to, const struct swi_record_message *record)
{
    swi_message_add(to, &swi_record_type, record);
}

struct swi_record_message *swi_record_message_read(const void *bytes, size_t size, size_t most)
{
    return swi_message_read(&swi_record_type, bytes, size, most);
}
