! SPDX-License-Identifier: MIT
!> stepwatch.f90 - the calls of a training loop for Fortran 2008: `use stepwatch`.
!!
!! Compile this file with your program and link with libstepwatch: a module file works with one compiler only.
!! A profiler is a type(c_ptr); c_null_ptr means off, and all calls accept it. The meaning of each call, its threads and its
!! errors are those of include/stepwatch/stepwatch.h. Texts end at their last character that is no blank.
module stepwatch
    use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_double, c_f_pointer, c_int, c_int64_t, &
                                           c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
    implicit none
    private

    !> The actions of a loop (enum sw_builtin_action).
    enum, bind(c)
        enumerator :: SW_FIT = 0, SW_EPOCH, SW_TRAIN, SW_VALID, SW_STEP, SW_DRAW, SW_BATCH, SW_FORWARD, SW_LOSS, &
                      SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD, SW_PREDICT
    end enum
    public :: SW_FIT, SW_EPOCH, SW_TRAIN, SW_VALID, SW_STEP, SW_DRAW, SW_BATCH, SW_FORWARD, SW_LOSS, &
              SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD, SW_PREDICT

    public :: sw_open, sw_open_text, sw_close, sw_flush, sw_version
    public :: sw_begin, sw_next, sw_end, sw_cancel, sw_end_batch, sw_pause, sw_resume
    public :: sw_action, sw_counter, sw_count, sw_span_begin, sw_span_end, sw_note
    public :: sw_log, sw_log_at, sw_log_text, sw_summary, sw_hparam
    public :: sw_set_step, sw_get_step, sw_expect_steps, sw_should_stop, sw_set_exit_status

    !> Logs a hyper-parameter: an integer, a real or a text.
    interface sw_hparam
        module procedure hparam_int, hparam_int64, hparam_float, hparam_string
    end interface

    !> Ends the batch and the step; samples is of kind int32 or int64.
    interface sw_end_batch
        module procedure end_batch_int
        subroutine end_batch_c(sw, samples) bind(c, name='sw_end_batch')
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int64_t), value :: samples
        end subroutine
    end interface

    !> struct sw_error of stepwatch/error.h.
    integer, parameter :: error_short = 496
    type, bind(c) :: error_struct
        integer(c_int) :: code = 0
        type(c_ptr) :: long_text = c_null_ptr
        character(kind=c_char) :: short_text(error_short) = c_null_char
    end type

    interface
        subroutine sw_begin(sw, action) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: sw
            integer(c_int), value :: action
        end subroutine
        subroutine sw_next(sw, action) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: sw
            integer(c_int), value :: action
        end subroutine
        subroutine sw_end(sw, action) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: sw
            integer(c_int), value :: action
        end subroutine
        subroutine sw_cancel(sw, action) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: sw
            integer(c_int), value :: action
        end subroutine
        subroutine sw_pause(sw) bind(c)
            import :: c_ptr
            type(c_ptr), value :: sw
        end subroutine
        subroutine sw_resume(sw) bind(c)
            import :: c_ptr
            type(c_ptr), value :: sw
        end subroutine
        subroutine sw_count(sw, counter, n) bind(c)
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int), value :: counter
            integer(c_int64_t), value :: n
        end subroutine
        function sw_span_begin(sw, action) bind(c) result(id)
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int), value :: action
            integer(c_int64_t) :: id
        end function
        subroutine sw_span_end(sw, id) bind(c)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int64_t), value :: id
        end subroutine
        subroutine sw_set_step(sw, step) bind(c)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int64_t), value :: step
        end subroutine
        function sw_get_step(sw) bind(c) result(step)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int64_t) :: step
        end function
        subroutine sw_expect_steps(sw, steps) bind(c)
            import :: c_ptr, c_int64_t
            type(c_ptr), value :: sw
            integer(c_int64_t), value :: steps
        end subroutine
        subroutine sw_set_exit_status(sw, status) bind(c)
            import :: c_ptr, c_int
            type(c_ptr), value :: sw
            integer(c_int), value :: status
        end subroutine
    end interface

    interface
        function open_c(path, err) bind(c, name='sw_open') result(sw)
            import :: c_ptr, error_struct
            type(c_ptr), value :: path
            type(error_struct) :: err
            type(c_ptr) :: sw
        end function
        function open_text_c(yaml, err) bind(c, name='sw_open_text') result(sw)
            import :: c_char, c_ptr, error_struct
            character(kind=c_char), intent(in) :: yaml(*)
            type(error_struct) :: err
            type(c_ptr) :: sw
        end function
        function close_c(sw, err) bind(c, name='sw_close') result(rc)
            import :: c_int, c_ptr, error_struct
            type(c_ptr), value :: sw
            type(error_struct) :: err
            integer(c_int) :: rc
        end function
        function flush_c(sw, timeout_ns) bind(c, name='sw_flush') result(rc)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: sw
            integer(c_int64_t), value :: timeout_ns
            integer(c_int) :: rc
        end function
        function version_c() bind(c, name='sw_version') result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        function action_c(name) bind(c, name='sw_action') result(action)
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int) :: action
        end function
        function counter_c(name) bind(c, name='sw_counter') result(counter)
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int) :: counter
        end function
        subroutine log_c(sw, name, value) bind(c, name='sw_log')
            import :: c_char, c_double, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
        subroutine log_at_c(sw, name, value, step) bind(c, name='sw_log_at')
            import :: c_char, c_double, c_int64_t, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
            integer(c_int64_t), value :: step
        end subroutine
        function log_text_c(sw, name, markdown) bind(c, name='sw_log_text') result(rc)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*), markdown(*)
            integer(c_int) :: rc
        end function
        subroutine summary_c(sw, name, value) bind(c, name='sw_summary')
            import :: c_char, c_double, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
        subroutine hparam_int_c(sw, name, value) bind(c, name='sw_hparam_int')
            import :: c_char, c_int64_t, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: value
        end subroutine
        subroutine hparam_float_c(sw, name, value) bind(c, name='sw_hparam_float')
            import :: c_char, c_double, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
        subroutine hparam_string_c(sw, name, value) bind(c, name='sw_hparam_string')
            import :: c_char, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: name(*), value(*)
        end subroutine
        subroutine note_c(sw, text) bind(c, name='sw_note')
            import :: c_char, c_ptr
            type(c_ptr), value :: sw
            character(kind=c_char), intent(in) :: text(*)
        end subroutine
        function should_stop_c(sw) bind(c, name='sw_should_stop') result(stop)
            import :: c_bool, c_ptr
            type(c_ptr), value :: sw
            logical(c_bool) :: stop
        end function
        function strlen(text) bind(c) result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
        subroutine free(memory) bind(c)
            import :: c_ptr
            type(c_ptr), value :: memory
        end subroutine
    end interface

