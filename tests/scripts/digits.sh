# SPDX-License-Identifier: MIT
# The example learns to read digits, from any working directory, and each sink in its YAML writes its file.
. "$SRCDIR/tests/scripts/common.sh"
test -x "$BUILDDIR/examples/digits/digits" || skip "the example digits is not built: zlib is missing"

# A user's folder with the program and its files, so that nothing is written to the build tree. The program is copied,
# because it would follow a link.
mkdir here elsewhere
cp "$BUILDDIR/examples/digits/digits" here
cp -L "$SRCDIR"/examples/digits/*.yaml "$SRCDIR/examples/digits/digits.csv.gz" here
LD_LIBRARY_PATH=$BUILDDIR/.libs
export LD_LIBRARY_PATH
digits=$scratch/here/digits

accuracy()
{
    sed -n 's/^Validation accuracy: \([0-9.]*\) % after .*/\1/p' "$1"
}

# ---- it learns (under a sanitizer, a fraction of that takes as long)
epochs=30 least=96
test -z "$SANITIZER" || epochs=3 least=80
cd elsewhere
"$digits" --epochs "$epochs" >out.txt 2>err.txt || fail "exits with $?:" "$(cat err.txt)"
# How far it is, each second, and nothing else.
if grep -v '^stepwatch: [0-9:]*  epoch [0-9]*  step [0-9,]*/[0-9,]*  ' err.txt >other.txt; then fail "says on stderr:" "$(cat other.txt)"; fi
rm other.txt
percent=$(accuracy out.txt)
awk "BEGIN { exit !($percent >= $least) }" || fail "expected an accuracy of $least % or more, found $percent"
echo "digits: $percent % of the validation digits are right after $epochs epochs"

# ---- four sinks at once write to the folder of the YAML and nowhere else
contains out.txt "Profiling Results" zero_grad "augment" "Accounted for"
contains ../here/report.md "| Phase" "| train" "wait_for_loop"
contains ../here/report.csv "Phase,Action,Mean Duration" "valid,predict," "threads,augment,"
contains ../here/run.jsonl '"type":"run"' '"name":"batch_size","value":64' '"name":"train/loss"' \
    '"name":"valid/accuracy"' '"type":"report"' '"type":"end"'
test "$(ls)" = "$(printf 'err.txt\nout.txt')" || fail "files in the working directory:" *

# ---- another file selects other sinks
rm ../here/report.* ../here/run.jsonl
STEPWATCH_CONFIG=../here/throughput.yaml "$digits" --epochs 1 >out.txt
contains out.txt "| Phase"
if grep -q forward out.txt; then fail "throughput mode shows forward"; fi
test -s ../here/throughput.jsonl || fail "no throughput.jsonl beside throughput.yaml"
test ! -e ../here/report.csv || fail "stepwatch.yaml was used, and not \$STEPWATCH_CONFIG"

# ---- the same seed gives the same network, another seed gives another network
loss()
{
    STEPWATCH_CONFIG=../here/throughput.yaml "$digits" --epochs 1 "$@" >out.txt
    grep '"valid/loss"' ../here/throughput.jsonl | sed 's/.*"value"://'
}
first=$(loss --seed 7)
test "$first" = "$(loss --seed 7)" || fail "the same seed gives another loss"
test "$first" != "$(loss --seed 8)" || fail "another seed gives the same loss"
test "$first" != "$(loss --seed 7 --lr 0.01 --batch-size 32)" || fail "--lr and --batch-size change nothing"

# ---- values that are more than numbers, and an alert when the loss is not a number
STEPWATCH_CONFIG=../here/values.yaml "$digits" --epochs 1 --lr 1e30 >out.txt 2>err.txt
contains ../here/digits.jsonl '"kind":"pictures","name":"valid/confusion"' '"kind":"table","name":"valid/wrong"' \
    '"kind":"histogram","name":"weights/first_layer"' '"level":"error","title":"the loss is NaN"'
ls ../here/digits.jsonl.files/media/valid/confusion_*.png >out.txt || fail "no image beside the log"

# ---- it also trains without stepwatch
echo 'profiler: { mode: simpel }' >broken.yaml
STEPWATCH_CONFIG=broken.yaml "$digits" --epochs 1 >out.txt 2>err.txt || fail "does not train without a profiler"
contains err.txt "broken.yaml:1:19" simple
test -n "$(accuracy out.txt)" || fail "did not train with a broken configuration"

# ---- the command line
"$digits" --help >out.txt || fail "--help fails"
contains out.txt --epochs --batch-size --lr --seed --help STEPWATCH_CONFIG
refused()
{
    text=$1
    shift
    if "$digits" "$@" >out.txt 2>err.txt; then fail "accepts $*"; fi
    contains err.txt "$text"
}
refused '--epochs: expected a whole number from 1' --epochs 0
refused '--lr: expected a number above 0' --lr fast
refused 'unexpected "now"' now

# ---- damaged data is reported with file and row
printf '1,2,3\n' | gzip >../here/digits.csv.gz
refused 'digits.csv.gz:1: expected 64 numbers' --epochs 1
rm ../here/digits.csv.gz
refused 'digits.csv.gz: No such file' --epochs 1
