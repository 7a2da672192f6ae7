/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include <node_api.h>

static napi_value run(napi_env env, napi_callback_info info)
{
    size_t count = 1, length;
    napi_value argument;
    char how[32] = "";
    napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
    napi_get_value_string_utf8(env, argument, how, sizeof how, &length);
    ends_open();
    ends_by(how);
    return NULL;
}

NAPI_MODULE_INIT()
{
    napi_value function;
    napi_create_function(env, "run", NAPI_AUTO_LENGTH, run, NULL, &function);
    return function;
}
