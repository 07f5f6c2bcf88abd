! What docs/integrations/fortran.md shows, task by task: the code between "[fortran NAME]" and "[/fortran]".
program tasks
  use, intrinsic :: iso_fortran_env, only: int32, int64, int8, real32, real64
  use kompakt
  implicit none
  integer, parameter :: nx = 300, ny = 200
  real(real32), allocatable :: field(:, :), restored(:, :)
  integer(int8), allocatable :: stream(:)
  type(kompakt_context) :: context
  type(kompakt_options) :: options
  type(kompakt_info) :: info
  integer :: i, j

  allocate (field(nx, ny), restored(nx, ny))
  do concurrent (j = 1:ny, i = 1:nx)
    field(i, j) = sin(0.1 * j) + 0.01 * i
  end do

  ! [fortran start]
  call kompakt_initialize(threads=2)
  call context%create(KOMPAKT_SPACE_SERIAL)  ! or without it the first of cuda, openmp, serial
  ! [/fortran]
  options%bound = kompakt_absolute(0.01d0)
  call kompakt_compress(context, field, options, stream, info)
  call errors()
  call sections()
  call choose()
  call region()
  call parts()
  call archive()
  call context%destroy()

contains

  subroutine expect(task, as_expected)
    character(*), intent(in) :: task
    logical, intent(in) :: as_expected
    if (as_expected) return
    print '(2a)', task, ': not as expected'
    error stop 1
  end subroutine

  logical function within(a, b)
    real(real32), intent(in) :: a(:, :), b(:, :)
    within = all(abs(real(a, real64) - real(b, real64)) <= 0.01d0)
  end function

  subroutine errors()
    ! [fortran errors]
    real(real64) :: doubles(nx, ny)  ! but it was real32
    integer(int32) :: status
    call kompakt_decompress(context, stream(1:info%bytes), doubles, status=status)
    if (status /= KOMPAKT_OK) print '(3a)', kompakt_status_string(status), ': ', kompakt_last_message()
    ! [/fortran]
    call expect('errors', status == KOMPAKT_TYPE_MISMATCH)
  end subroutine

  subroutine sections()
    integer(int8), allocatable :: bytes(:)
    ! [fortran sections]
    type(kompakt_info) :: inner
    ! Without two ghost cells on each side: read, and written, where it lies.
    call kompakt_compress(context, field(3:nx - 2, 3:ny - 2), options, bytes, inner)
    call kompakt_decompress(context, bytes(1:inner%bytes), restored(3:nx - 2, 3:ny - 2))
    ! [/fortran]
    call expect('sections', within(field(3:nx - 2, 3:ny - 2), restored(3:nx - 2, 3:ny - 2)))
  end subroutine

  subroutine choose()
    integer(int8), allocatable :: bytes(:)
    type(kompakt_info) :: header
    ! [fortran choose]
    type(kompakt_options) :: chosen
    chosen%bound = kompakt_absolute(0.01d0)
    chosen%fill_mode = KOMPAKT_FILL_AUTO  ! such as 1e20 over land
    call kompakt_choose(context, field, KOMPAKT_GOAL_RATIO, chosen)
    call kompakt_compress(context, field, chosen, bytes, header)
    ! [/fortran]
    call expect('choose', header%goal == KOMPAKT_GOAL_RATIO .and. header%pipeline == chosen%pipeline)
  end subroutine

  subroutine region()
    ! [fortran region]
    type(kompakt_info) :: header
    real(real32), allocatable :: rows(:, :)
    call kompakt_inspect(stream, header)  ! the first 1024 bytes are enough
    allocate (rows(header%extents(1), 2))
    call kompakt_decompress_region(context, stream(1:header%bytes), [1_int64, 11_int64], rows)  ! field(:, 11:12)
    ! [/fortran]
    call expect('region', within(field(:, 11:12), rows))
  end subroutine

  subroutine parts()
    type(kompakt_options) :: of_part
    ! [fortran parts]
    type(kompakt_range) :: range
    call kompakt_field_range(context, field, range)
    ! min and max over all parts, where range%any is 1: MPI_Allreduce
    call kompakt_options_for_parts(range, of_part)
    ! [/fortran]
    call expect('parts', of_part%range > 0)
  end subroutine

  subroutine archive()
    integer :: unit
    ! [fortran archive]
    type(kompakt_archive_writer) :: writer
    type(kompakt_archive_reader) :: reader
    integer(int64) :: number
    call writer%create('fortran.kpk', KOMPAKT_ARCHIVE_REPLACE)  ! or KOMPAKT_ARCHIVE_APPEND
    call writer%append('temperature', stream(1:info%bytes), ['units', 'step '], ['K   ', '1200'])
    call writer%commit()

    call reader%open('fortran.kpk')
    number = reader%find('temperature')
    call kompakt_decompress(context, reader, number, restored)
    print '(4a)', reader%name(number), ' in ', reader%attribute(number, 'units')
    call reader%close()
    ! [/fortran]
    call expect('archive', within(field, restored))
    open (newunit=unit, file='fortran.kpk')
    close (unit, status='delete')
  end subroutine

end program
