# SPDX-License-Identifier: MIT
# A program in Fortran measures what the same program in C measures, and gets the text of a mistake.
. "$SRCDIR/tests/scripts/common.sh"
have gfortran || skip "gfortran is not installed"
ASAN_OPTIONS=detect_leaks=0 # what a main program in Fortran has allocated stays until its end
export ASAN_OPTIONS
library="-L$BUILDDIR/.libs -Wl,-rpath,$BUILDDIR/.libs -lstepwatch"

gfortran -std=f2008 -Wall -Wextra -Werror $SANITIZER -o loop "$SRCDIR/bindings/fortran/stepwatch.f90" "$SRCDIR/examples/minimal.f90" $library ||
    fail "examples/minimal.f90 does not compile"
"$CC" -std=gnu11 $SANITIZER -I"$SRCDIR/include" -o loop_c "$SRCDIR/examples/minimal.c" $library

cat >stepwatch.yaml <<'END'
profiler: { mode: simple, rolling_average: 100, show_report: false }
logger_callback: [ csv: { path: "${OUT}.csv" }, runlog: { path: "${OUT}.jsonl" } ]
END
OUT=fortran ./loop >fortran.txt 2>&1 || fail "the loop in Fortran exits with $?:" "$(cat fortran.txt)"
OUT=c ./loop_c >c.txt 2>&1
test ! -s fortran.txt || fail "the loop in Fortran says:" "$(cat fortran.txt)"
cut -d, -f1,2,5 fortran.csv >counted_fortran.txt # phase, action, number of calls
cut -d, -f1,2,5 c.csv | diff - counted_fortran.txt || fail "C (<) and Fortran (>) have not measured the same calls"
logged()
{
    grep -o '"step":[0-9]*,"name":"train/loss","value":[^,}]*' "$1"
}
logged c.jsonl >logged_c.txt
test "$(wc -l <logged_c.txt)" = 1000 || fail "the loop in C has logged:" "$(wc -l <logged_c.txt)"
logged fortran.jsonl | diff logged_c.txt - >difference.txt || fail "C (<) and Fortran (>) have logged:" "$(head difference.txt)"

cat >calls.f90 <<'END'
program calls
    use, intrinsic :: iso_c_binding
    use stepwatch
    implicit none
    type(c_ptr) :: sw
    character(:), allocatable :: error
    integer :: i
    sw = sw_open_text('profilr: simple', error)
    if (c_associated(sw)) stop 2
    print '(a)', error
    call sw_begin(sw, SW_BATCH) ! c_null_ptr: does nothing
    call sw_log(sw, 'x', 1.0_c_double)
    call sw_end_batch(sw, 1)
    if (sw_close(sw) /= 0) stop 3
    sw = sw_open_text('profiler: {mode: simple, show_report: false}'//new_line('a')// &
        'logger_callback: [runlog: {path: calls.jsonl}]', error)
    if (error /= '') stop 4
    call sw_hparam(sw, 'layers', 3)
    call sw_hparam(sw, 'rate', 0.5_c_double)
    call sw_hparam(sw, 'name', 'small  ')
    do i = 0, 9
        call sw_begin(sw, SW_BATCH)
        call sw_begin(sw, sw_action('own'))
        call sw_count(sw, sw_counter('tokens'), 7_c_int64_t)
        call sw_end(sw, sw_action('own'))
        call sw_log_at(sw, 'later', real(i, c_double), 1000_c_int64_t + i)
        call sw_end_batch(sw, 2_c_int64_t)
    end do
    if (sw_get_step(sw) /= 10) stop 5
    if (sw_flush(sw, 10.0_c_double) /= 0) stop 6
    if (sw_close(sw, error) /= 0) stop 7
end program
END
gfortran $SANITIZER -I. -o calls "$SRCDIR/bindings/fortran/stepwatch.f90" calls.f90 $library || fail "calls.f90 does not compile"
./calls >calls.txt 2>&1 || fail "calls.f90 exits with $?:" "$(cat calls.txt)"
contains calls.txt '1:1' profilr 'did you mean profiler'
contains calls.jsonl '"name":"layers","value":3' '"name":"name","value":"small"' '"step":1009,"name":"later","value":9.0' tokens
