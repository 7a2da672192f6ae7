! SPDX-License-Identifier: MIT
program ends_in_fortran
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        subroutine ends_open() bind(c)
        end subroutine
        subroutine ends_by(how) bind(c)
            import c_char
            character(kind=c_char), intent(in) :: how(*)
        end subroutine
    end interface
    character(20) :: how
    call get_command_argument(1, how)
    call ends_open()
    call ends_by(trim(how)//c_null_char)
    if (how == 'raise') open (7, file='missing/missing', status='old')
    if (how == 'exit') stop 3
    if (how == 'close') stop 0
    call sleep(20)
end program
