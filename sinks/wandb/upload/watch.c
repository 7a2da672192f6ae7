/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/watch.h"
#include "sinks/wandb/upload/other_writers.h"

static int look(void *arg, struct sw_error *err)
{
    struct swi_upload *upload = arg;
    bool tried = upload->keep.tried > upload->keep.sent;
    return swi_other_writers_look(&upload->link, &upload->model, upload->writers, &upload->stream,
                                  tried, err);
}

void swi_upload_watch(struct swi_upload *upload, const struct swi_status *status)
{
    swi_other_writers_note(upload->writers, &upload->model, status);
    swi_link_watch(&upload->link, look, upload);
}