contains

    !> Opens a profiler as the configuration in a file says. Without path: $STEPWATCH_CONFIG, ./stepwatch.yaml, or the
    !! defaults. Returns c_null_ptr after a mistake, and its text in error, which is "" otherwise.
    function sw_open(path, error) result(sw)
        character(*), intent(in), optional :: path
        character(:), allocatable, intent(out), optional :: error
        character(kind=c_char), allocatable, target :: name(:)
        character(:), allocatable :: text
        type(error_struct) :: err
        type(c_ptr) :: sw, at
        at = c_null_ptr
        if (present(path)) then
            allocate (name, source=c_text(path))
            at = c_loc(name)
        end if
        sw = open_c(at, err)
        call error_take(err, text)
        if (present(error)) call move_alloc(text, error)
    end function

    !> The same with the configuration itself.
    function sw_open_text(yaml, error) result(sw)
        character(*), intent(in) :: yaml
        character(:), allocatable, intent(out), optional :: error
        character(:), allocatable :: text
        type(error_struct) :: err
        type(c_ptr) :: sw
        sw = open_text_c(c_text(yaml), err)
        call error_take(err, text)
        if (present(error)) call move_alloc(text, error)
    end function

    !> Makes the report and closes all sinks. Returns 0, or a negative number and a text in error if something was lost.
    function sw_close(sw, error) result(rc)
        type(c_ptr), intent(in) :: sw
        character(:), allocatable, intent(out), optional :: error
        character(:), allocatable :: text
        type(error_struct) :: err
        integer :: rc
        rc = close_c(sw, err)
        call error_take(err, text)
        if (present(error)) call move_alloc(text, error)
    end function

    !> Waits until all sinks have stored what was measured so far. Returns 0, or a negative number after the time.
    function sw_flush(sw, timeout_s) result(rc)
        type(c_ptr), intent(in) :: sw
        real(c_double), intent(in) :: timeout_s
        integer :: rc
        rc = flush_c(sw, int(timeout_s*1e9_c_double, c_int64_t))
    end function

    !> Returns the version of the library, such as "0.1.0".
    function sw_version() result(version)
        character(:), allocatable :: version
        version = fortran_text(version_c())
    end function

    !> Returns the handle of an own action. Ask once, not in each step.
    function sw_action(name) result(action)
        character(*), intent(in) :: name
        integer(c_int) :: action
        action = action_c(c_text(name))
    end function

    !> Returns the handle of an own counter. Ask once, not in each step.
    function sw_counter(name) result(counter)
        character(*), intent(in) :: name
        integer(c_int) :: counter
        counter = counter_c(c_text(name))
    end function

    !> Logs a value, which belongs to the current training step.
    subroutine sw_log(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        if (c_associated(sw)) call log_c(sw, c_text(name), value)
    end subroutine

    !> Logs a value of a step that you know.
    subroutine sw_log_at(sw, name, value, step)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        integer(c_int64_t), intent(in) :: step
        if (c_associated(sw)) call log_at_c(sw, c_text(name), value, step)
    end subroutine

    !> Logs a text in markdown. Returns 0, or a negative number if there was no memory for it.
    function sw_log_text(sw, name, markdown) result(rc)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name, markdown
        integer :: rc
        rc = log_text_c(sw, c_text(name), c_text(markdown))
    end function

    !> Sets a value of the run's summary.
    subroutine sw_summary(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        call summary_c(sw, c_text(name), value)
    end subroutine

    !> Adds a remark to the run.
    subroutine sw_note(sw, text)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: text
        call note_c(sw, c_text(text))
    end subroutine

    !> Returns whether the service has asked to stop the run.
    function sw_should_stop(sw) result(stop)
        type(c_ptr), intent(in) :: sw
        logical :: stop
        stop = should_stop_c(sw)
    end function

    subroutine hparam_int(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        integer(c_int), intent(in) :: value
        call hparam_int_c(sw, c_text(name), int(value, c_int64_t))
    end subroutine

    subroutine hparam_int64(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        call hparam_int_c(sw, c_text(name), value)
    end subroutine

    subroutine hparam_float(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        call hparam_float_c(sw, c_text(name), value)
    end subroutine

    subroutine hparam_string(sw, name, value)
        type(c_ptr), intent(in) :: sw
        character(*), intent(in) :: name, value
        call hparam_string_c(sw, c_text(name), c_text(value))
    end subroutine

    subroutine end_batch_int(sw, samples)
        type(c_ptr), intent(in) :: sw
        integer(c_int), intent(in) :: samples
        call end_batch_c(sw, int(samples, c_int64_t))
    end subroutine

    ! ---- texts ----

    pure function c_text(text) result(copy)
        character(*), intent(in) :: text
        character(kind=c_char), allocatable :: copy(:)
        integer :: i, length
        length = len_trim(text)
        allocate (copy(length + 1))
        do i = 1, length
            copy(i) = text(i:i)
        end do
        copy(length + 1) = c_null_char
    end function

    function fortran_text(at) result(text)
        type(c_ptr), intent(in) :: at
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: i
        call c_f_pointer(at, bytes, [strlen(at)])
        allocate (character(size(bytes)) :: text)
        do i = 1, size(bytes)
            text(i:i) = bytes(i)
        end do
    end function

    !> Moves the text of an error, and frees it.
    subroutine error_take(err, text)
        type(error_struct), intent(in), target :: err
        character(:), allocatable, intent(out) :: text
        if (c_associated(err%long_text)) then
            text = fortran_text(err%long_text)
            call free(err%long_text)
        else if (err%code /= 0) then
            text = fortran_text(c_loc(err%short_text))
        else
            text = ''
        end if
    end subroutine
end module
