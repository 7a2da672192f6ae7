/* SPDX-License-Identifier: MIT */
/* c_api.h - the calls of LightGBM's C API that docs/with/lightgbm.md uses, for machines without
 * LightGBM. lightgbm.c defines them. */
#ifndef LIGHTGBM_C_API_H_
#define LIGHTGBM_C_API_H_

#include <stdint.h>

#define C_API_DTYPE_FLOAT32 (0)

typedef void *DatasetHandle;
typedef void *BoosterHandle;

const char *LGBM_GetLastError(void);
int LGBM_DatasetCreateFromMat(const void *data, int data_type, int32_t nrow, int32_t ncol,
                              int is_row_major, const char *parameters,
                              const DatasetHandle reference, DatasetHandle *out);
int LGBM_DatasetSetField(DatasetHandle handle, const char *field_name, const void *field_data,
                         int num_element, int type);
int LGBM_DatasetFree(DatasetHandle handle);
int LGBM_BoosterCreate(const DatasetHandle train_data, const char *parameters, BoosterHandle *out);
int LGBM_BoosterAddValidData(BoosterHandle handle, const DatasetHandle valid_data);
int LGBM_BoosterUpdateOneIter(BoosterHandle handle, int *is_finished);
int LGBM_BoosterGetEval(BoosterHandle handle, int data_idx, int *out_len, double *out_results);
int LGBM_BoosterFree(BoosterHandle handle);

#endif
