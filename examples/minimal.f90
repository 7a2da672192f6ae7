! SPDX-License-Identifier: MIT
! minimal.f90 - the loop of minimal.c in Fortran.
!
!   gfortran -o minimal stepwatch.f90 minimal.f90 $(pkg-config --libs stepwatch)
program minimal
    use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_ptr
    use, intrinsic :: iso_fortran_env, only: error_unit
    use stepwatch
    implicit none
    type(c_ptr) :: sw
    character(:), allocatable :: error
    real(c_double) :: weight, x, y, guess, gradient
    integer :: step

    sw = sw_open(error=error) ! reads $STEPWATCH_CONFIG or ./stepwatch.yaml
    if (.not. c_associated(sw)) write (error_unit, '(a)') error ! all calls below accept c_null_ptr

    weight = 0
    do step = 0, 999
        call sw_begin(sw, SW_DRAW)
        x = mod(step, 100)/100.0_c_double
        y = 3*x
        call sw_next(sw, SW_BATCH) ! ends draw, begins batch
        call sw_begin(sw, SW_FORWARD)
        guess = weight*x
        call sw_next(sw, SW_LOSS)
        gradient = guess - y
        call sw_next(sw, SW_BACKWARD)
        gradient = 2*gradient*x
        call sw_next(sw, SW_OPT_STEP)
        weight = weight - 0.1_c_double*gradient
        call sw_end(sw, SW_OPT_STEP)
        call sw_log(sw, 'train/loss', (guess - y)**2)
        call sw_end_batch(sw, 1) ! ends the batch and the step: 1 sample
    end do
    if (sw_close(sw, error) < 0) write (error_unit, '(a)') error ! prints the report
end program
