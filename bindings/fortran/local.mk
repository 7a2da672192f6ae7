# SPDX-License-Identifier: MIT
# Programs compile the module themselves, because the file that a compiler makes of it is for this compiler only.
fortrandir        = $(pkgdatadir)/fortran
dist_fortran_DATA = %D%/stepwatch.f90
EXTRA_DIST       += examples/minimal.f90 docs/fortran.md
