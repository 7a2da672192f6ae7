/* SPDX-License-Identifier: MIT */
/* machine_json.c - the environment of a run with the names of wandb-metadata.json. */
#include "sinks/wandb/upload/content/model.h"
#include "core/text/exact_number.h"

#include <inttypes.h>
#include <stdio.h>

static void set_text(json_t *to, const char *name, const char *text)
{
    if (text && *text)
        json_object_set_new(to, name, json_string(text));
}

static void set_count(json_t *to, const char *name, uint32_t count)
{
    if (count)
        json_object_set_new(to, name, json_integer(count));
}

/* 64-bit numbers are texts in this file. */
static void set_bytes(json_t *to, const char *name, uint64_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    if (bytes)
        set_text(to, name, text);
}

static void set_object(json_t *to, const char *name, json_t *object)
{
    if (json_object_size(object) || json_array_size(object))
        json_object_set(to, name, object);
    json_decref(object);
}

static void set_time(json_t *to, const char *name, const struct swi_timestamp_message *stamp)
{
    char date[SWI_ISO_DATE];
    if (stamp && swi_iso_date(date, stamp->seconds, stamp->nanos / 1000, "Z"))
        set_text(to, name, date);
}

static void texts(json_t *to, const struct swi_environment_message *said)
{
    const struct {
        const char *name, *text;
    } all[] = {{"os", said->os},
               {"python", said->python},
               {"docker", said->docker},
               {"program", said->program},
               {"codePath", said->code_path},
               {"codePathLocal", said->code_path_local},
               {"email", said->email},
               {"root", said->root},
               {"host", said->host},
               {"username", said->username},
               {"executable", said->executable},
               {"gpu", said->gpu_type},
               {"cudaVersion", said->cuda_version},
               {"writerId", said->writer_id}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        set_text(to, all[i].name, all[i].text);
}

static void machine(json_t *to, const struct swi_environment_message *said)
{
    json_t *memory = json_object(), *cpu = json_object(), *disks = json_object();
    set_count(to, "cpu_count", said->cpu_count);
    set_count(to, "cpu_count_logical", said->cpu_count_logical);
    set_bytes(memory, "total", said->memory ? said->memory->total : 0);
    set_text(cpu, "model", said->cpu ? said->cpu->model : NULL);
    for (size_t i = 0; i < said->n_disk; i++) {
        json_t *disk = json_object();
        if (said->disk[i]->value) {
            set_bytes(disk, "total", said->disk[i]->value->total);
            set_bytes(disk, "used", said->disk[i]->value->used);
        }
        set_object(disks, said->disk[i]->key, disk);
    }
    set_object(to, "memory", memory);
    set_object(to, "cpu", cpu);
    set_object(to, "disk", disks);
}

static void gpus(json_t *to, const struct swi_environment_message *said)
{
    json_t *list = json_array();
    for (size_t i = 0; i < said->n_gpu_nvidia; i++) {
        const struct swi_gpu_nvidia_info_message *gpu = said->gpu_nvidia[i];
        json_t *entry = json_object();
        set_text(entry, "name", gpu->name);
        set_bytes(entry, "memoryTotal", gpu->memory_total);
        set_count(entry, "cudaCores", gpu->cuda_cores);
        set_text(entry, "architecture", gpu->architecture);
        set_text(entry, "uuid", gpu->uuid);
        set_text(entry, "pciBusId", gpu->pci_bus_id);
        json_array_append_new(list, entry);
    }
    set_count(to, "gpu_count", said->gpu_count);
    set_object(to, "gpu_nvidia", list);
}

static void lists(json_t *to, const struct swi_environment_message *said)
{
    json_t *args = json_array(), *slurm = json_object(), *git = json_object();
    for (size_t i = 0; i < said->n_args; i++)
        json_array_append_new(args, json_string(said->args[i]));
    for (size_t i = 0; i < said->n_slurm; i++)
        set_text(slurm, said->slurm[i]->key, said->slurm[i]->value);
    set_text(git, "remote", said->git ? said->git->remote_url : NULL);
    set_text(git, "commit", said->git ? said->git->commit : NULL);
    set_object(to, "args", args);
    set_object(to, "slurm", slurm);
    set_object(to, "git", git);
}

void swi_environment_merge(json_t *to, const struct swi_environment_message *said)
{
    texts(to, said);
    set_time(to, "startedAt", said->started_at);
    machine(to, said);
    gpus(to, said);
    lists(to, said);
}
