# SPDX-License-Identifier: MIT
# Installations as others make them: moved to another prefix, a tree of links, found by a relative path, files of a service
# account, a folder that a group may write where there is no /proc. Each finds its sinks without a setting. Where an emulator
# hides them, the message says so.
. "$SRCDIR/tests/scripts/common.sh"
test -e "$BUILDDIR/.libs/libstepwatch.so" || skip "there is no shared library"
unset STEPWATCH_PLUGIN_PATH

cat >train.c <<'EOC'
#include <stepwatch/stepwatch.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sw_error err;
    if (getenv("GO") && chdir(getenv("GO")) != 0)
        return 2;
    struct sw_profiler *sw = sw_open_text(argv[argc - 1], &err);
    if (!sw)
        printf("%s\n", sw_error_text(&err));
    for (int i = 0; i < 3; i++) {
        SW_SCOPE(sw, SW_BATCH);
    }
    return sw_close(sw, NULL) < 0;
}
EOC
$CC $SANITIZER -I "$SRCDIR/include" -o train train.c -L"$BUILDDIR/.libs" -lstepwatch
sinks=store/lib/stepwatch/sinks
mkdir -p $sinks
cp "$BUILDDIR"/.libs/libstepwatch.so* store/lib/
cp "$BUILDDIR/sinks/.libs/csv.so" $sinks/
chmod 755 . && chmod -R go-w store

# works PREFIX WHAT [COMMAND...]: the sink csv below this prefix is found.
works()
{
    prefix=$1 what=$2
    shift 2
    rm -rf out && mkdir -m 777 out
    said=$("$@" env LD_LIBRARY_PATH="${libraries:-$scratch/$prefix/lib}" ./train "profiler: { show_report: false, signals: false }
logger_callback: { csv: { path: $scratch/out/r.csv } }" 2>&1) || fail "$what: $said"
    test -s out/r.csv || fail "$what: $said"
}

works store "a moved installation"
mkdir -p tree/lib/stepwatch/sinks
for file in store/lib/*.so*; do ln -s "../../$file" tree/lib/; done
ln -s ../../../../$sinks/csv.so tree/lib/stepwatch/sinks/
works tree "a tree of links"
libraries=store/lib
works store "a library that was found by a relative path"
GO=/ works store "the same, after chdir()"
libraries=

if have "qemu-$(uname -m)" && test -z "$SANITIZER"; then
    mkdir root
    LD_LIBRARY_PATH=$scratch/store/lib "qemu-$(uname -m)" -L "$scratch/root" ./train 'logger_callback: csv' >said.txt 2>&1 || :
    contains said.txt "sink csv was not found: $scratch/$sinks/csv.so is there, but not where its folders lead one by one" \
        "(qemu -L ROOT), copy $scratch/$sinks into its root; tried"
fi

test "$(id -u)" = 0 || exit 0
have setpriv || skip "setpriv is not installed"
chown -R 12345:12345 store
works store "an installation of a service account" setpriv --reuid 1000 --regid 1000 --clear-groups
chown -R 54321 $sinks
works_not=$(works store "files of somebody else" setpriv --reuid 1000 --regid 1000 --clear-groups 2>&1) &&
    fail "the sink of another user than the library's was loaded"
case $works_not in
*"name that in STEPWATCH_PLUGIN_PATH"*) ;;
*) fail "the message names no way out: $works_not" ;;
esac
chown -R 0 store
chmod g+w $sinks
unshare -m true 2>/dev/null || exit 0
test -z "$SANITIZER" || exit 0 # which cannot do without /proc
works store "a folder of a group without /proc" unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh
