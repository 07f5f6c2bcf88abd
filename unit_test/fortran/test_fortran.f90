! The Fortran interface gives the streams and values of that of C, for arrays and sections of each type and rank.
program test_fortran
  use, intrinsic :: iso_c_binding, only: c_double, c_int8_t, c_int32_t, c_int64_t, c_loc, c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: error_unit, int16, int32, int64, int8, real32, real64
  use kompakt
  implicit none

  interface
    function reference_stream(dtype, rank, extents, bound, values, stream, capacity) bind(c) result(bytes)
      import :: c_double, c_int8_t, c_int32_t, c_int64_t, c_ptr
      integer(c_int32_t), value :: dtype, rank
      integer(c_int64_t), intent(in) :: extents(*)
      real(c_double), value :: bound
      type(c_ptr), value :: values
      integer(c_int8_t), intent(inout) :: stream(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t) :: bytes
    end function
    function size_of_structure(number) bind(c) result(bytes)
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: number
      integer(c_int64_t) :: bytes
    end function
  end interface

  !> The magnitude of the difference of two values.
  interface distance
    procedure :: @DISTANCES@
  end interface

  type(kompakt_context) :: context
  integer :: failures = 0
  character(:), allocatable :: part

  part = 'structures'
  call test_structures()
  part = 'statuses'
  call test_statuses()
  part = 'archives'
  call test_archives()
  call context%create(KOMPAKT_SPACE_SERIAL)
@CALLS@  call context%destroy()
  call context%destroy()
  if (failures > 0) error stop 1

