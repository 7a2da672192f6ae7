# SPDX-License-Identifier: MIT
# builtin.sh - for surroundings whose program is linked fully statically, with the sinks in the library.
leaves_out="check report watch sync digits functions memory machine"
libraries=/usr/lib/$(gcc -print-multiarch)

# static_train COMPILER FILES CONFIGURE-ARGUMENT...: builds the library and links the journey's program with it and FILES.
static_train()
{
    compiler=$1 linked=$2
    shift 2
    mkdir build && cd build || return
    {
        "$SRCDIR/configure" -q --enable-static --disable-shared --enable-builtin-sinks=all CFLAGS=-O0 "$@" &&
            make -s libstepwatch.la
    } >said 2>&1 || { tail -n 20 said; return 1; }
    cd ..
    $compiler -static -D_GNU_SOURCE -I "$SRCDIR/include" -o train "$TESTS/programs/train.c" build/.libs/libstepwatch.a $linked -lm -pthread 2>said ||
        { cat said; return 1; }
    rm -rf build
    # The other sinks are only plugins, which such a program cannot load.
    grep -v 'sqlite\|wandb\|mlflow\|prometheus\|best\|plugin_path' all.yaml >left && mv left all.yaml
}

alike()
{
    grep -v '^sqlite\|^wandb\|^mlflow\|^prometheus\|^best\|^grep\|^sed\|cannot open mlflow'
}

also()
{
    grep -q 'forward.*39' out || { echo "no table"; return 1; }
}
