# SPDX-License-Identifier: MIT
# an environment with nothing but the paths of what is started
quick="own"
leaves_out="sync" # needs the address of the service
enter()
{
    env -i PATH="$PATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" FIELD="$FIELD" \
        PREFIX="$PREFIX" TESTS="$TESTS" PROGRAMS="$PROGRAMS" GIVEN="$GIVEN" SURROUNDING="$SURROUNDING" JOURNEY="$JOURNEY" \
        HERE="$HERE" TRAIN_WAIT="${TRAIN_WAIT:-0}" "$@"
}
alike()
{
    ascii
}
