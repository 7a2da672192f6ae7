/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include <jni.h>

JNIEXPORT void JNICALL Java_EndsInJava_run(JNIEnv *env, jclass class, jstring argument)
{
    (void)class;
    const char *how = (*env)->GetStringUTFChars(env, argument, NULL);
    ends_open();
    ends_by(how);
    (*env)->ReleaseStringUTFChars(env, argument, how);
}
