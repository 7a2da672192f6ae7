# SPDX-License-Identifier: MIT
# The headers for LibTorch, ensmallen and ggml measure what they should in the odd cases, too: tests/with/adapters.cpp, with the
# stand-ins for these libraries.
. "$SRCDIR/tests/scripts/common.sh"
as_installed
at=$SRCDIR/tests/with
cc -std=c11 -c -I "$at/ggml" -o ggml.o "$at/ggml/ggml.c"
silent c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$SRCDIR/include" -I "$at/ensmallen" -I "$at/ggml" -I "$at/libtorch" -o adapters \
    "$at/adapters.cpp" ggml.o -L "$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
cat >stepwatch.yaml <<'END'
profiler: { mode: simple, drop_first_batch: false, show_report: false }
logger_callback: [ csv: { path: rows.csv }, runlog: { path: run.jsonl, detail: steps } ]
END

# adapters WHAT ROW...: expects these rows, phase,action,calls, and these samples of all batches.
adapters()
{
    what=$1
    shift
    rm -f rows.csv run.jsonl
    ./adapters "$what" >out.txt 2>&1 || fail "adapters $what exits with $?:" "$(cat out.txt)"
    test ! -s out.txt || fail "adapters $what says:" "$(cat out.txt)"
    cut -d, -f1,2,5 rows.csv >counted.txt
    samples=$(sed -n 's/.*"type":"step".*"samples":\([0-9][0-9]*\).*/\1/p' run.jsonl | paste -s -d +) # those of a cancelled batch are no number
    echo "samples=$samples" >>counted.txt
    for row; do
        grep -qx "$row" counted.txt || fail "adapters $what: expected $row, found:" "$(cat counted.txt)"
    done
}

adapters loops train,draw,10 train,batch,10 train,opt_step,1 train,zero_grad,1 samples=4+4+2+4+4+3+1+5+6+3
adapters ensmallen fit,epoch,2 fit,train,2 train,batch,6 train,evaluate,6 train,opt_step,6 samples=4+4+2+4+4+2
contains run.jsonl '"name":"train/loss","value":0.5'
adapters ggml fit,epoch,2 fit,train,2 fit,valid,1 train,draw,14 train,graph,14 valid,predict,2 samples=4+4+4+4+4+4+4+4+4+4+4+4+4+4+4+4
contains run.jsonl '"name":"train/loss"' '"name":"valid/loss"'
