/* SPDX-License-Identifier: MIT */
/* xgboost.c - calls of XGBoost's C API that learn nothing: an error that falls with each round. */
#include <xgboost/c_api.h>

#include <stdio.h>

static char text[100];

const char *XGBGetLastError(void)
{
    return "none";
}

int XGDMatrixCreateFromMat(const float *data, bst_ulong nrow, bst_ulong ncol, float missing,
                           DMatrixHandle *out)
{
    *out = text;
    return data && nrow > 0 && ncol > 0 && missing < 0 ? 0 : -1;
}

int XGDMatrixSetFloatInfo(DMatrixHandle handle, const char *field, const float *array,
                          bst_ulong len)
{
    return handle && field && array && len > 0 ? 0 : -1;
}

int XGDMatrixFree(DMatrixHandle handle)
{
    return handle ? 0 : -1;
}

int XGBoosterCreate(const DMatrixHandle dmats[], bst_ulong len, BoosterHandle *out)
{
    *out = text;
    return dmats && len > 0 ? 0 : -1;
}

int XGBoosterSetParam(BoosterHandle handle, const char *name, const char *value)
{
    return handle && name && value ? 0 : -1;
}

int XGBoosterUpdateOneIter(BoosterHandle handle, int iter, DMatrixHandle dtrain)
{
    return handle && iter >= 0 && dtrain ? 0 : -1;
}

int XGBoosterEvalOneIter(BoosterHandle handle, int iter, DMatrixHandle dmats[],
                         const char *evnames[], bst_ulong len, const char **out_result)
{
    *out_result = text;
    snprintf(text, sizeof text, "[%d]\t%s-rmse:%.6f\t%s-rmse:%.6f", iter, evnames[0],
             1.0 / (iter + 1), evnames[1], 1.0 / (iter + 2));
    return handle && dmats && len == 2 ? 0 : -1;
}

int XGBoosterFree(BoosterHandle handle)
{
    return handle ? 0 : -1;
}
