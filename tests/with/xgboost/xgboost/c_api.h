/* SPDX-License-Identifier: MIT */
/* c_api.h - the calls of XGBoost's C API that docs/with/xgboost.md uses, for machines without
 * XGBoost. xgboost.c defines them. */
#ifndef XGBOOST_C_API_H_
#define XGBOOST_C_API_H_

#include <stdint.h>

typedef uint64_t bst_ulong;
typedef void *DMatrixHandle;
typedef void *BoosterHandle;

const char *XGBGetLastError(void);
int XGDMatrixCreateFromMat(const float *data, bst_ulong nrow, bst_ulong ncol, float missing,
                           DMatrixHandle *out);
int XGDMatrixSetFloatInfo(DMatrixHandle handle, const char *field, const float *array,
                          bst_ulong len);
int XGDMatrixFree(DMatrixHandle handle);
int XGBoosterCreate(const DMatrixHandle dmats[], bst_ulong len, BoosterHandle *out);
int XGBoosterSetParam(BoosterHandle handle, const char *name, const char *value);
int XGBoosterUpdateOneIter(BoosterHandle handle, int iter, DMatrixHandle dtrain);
int XGBoosterEvalOneIter(BoosterHandle handle, int iter, DMatrixHandle dmats[],
                         const char *evnames[], bst_ulong len, const char **out_result);
int XGBoosterFree(BoosterHandle handle);

#endif
