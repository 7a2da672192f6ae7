/* SPDX-License-Identifier: MIT */
/* lightgbm.c - calls of LightGBM's C API that learn nothing: an error that falls with each round.
 */
#include <LightGBM/c_api.h>

static int rounds;

const char *LGBM_GetLastError(void)
{
    return "none";
}

int LGBM_DatasetCreateFromMat(const void *data, int data_type, int32_t nrow, int32_t ncol,
                              int is_row_major, const char *parameters,
                              const DatasetHandle reference, DatasetHandle *out)
{
    *out = &rounds;
    return data && data_type == C_API_DTYPE_FLOAT32 && nrow > 0 && ncol > 0 && is_row_major == 1 &&
                   parameters && (!reference || reference == &rounds)
               ? 0
               : -1;
}

int LGBM_DatasetSetField(DatasetHandle handle, const char *field_name, const void *field_data,
                         int num_element, int type)
{
    return handle && field_name && field_data && num_element > 0 && type == C_API_DTYPE_FLOAT32
               ? 0
               : -1;
}

int LGBM_DatasetFree(DatasetHandle handle)
{
    return handle ? 0 : -1;
}

int LGBM_BoosterCreate(const DatasetHandle train_data, const char *parameters, BoosterHandle *out)
{
    *out = &rounds;
    return train_data && parameters ? 0 : -1;
}

int LGBM_BoosterAddValidData(BoosterHandle handle, const DatasetHandle valid_data)
{
    return handle && valid_data ? 0 : -1;
}

int LGBM_BoosterUpdateOneIter(BoosterHandle handle, int *is_finished)
{
    rounds++;
    *is_finished = 0;
    return handle ? 0 : -1;
}

int LGBM_BoosterGetEval(BoosterHandle handle, int data_idx, int *out_len, double *out_results)
{
    *out_len = 1;
    *out_results = 1.0 / (rounds + data_idx);
    return handle ? 0 : -1;
}

int LGBM_BoosterFree(BoosterHandle handle)
{
    return handle ? 0 : -1;
}
