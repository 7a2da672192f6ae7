/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/image_artifacts.h"
#include "sinks/common/run_name.h"
#include "sinks/mlflow/artifact_files.h"
#include "sinks/mlflow/unsupported.h"
#include "sinks/mlflow/run_tags.h"

#include <math.h>

/* Random, as the client's: equal images of one step are two. */
static int uuid_make(char uuid[37], struct sw_error *err)
{
    char id[33];
    int rc = swi_random_id(id, err);
    if (rc == 0)
        snprintf(uuid, 37, "%.8s-%.4s-4%.3s-a%.3s-%.12s", id, id + 8, id + 13, id + 17, id + 20);
    return rc;
}

/* images/KEY+step+S+timestamp+MS+UUID, where a slash of the key is ~: MLflow's page reads all of it
 * from the name. */
static void image_path(struct swi_text *path, const struct sw_record *record, const char *uuid)
{
    size_t from = sizeof "images/" - 1;
    swi_text_put(path, "images/");
    swi_artifact_key(path, record->value->name);
    for (size_t i = from; i < path->size; i++)
        path->data[i] = path->data[i] == '/' ? '~' : path->data[i];
    swi_text_format(path, "+step+%" PRId64 "+timestamp+%.0f+%s", record->step,
                    floor(record->wall_s * 1e3), uuid);
}

/* The page shows files of these two names only, whatever they contain: the first at its full size,
 * the second, which the client makes smaller, in the list. */
static void image_files(struct mlflow *m, struct swi_text *name, const void *bytes, size_t size)
{
    struct swi_text path = {0};
    swi_text_add(&path, name->data ? name->data : "", name->size);
    swi_text_put(&path, ".png");
    swi_text_put(name, "+compressed.webp");
    path.failed |= name->failed;
    if (swi_artifact_put(m, &path, bytes, size, false))
        swi_artifact_line(m, name->data, path.data, false);
    swi_text_free(&path);
}

static void image_put(struct mlflow *m, const struct sw_record *record,
                      const struct sw_picture *picture)
{
    SW_ERROR_SCOPE(err);
    char uuid[37];
    const void *bytes;
    size_t size;
    struct swi_text name = {0};
    int rc = sw_sink_encode(m->sink, picture, &bytes, &size, &err);
    if (rc == 0)
        rc = uuid_make(uuid, &err);
    if (rc == 0) {
        image_path(&name, record, uuid);
        image_files(m, &name, bytes, size);
    } else {
        swi_artifact_missing(m, record->value->name, &err);
    }
    if (picture->caption)
        swi_mlflow_unsupported(m, SWI_UNSUPPORTED_CAPTIONS,
                               "MLflow has no captions of images, so they are not in the run");
    swi_text_free(&name);
}

void swi_mlflow_images(struct mlflow *m, const struct sw_record *record)
{
    const struct sw_pictures *pictures = record->value->pictures;
    if (!m->has_images && pictures->count)
        swi_mlflow_tag_line(&m->lines, "mlflow.loggedImages", "True");
    m->has_images |= pictures->count > 0;
    for (size_t i = 0; i < pictures->count; i++)
        image_put(m, record, sw_pictures_at(pictures, i));
}
