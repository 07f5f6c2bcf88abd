! A field there and back in Fortran: what docs/integrations/fortran.md begins with.
! [fortran program]
program round_trip
  use, intrinsic :: iso_fortran_env, only: int8, real32
  use kompakt
  implicit none
  integer, parameter :: nx = 96, ny = 64, nz = 40
  real(real32) :: field(nx, ny, nz), restored(nx, ny, nz)
  integer(int8), allocatable :: stream(:)
  type(kompakt_context) :: context
  type(kompakt_options) :: options
  type(kompakt_info) :: info
  type(kompakt_quality) :: quality
  integer :: i, j, k

  do concurrent (k = 1:nz, j = 1:ny, i = 1:nx)
    field(i, j, k) = sin(0.1 * k) * cos(0.07 * j) + 0.01 * i
  end do

  call context%create()
  options%bound = kompakt_relative_to_range(1d-3)  ! 1e-3 * (max - min)
  call kompakt_compress(context, field, options, stream, info)
  call kompakt_decompress(context, stream(1:info%bytes), restored)

  call kompakt_compare(context, field, restored, quality, info%resolved)
  print '(a, f0.2, a, es9.3, a, es9.3, a, i0, a)', 'ratio ', 4.0 * size(field) / info%bytes, ', largest error ', &
    quality%max_abs_error, ' of ', info%resolved%value, ', ', quality%violations, ' values outside the bound'
  call context%destroy()
  if (quality%violations > 0) error stop 1
end program
! [/fortran]
