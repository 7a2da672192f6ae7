/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/model_telemetry.h"

#include "core/text/wire.h"

static void number_add(json_t *list, uint64_t number)
{
    size_t at = 0;
    for (; at < json_array_size(list); at++) {
        json_int_t other = json_integer_value(json_array_get(list, at));
        if (other == (json_int_t)number)
            return;
        if (other > (json_int_t)number)
            break;
    }
    json_array_insert_new(list, at, json_integer((json_int_t)number));
}

/* Takes the numbers of a message's members that are set, if all of them are bools. */
static void members_take(json_t *to, const char *name, const struct swi_bytes *bytes)
{
    const char *at = bytes->data;
    struct swi_wire_field field;
    json_t *list = json_object_get(to, name);
    if (bytes->size && !list) {
        list = json_array();
        json_object_set_new(to, name, list);
    }
    while (swi_wire_read(&at, bytes->data + bytes->size, &field) && field.type == 0)
        if (field.value && field.number < 10000)
            number_add(list, field.number);
}

void swi_model_take_telemetry(struct swi_model *model, const struct swi_telemetry_message *said)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"4", said->python_version}, {"12", said->core_version}, {"13", said->platform}};
    if (said->cli_version && *said->cli_version)
        model->failed |= !swi_model_set(&model->client, said->cli_version);
    if (said->python_version && *said->python_version)
        model->failed |= !swi_model_set(&model->python, said->python_version);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text && *texts[i].text)
            json_object_set_new(model->telemetry, texts[i].name, json_string(texts[i].text));
    members_take(model->telemetry, "1", &said->imports_init);
    members_take(model->telemetry, "2", &said->imports_finish);
    members_take(model->telemetry, "3", &said->feature);
    members_take(model->telemetry, "8", &said->env);
    members_take(model->telemetry, "10", &said->deprecated);
    model->changed = true;
}