contains

  subroutine expect(what, holds)
    character(*), intent(in) :: what
    logical, intent(in) :: holds
    if (holds) return
    write (error_unit, '(4a)') part, ': not as expected: ', what
    failures = failures + 1
  end subroutine

  subroutine expect_stream_of_c(dtype, extents, bound, values, stream)
    integer(int32), intent(in) :: dtype
    integer(int64), intent(in) :: extents(:)
    real(real64), intent(in) :: bound
    type(c_ptr), intent(in) :: values
    integer(int8), intent(in) :: stream(:)
    integer(int8), allocatable :: expected(:)
    integer(int64) :: bytes
    allocate (expected(100000))
    bytes = reference_stream(dtype, size(extents), extents, bound, values, expected, size(expected, kind=int64))
    call expect('size of the stream of C', bytes == size(stream))
    if (bytes == size(stream)) call expect('stream of C', all(stream == expected(1:bytes)))
  end subroutine

  subroutine test_structures()
    type(kompakt_bound) :: bound
    type(kompakt_options) :: options
    type(kompakt_info) :: info
    type(kompakt_range) :: range
    type(kompakt_quality) :: quality
    call expect('bound', c_sizeof(bound) == size_of_structure(1))
    call expect('options', all([c_sizeof(options), int(options%struct_size, kind(c_sizeof(bound)))] == size_of_structure(2)))
    call expect('info', all([c_sizeof(info), int(info%struct_size, kind(c_sizeof(bound)))] == size_of_structure(3)))
    call expect('range', all([c_sizeof(range), int(range%struct_size, kind(c_sizeof(bound)))] == size_of_structure(4)))
    call expect('quality', all([c_sizeof(quality), int(quality%struct_size, kind(c_sizeof(bound)))] == size_of_structure(5)))
    call expect('axes', all([options%axis, options%second_axis, options%third_axis, info%second_axis, info%third_axis] == -1))
  end subroutine

  subroutine test_statuses()
    type(kompakt_context) :: none
    type(kompakt_options) :: options
    type(kompakt_info) :: info
    integer(int8), allocatable :: stream(:)
    real(real32) :: a(10), other(11)
    integer(int32) :: status
    a = 1
    call kompakt_compress(none, a, options, stream, info, status)
    call expect('no context', status == KOMPAKT_BAD_ARGUMENT)
    call expect('its message', index(kompakt_last_message(), 'kompakt_compress: context is NULL') == 1)
    call expect('its function', kompakt_last_where() == 'kompakt_compress')
    call expect('its problem', kompakt_last_problem() == 'context is NULL')
    call expect('its advice', kompakt_last_advice() == 'pass a valid pointer')
    call none%create(77, status=status)
    call expect('no space', status == KOMPAKT_BAD_ARGUMENT)
    call context%create(KOMPAKT_SPACE_SERIAL)
    call context%create(KOMPAKT_SPACE_SERIAL)
    call expect('space', context%space() == KOMPAKT_SPACE_SERIAL)
    call expect('space that there is', kompakt_has_space(KOMPAKT_SPACE_SERIAL))
    options%pipeline = 9
    call kompakt_compress(context, a, options, stream, info, status)
    call expect('no pipeline', status == KOMPAKT_BAD_ARGUMENT)
    options = kompakt_options()
    call kompakt_compress(context, a, options, stream, info)
    call kompakt_decompress(context, stream(1:info%bytes), other, status=status)
    call expect('another shape', status == KOMPAKT_TYPE_MISMATCH)
    call expect('name of a status', kompakt_status_string(status) == 'type_mismatch')
    call kompakt_inspect(stream(1:0), info, status)
    call expect('no stream', status == KOMPAKT_BAD_MAGIC)
    call kompakt_initialize(threads=1, status=status)
    call expect('settings that come too late', status == KOMPAKT_BAD_ARGUMENT)
    call kompakt_choose(context, a, KOMPAKT_GOAL_BALANCED, options)
    call expect('goal', options%reason /= 0)
    call kompakt_options_set_text(options, 'abs:0.5,pipeline=huffman,pack')
    call kompakt_options_set(options, 'predictor', 'tile', status)
    call expect('key and word', status == KOMPAKT_OK .and. options%predictor == KOMPAKT_PREDICTOR_TILE)
    call expect('text', kompakt_options_text(options) == 'abs:0.5,pipeline=huffman,predictor=tile,fill=auto,pack')
    call kompakt_options_set(options, 'predictor', 'tiles', status)
    call expect('unknown word', status == KOMPAKT_BAD_ARGUMENT .and. options%predictor == KOMPAKT_PREDICTOR_TILE)
    call kompakt_options_set(options, 'axis', '3:0:1')
    call expect('named axes', all([options%axis, options%second_axis, options%third_axis] == [3, 0, 1]))
    call kompakt_options_set(options, 'axis', '3:3', status)
    call expect('an axis twice', status == KOMPAKT_BAD_ARGUMENT .and. options%second_axis == 0)
    call expect('version', len(kompakt_version_string()) >= 5)
    call context%destroy()
  end subroutine

  subroutine test_archives()
    character(*), parameter :: path = 'test_fortran.kpk'
    type(kompakt_archive_writer) :: writer
    type(kompakt_archive_reader) :: reader
    type(kompakt_info) :: info, again
    type(kompakt_options) :: options
    integer(int8), allocatable :: stream(:), bytes(:)
    real(real64) :: a(5, 6), b(5, 6)
    integer(int32) :: status
    integer :: unit
    call random_number(a)
    options%bound = kompakt_lossless()
    call context%create(KOMPAKT_SPACE_SERIAL)
    call kompakt_compress(context, a, options, stream, info)
    call writer%create(path, KOMPAKT_ARCHIVE_REPLACE)
    call writer%append('gone', stream(1:info%bytes))
    call writer%append('field of two words', stream(1:info%bytes), ['units', 'note ', 'step '], ['K     ', 'a b   ', '120000'])
    call writer%append('halves', stream(1:info%bytes), ['units', 'note '], ['K'], status)
    call expect('key without a value', status == KOMPAKT_BAD_ARGUMENT)
    call writer%append('halves', stream(1:info%bytes), values=['K'], status=status)
    call expect('value without a key', status == KOMPAKT_BAD_ARGUMENT)
    call writer%remove('gone')
    call writer%commit()
    call writer%append('late', stream(1:info%bytes), status=status)
    call expect('no writer', status == KOMPAKT_BAD_ARGUMENT)
    call writer%create(path, status=status)
    call expect('no new archive', status == KOMPAKT_IO)

    call reader%open(path)
    call expect('count', reader%count() == 1)
    call expect('name', reader%name(1_int64) == 'field of two words')
    call expect('find', reader%find('field of two words') == 1)
    call expect('missing field', reader%find('gone', status) == 0)
    call expect('its status', status == KOMPAKT_BAD_ARGUMENT)
    call expect('attribute', reader%attribute(1_int64, 'note') == 'a b')
    call expect('longer attribute', reader%attribute(1_int64, 'step') == '120000')
    call expect('missing attribute', reader%attribute(1_int64, 'x') == '')
    call reader%inspect(1_int64, again)
    call expect('inspect', again%bytes == info%bytes .and. again%resolved%mode == KOMPAKT_BOUND_LOSSLESS)
    call reader%read(1_int64, bytes)
    call expect('stream', all(bytes == stream(1:info%bytes)))
    call kompakt_decompress(context, reader, 1_int64, b)
    call expect('values', all(a == b))
    call kompakt_decompress(context, reader, 2_int64, b, status=status)
    call expect('missing number', status == KOMPAKT_BAD_ARGUMENT)
    call reader%close()
    call context%destroy()
    open (newunit=unit, file=path)
    close (unit, status='delete')
  end subroutine
@PROCEDURES@
end program
