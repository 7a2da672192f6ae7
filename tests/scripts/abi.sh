# SPDX-License-Identifier: MIT
# A sink that was built with an older header, and one that was built with a newer one, gets what a sink of today gets:
# whichever struct has grown in between.
. "$SRCDIR/tests/scripts/common.sh"
fixtures=$SRCDIR/tests/scripts/abi
flags="-std=c11 -Wall -Wextra -Wpedantic -Werror $SANITIZER"

# grow FILE STRUCT...: adds a field at the end of each struct.
grow()
{
    file=$1
    shift
    for struct; do
        grep -q "^struct $struct {" "$file" || fail "there is no struct $struct in $file"
        sed -i "/^struct $struct {/,/^};/ s/^};/    double added;\n};/" "$file"
    done
}

# shrink FILE STRUCT FIELD...: removes a field of a struct, and what its comment says on further lines.
shrink()
{
    awk -v struct="$2" -v field="$3" '
        $0 ~ "^struct " struct " \\{" { inside = 1 }
        /^\};/ { inside = 0 }
        comment { if (/\*\//) comment = 0; next }
        inside && substr($0, 1, index($0, ";")) ~ "[ *]" field ";$" { removed = 1; if (/\/\*\*</ && !/\*\//) comment = 1; next }
        { print }
        END { exit !removed }' "$1" >shrunk.h || fail "struct $2 has no field $3"
    mv shrunk.h "$1"
}

for age in older today newer; do
    mkdir -p $age
    cp -R "$SRCDIR/include/stepwatch" $age
done

grow newer/stepwatch/sink.h sw_metric sw_hparam sw_region sw_step_part sw_step sw_run sw_pause sw_lost sw_clock_offset sw_note sw_span sw_open_region sw_alert sw_end \
    sw_record \
    sw_sink_services sw_sink sw_option sw_sink_plugin
grow newer/stepwatch/window.h sw_window
grow newer/stepwatch/ranks.h sw_ranks_row sw_ranks sw_steps
grow newer/stepwatch/report.h sw_bin sw_report_row sw_misuse sw_column sw_report
# Those inside of another struct have room for it.
sed -i 's/uint64_t room_\[8\];.*/double added; uint64_t room_[7];/; s/uint64_t room_\[4\];.*/double added; uint64_t room_[3];/' \
    newer/stepwatch/report.h

sink=older/stepwatch/sink.h
shrink $sink sw_metric by
shrink $sink sw_hparam string
shrink $sink sw_region samples
shrink $sink sw_step_part duration_ns
for field in rank world_size local_rank local_size node attempt job rank_source rank_certain id rank_files wait windowed; do
    shrink $sink sw_run $field
done
shrink $sink sw_run utc_offset_s
shrink $sink sw_sink user
sed -i "/(\*check)(const void/d; /(\*select)(const void/d" $sink
shrink $sink sw_pause thread
shrink $sink sw_lost regions
shrink $sink sw_lost spans
for field in cause deadline_ns; do
    shrink $sink sw_end $field
done
shrink $sink sw_record samples_per_s
for field in window note span; do
    shrink $sink sw_record $field
done
shrink $sink sw_option placeholders
shrink $sink sw_option required
shrink $sink sw_option secret
for field in train_steps valid_steps; do
    shrink older/stepwatch/window.h sw_window $field
done
shrink older/stepwatch/report.h sw_report_row rates
shrink older/stepwatch/report.h sw_misuse times
shrink older/stepwatch/report.h sw_report amended

# build AGE NAME FLAGS...: builds the sink NAME with the header of an age.
build()
{
    age=$1
    sink=$2
    shift 2
    silent $CC $flags "$@" -shared -fPIC -I $age -DNAME="\"$sink\"" -o $sink.so "$fixtures/aged.c"
}
build today today
build older older
build newer newer -DNEWER
build newer newer_plugin -DNEWER -DNEWER_PLUGIN
build newer newer_option -DNEWER -DNEWER_OPTION
silent $CC $flags -I "$SRCDIR/include" -o loop "$fixtures/loop.c" -L "$BUILDDIR/.libs" -lstepwatch \
    -Wl,-rpath,"$BUILDDIR/.libs"

# Regions come whenever a sink's thread asks for them, so the lines are sorted.
for age in today older newer; do
    printf '%s\n' 'name: aged' 'plugin_path: [ . ]' 'profiler: { mode: simple, drop_first_batch: false, show_report: false }' \
        "logger_callback: [ $age: { number: 5 } ]" >stepwatch.yaml
    ./loop 2>err.txt || fail "$age:" "$(cat err.txt)"
    sed "1s/^$age /today /" aged.txt | sort >$age.txt
done

# Something of each kind came, or the comparison would show little.
contains today.txt "today aged 5 words a b" "hparam width 8" "metric m/third -99" "mark epoch" "region own" "part own" \
    "row train own 100 100 calls, 100 in bins, 32 kept, quantile 1" "misuse loss" "steps 100, accounted for 1, samples 400" \
    "paused 1" "end 0 0"
for age in older newer; do
    cmp -s today.txt $age.txt || fail "a sink with the $age header got something else:" "$(diff today.txt $age.txt | head -20)"
done

# refused NAME TEXT: the sink uses what this core lacks.
refused()
{
    printf 'plugin_path: [ . ]\nlogger_callback: [ %s ]\n' $1 >stepwatch.yaml
    ./loop >out.txt 2>err.txt && fail "$1 is not refused"
    contains err.txt "$2"
    test "$(wc -l <err.txt)" = 1 || fail "expected one line:" "$(cat err.txt)"
}
refused newer_plugin "its descriptor uses fields that stepwatch"
refused newer_option "its option number uses fields that stepwatch"
