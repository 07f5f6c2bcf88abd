!> The Fortran interface: arrays of reals, integers and complex numbers, of rank 1 to 4, over the C one. docs/integrations/fortran.md
!> goes by task.
!>
!> Every procedure that can fail takes an optional `status` at its end: with it, it is one of KOMPAKT_… (KOMPAKT_OK is 0),
!> and kompakt_last_message() tells the rest; without it, the message is printed and the program ends with error stop.
!> Sizes are in bytes and counts in values, integer(int64).
!>
!> Arrays are those of Fortran: the first index runs fastest, and sections such as a(2:n-1, ::2) are taken where they
!> lie, without a copy.
module kompakt
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int32_t, c_int64_t, c_intptr_t, &
    c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  implicit none
  private

  ! ------------------------------------------------------------------------------------ numbers of the header of C

  !> Result of a call; also the exit codes of the program.
  integer(int32), parameter, public :: KOMPAKT_OK = 0
  integer(int32), parameter, public :: KOMPAKT_BAD_ARGUMENT = 1
  integer(int32), parameter, public :: KOMPAKT_BUFFER_TOO_SMALL = 2
  integer(int32), parameter, public :: KOMPAKT_BAD_MAGIC = 10
  integer(int32), parameter, public :: KOMPAKT_UNSUPPORTED_VERSION = 11
  integer(int32), parameter, public :: KOMPAKT_CORRUPT = 12
  integer(int32), parameter, public :: KOMPAKT_TYPE_MISMATCH = 13
  integer(int32), parameter, public :: KOMPAKT_BOUND_VIOLATED = 20
  integer(int32), parameter, public :: KOMPAKT_IO = 21
  integer(int32), parameter, public :: KOMPAKT_DEVICE = 30

  !> Execution space.
  integer(int32), parameter, public :: KOMPAKT_SPACE_DEFAULT = -1
  integer(int32), parameter, public :: KOMPAKT_SPACE_SERIAL = 0
  integer(int32), parameter, public :: KOMPAKT_SPACE_OPENMP = 1
  integer(int32), parameter, public :: KOMPAKT_SPACE_CUDA = 2

  !> Type of values. Integers come back as integers, within the whole part of a bound, and numbers of 16 bits as such.
  !> Complex numbers are two float or two double; their bound holds for the magnitude of the difference.
  integer(int32), parameter, public :: KOMPAKT_F32 = 0
  integer(int32), parameter, public :: KOMPAKT_F64 = 1
  integer(int32), parameter, public :: KOMPAKT_I8 = 2
  integer(int32), parameter, public :: KOMPAKT_U8 = 3
  integer(int32), parameter, public :: KOMPAKT_I16 = 4
  integer(int32), parameter, public :: KOMPAKT_U16 = 5
  integer(int32), parameter, public :: KOMPAKT_I32 = 6
  integer(int32), parameter, public :: KOMPAKT_U32 = 7
  integer(int32), parameter, public :: KOMPAKT_I64 = 8
  integer(int32), parameter, public :: KOMPAKT_U64 = 9
  integer(int32), parameter, public :: KOMPAKT_F16 = 10
  integer(int32), parameter, public :: KOMPAKT_BF16 = 11
  integer(int32), parameter, public :: KOMPAKT_C64 = 12
  integer(int32), parameter, public :: KOMPAKT_C128 = 13

  !> Which index runs fastest in memory.
  integer(int32), parameter, public :: KOMPAKT_LAST_FASTEST = 0
  integer(int32), parameter, public :: KOMPAKT_FIRST_FASTEST = 1

  !> Meaning of the value of a bound.
  integer(int32), parameter, public :: KOMPAKT_BOUND_ABS = 0
  integer(int32), parameter, public :: KOMPAKT_BOUND_R2R = 1
  integer(int32), parameter, public :: KOMPAKT_BOUND_PWR = 2
  integer(int32), parameter, public :: KOMPAKT_BOUND_PSNR = 3
  integer(int32), parameter, public :: KOMPAKT_BOUND_LOSSLESS = 4

  !> Compression method.
  integer(int32), parameter, public :: KOMPAKT_PIPELINE_AUTO = 0
  integer(int32), parameter, public :: KOMPAKT_HUFFMAN = 1
  integer(int32), parameter, public :: KOMPAKT_BITSHUFFLE = 2
  integer(int32), parameter, public :: KOMPAKT_FIXEDLENGTH = 3
  integer(int32), parameter, public :: KOMPAKT_RANS = 4

  !> Variant of the coding of a pipeline.
  integer(int32), parameter, public :: KOMPAKT_VARIANT_PLAIN = 0
  integer(int32), parameter, public :: KOMPAKT_VARIANT_OUTLIER = 1
  integer(int32), parameter, public :: KOMPAKT_VARIANT_AUTO = 2
  integer(int32), parameter, public :: KOMPAKT_VARIANT_FZ = 3
  integer(int32), parameter, public :: KOMPAKT_VARIANT_NESTED = 4
  integer(int32), parameter, public :: KOMPAKT_VARIANT_DEEP = KOMPAKT_VARIANT_NESTED
  integer(int32), parameter, public :: KOMPAKT_VARIANT_CUSTOM = 5
  integer(int32), parameter, public :: KOMPAKT_VARIANT_DICTIONARY = 6

  !> Source of the prediction of a value.
  integer(int32), parameter, public :: KOMPAKT_PREDICTOR_AUTO = 0
  integer(int32), parameter, public :: KOMPAKT_PREDICTOR_CHAIN = 1
  integer(int32), parameter, public :: KOMPAKT_PREDICTOR_TILE = 2
  integer(int32), parameter, public :: KOMPAKT_PREDICTOR_INTERPOLATE = 3

  !> Goal of a choice of a pipeline.
  integer(int32), parameter, public :: KOMPAKT_GOAL_NONE = 0
  integer(int32), parameter, public :: KOMPAKT_GOAL_RATIO = 1
  integer(int32), parameter, public :: KOMPAKT_GOAL_SPEED = 2
  integer(int32), parameter, public :: KOMPAKT_GOAL_BALANCED = 3
  integer(int32), parameter, public :: KOMPAKT_GOAL_SMALLEST = 4

  !> Fill values, which mean "no value here", such as 1e20 over land: a fill value comes back bit for bit and does not count
  !> in a range.
  integer(int32), parameter, public :: KOMPAKT_FILL_NONE = 0
  integer(int32), parameter, public :: KOMPAKT_FILL_AUTO = 1
  integer(int32), parameter, public :: KOMPAKT_FILL_VALUE = 2

  !> Numbers that all values of a field are made of, for floating-point values without loss.
  integer(int32), parameter, public :: KOMPAKT_STEPS_NONE = 0
  integer(int32), parameter, public :: KOMPAKT_STEPS_MULTIPLES = 1
  integer(int32), parameter, public :: KOMPAKT_STEPS_ROUNDED = 2
  integer(int32), parameter, public :: KOMPAKT_STEPS_QUOTIENTS = 3
  integer(int32), parameter, public :: KOMPAKT_STEPS_BITS = 4
  integer(int32), parameter, public :: KOMPAKT_STEPS_AUTO = 5

  !> Prediction of the values of a stream.
  integer(int32), parameter, public :: KOMPAKT_METHOD_MIXED = -1
  integer(int32), parameter, public :: KOMPAKT_METHOD_LORENZO = 0
  integer(int32), parameter, public :: KOMPAKT_METHOD_INTERPOLATION = 1

  !> Shape of the tiles of 1024 values.
  integer(int32), parameter, public :: KOMPAKT_TILE_CHAIN = 0
  integer(int32), parameter, public :: KOMPAKT_TILE_SQUARE = 1
  integer(int32), parameter, public :: KOMPAKT_TILE_BRICK = 2

  !> Groups of numbers that kompakt_compare() finds besides the basic ones, joined by |.
  integer(int32), parameter, public :: KOMPAKT_QUALITY_BASIC = 0
  integer(int32), parameter, public :: KOMPAKT_QUALITY_SSIM = 1
  integer(int32), parameter, public :: KOMPAKT_QUALITY_AUTOCORRELATION = 2
  integer(int32), parameter, public :: KOMPAKT_QUALITY_HISTOGRAM = 4
  integer(int32), parameter, public :: KOMPAKT_QUALITY_ENTROPY = 8
  integer(int32), parameter, public :: KOMPAKT_QUALITY_ALL = 15

  !> Behaviour of kompakt_archive_create() with and without an existing file.
  integer(int32), parameter, public :: KOMPAKT_ARCHIVE_NEW = 0
  integer(int32), parameter, public :: KOMPAKT_ARCHIVE_REPLACE = 1
  integer(int32), parameter, public :: KOMPAKT_ARCHIVE_APPEND = 2
  integer(int32), parameter, public :: KOMPAKT_ARCHIVE_APPEND_OR_NEW = 3

  integer, parameter :: max_rank = 8
  integer, parameter :: max_other_fills = 7

  ! -------------------------------------------------------------------------------------------- structures of C

  !> What is promised of every finite value.
  type, bind(c), public :: kompakt_bound
    real(c_double) :: value = 1e-3_c_double
    integer(c_int32_t) :: mode = KOMPAKT_BOUND_R2R
    !> 1: nobody has chosen this bound, and integers come back exactly
    integer(c_int32_t) :: is_default = 1
  end type

  !> As kompakt_options of C, with the same defaults. struct_size is not to be changed.
  type, bind(c), public :: kompakt_options
    integer(c_int64_t) :: struct_size = 200
    type(kompakt_bound) :: bound
    integer(c_int32_t) :: pipeline = KOMPAKT_FIXEDLENGTH
    integer(c_int32_t) :: variant = KOMPAKT_VARIANT_AUTO
    integer(c_int32_t) :: predictor = KOMPAKT_PREDICTOR_AUTO
    integer(c_int32_t) :: checksum = 1
    integer(c_int32_t) :: radius = 512
    integer(c_int32_t) :: fill_mode = KOMPAKT_FILL_AUTO
    real(c_double) :: fill = 0
    real(c_double) :: range = 0
    integer(c_int64_t) :: reason = 0
    integer(c_int32_t) :: pack = 0
    integer(c_int32_t) :: goal = KOMPAKT_GOAL_NONE
    real(c_double) :: other_fills(max_other_fills) = 0
    integer(c_int32_t) :: other_fill_count = 0
    integer(c_int32_t) :: has_limits = 0
    real(c_double) :: lower_limit = 0
    real(c_double) :: upper_limit = 0
    integer(c_int32_t) :: axis = -1
    integer(c_int32_t) :: steps_kind = KOMPAKT_STEPS_AUTO
    real(c_double) :: step = 0
    real(c_double) :: step_offset = 0
    integer(c_int32_t) :: second_axis = -1
    integer(c_int32_t) :: third_axis = -1
    real(c_double) :: magnitude = 0
  end type

  !> As kompakt_info of C: what the header of a stream says. extents(1:rank) are those of the array.
  type, bind(c), public :: kompakt_info
    integer(c_int64_t) :: struct_size = 408
    integer(c_int64_t) :: bytes = 0
    integer(c_int32_t) :: version = 0
    integer(c_int32_t) :: dtype = 0
    integer(c_int32_t) :: order = 0
    integer(c_int32_t) :: rank = 0
    integer(c_int64_t) :: extents(max_rank) = 0
    integer(c_int64_t) :: origin(max_rank) = 0
    integer(c_int64_t) :: total(max_rank) = 0
    type(kompakt_bound) :: bound
    type(kompakt_bound) :: resolved
    real(c_double) :: fill = 0
    integer(c_int32_t) :: has_fill = 0
    integer(c_int32_t) :: is_part = 0
    integer(c_int32_t) :: constant = 0
    integer(c_int32_t) :: checksum = 0
    integer(c_int32_t) :: pipeline = 0
    integer(c_int32_t) :: variant = 0
    integer(c_int32_t) :: method = 0
    integer(c_int32_t) :: tile_shape = 0
    integer(c_int32_t) :: goal = 0
    integer(c_int32_t) :: radius = 0
    integer(c_int32_t) :: dictionary = 0
    integer(c_int32_t) :: symbols_only = 0
    integer(c_int32_t) :: books(3) = 0
    integer(c_int32_t) :: packed = 0
    integer(c_int64_t) :: codebook_bytes = 0
    integer(c_int64_t) :: exceptions = 0
    integer(c_int64_t) :: chunks = 0
    integer(c_int32_t) :: has_limits = 0
    integer(c_int32_t) :: axis = 0
    real(c_double) :: lower_limit = 0
    real(c_double) :: upper_limit = 0
    integer(c_int32_t) :: steps_kind = KOMPAKT_STEPS_NONE
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: step = 0
    real(c_double) :: step_offset = 0
    integer(c_int32_t) :: second_axis = -1
    integer(c_int32_t) :: third_axis = -1
  end type

  !> As kompakt_range of C.
  type, bind(c), public :: kompakt_range
    integer(c_int64_t) :: struct_size = 112
    real(c_double) :: min = 0
    real(c_double) :: max = 0
    real(c_double) :: width = 0
    real(c_double) :: fill = 0
    integer(c_int32_t) :: any = 0
    integer(c_int32_t) :: has_fill = 0
    real(c_double) :: other_fills(max_other_fills) = 0
    integer(c_int32_t) :: other_fill_count = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> As kompakt_quality of C. first_violation counts from 0, in memory order.
  type, bind(c), public :: kompakt_quality
    integer(c_int64_t) :: struct_size = 408
    integer(c_int64_t) :: values = 0
    integer(c_int64_t) :: nonfinite = 0
    integer(c_int64_t) :: violations = 0
    integer(c_int64_t) :: first_violation = -1
    real(c_double) :: max_abs_error = 0
    real(c_double) :: max_rel_error = 0
    real(c_double) :: mean_error = 0
    real(c_double) :: min = 0
    real(c_double) :: max = 0
    real(c_double) :: rmse = 0
    real(c_double) :: nrmse = 0
    real(c_double) :: psnr_db = 0
    real(c_double) :: pearson = 0
    real(c_double) :: ssim = 0
    integer(c_int64_t) :: ssim_windows = 0
    real(c_double) :: autocorrelation(10) = 0
    integer(c_int64_t) :: histogram(21) = 0
    integer(c_int64_t) :: histogram_below = 0
    integer(c_int64_t) :: histogram_above = 0
    real(c_double) :: entropy_original = 0
    real(c_double) :: entropy_reconstructed = 0
  end type

  type, bind(c) :: c_field
    integer(c_int64_t) :: struct_size = 152
    integer(c_int32_t) :: dtype = KOMPAKT_F32
    integer(c_int32_t) :: order = KOMPAKT_FIRST_FASTEST
    integer(c_int32_t) :: memory = 0
    integer(c_int32_t) :: rank = 0
    integer(c_int64_t) :: extents(max_rank) = 0
    integer(c_int64_t) :: strides(max_rank) = 0
  end type

  type, bind(c) :: c_settings
    integer(c_int64_t) :: struct_size = 16
    integer(c_int32_t) :: threads = 0
    integer(c_int32_t) :: device = -1
  end type

  type, bind(c) :: c_attribute
    type(c_ptr) :: key
    type(c_ptr) :: value
  end type

  type, bind(c) :: c_entry
    integer(c_int64_t) :: struct_size = 56
    type(c_ptr) :: name
    type(c_ptr) :: attributes
    integer(c_int64_t) :: attribute_count = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int32_t) :: checksum = 0
    integer(c_int32_t) :: reserved = 0
  end type

  !> An array as the C interface takes it.
  type :: array
    type(c_field) :: field
    type(c_ptr) :: values = c_null_ptr
  end type

  ! --------------------------------------------------------------------------------------------------- handles

  !> An execution space with the memory that calls take. One thread at a time; not to be copied.
  type, public :: kompakt_context
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => context_create    !< (space, stream, status), all optional
    procedure :: destroy => context_destroy  !< frees its memory
    procedure :: space => context_space      !< the space that it is on
    procedure :: bytes => context_bytes      !< what it holds in the memory of the space
  end type

  !> Writes an archive, or appends fields to one. Not to be copied.
  type, public :: kompakt_archive_writer
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => writer_create    !< (path, mode, wait_ms, status)
    procedure :: append => writer_append    !< (name, stream, keys, values, status)
    procedure :: remove => writer_remove    !< (name, status)
    procedure :: commit => writer_commit    !< (status): makes all of it a part of the archive, and frees the writer
    procedure :: discard => writer_discard  !< gives up what has not been committed, and frees the writer
  end type

  !> Reads an archive as it was when it was opened. Fields have the numbers from 1 on. Not to be copied.
  type, public :: kompakt_archive_reader
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: open => reader_open            !< (path, status)
    procedure :: close => reader_close          !< frees it
    procedure :: count => reader_count          !< how many fields there are
    procedure :: name => reader_name            !< the name of a field by its number
    procedure :: find => reader_find            !< (name, status): the number of a field; 0 if that failed
    procedure :: attribute => reader_attribute  !< (number, key): its value; empty if there is none
    procedure :: inspect => reader_inspect      !< (number, info, status)
    procedure :: read => reader_read            !< (number, stream, status): a copy of its stream
  end type

  ! --------------------------------------------------------------------------------------------------- calls

  !> kompakt_compress(context, field, options, stream, info, status): compresses an array.
  !> stream: integer(int8), allocatable; is made larger if it must be; stream(1:info%bytes) is the stream.
  public :: kompakt_compress
  !> kompakt_decompress(context, stream, field, info, status): stream is exactly one, field has its shape.
  !> kompakt_decompress(context, reader, number, field, info, status): the same of a field of an archive.
  public :: kompakt_decompress
  !> kompakt_decompress_region(context, stream, first, region, info, status): region(1, 1) becomes element first(1),
  !> first(2) of the array, which counts from 1, and so on. Only what it touches is decoded.
  public :: kompakt_decompress_region
  !> kompakt_choose(context, field, goal, options, status): sets pipeline, variant and predictor.
  public :: kompakt_choose
  !> kompakt_field_range(context, field, range, options, status): options, of which the fill value counts, are optional.
  public :: kompakt_field_range
  !> kompakt_options_set(options, key, word, status): sets what a key decides, such as 'predictor' to 'interpolate'.
  !> kompakt_options_set_text(options, text, status): sets everything that a text says, such as 'r2r:1e-3,predictor=tile,pack'.
  !> kompakt_options_text(options): the text that sets such options; empty if they are not valid.
  public :: kompakt_options_set, kompakt_options_set_text, kompakt_options_text
  !> kompakt_compare(context, original, reconstructed, quality, bound, groups, status): bound (0 without it) and groups
  !> (KOMPAKT_QUALITY_BASIC) are optional.
  public :: kompakt_compare

  public :: kompakt_absolute, kompakt_relative_to_range, kompakt_relative_to_value, kompakt_psnr, kompakt_lossless
  public :: kompakt_initialize, kompakt_has_space, kompakt_inspect, kompakt_range_width
  public :: kompakt_options_for_parts
  public :: kompakt_last_message, kompakt_last_where, kompakt_last_problem, kompakt_last_advice
  public :: kompakt_status_string, kompakt_version_string

  ! Generated: the generic interfaces of the calls above, a specific one for each type and rank.
  include 'kompakt_generic.inc'

  interface
    function c_status_string(status) bind(c, name='kompakt_status_string') result(text)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
      type(c_ptr) :: text
    end function
    function c_last_message() bind(c, name='kompakt_last_message') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_last_where() bind(c, name='kompakt_last_where') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_last_problem() bind(c, name='kompakt_last_problem') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_last_advice() bind(c, name='kompakt_last_advice') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_version_string() bind(c, name='kompakt_version_string') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_has_space(space) bind(c, name='kompakt_has_space') result(has)
      import :: c_int32_t
      integer(c_int32_t), value :: space
      integer(c_int32_t) :: has
    end function
    function c_initialize(settings) bind(c, name='kompakt_initialize') result(status)
      import :: c_int32_t, c_settings
      type(c_settings), intent(in) :: settings
      integer(c_int32_t) :: status
    end function
    function c_context_create(space, stream, context) bind(c, name='kompakt_context_create') result(status)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: space
      type(c_ptr), value :: stream
      type(c_ptr), intent(inout) :: context
      integer(c_int32_t) :: status
    end function
    subroutine c_context_destroy(context) bind(c, name='kompakt_context_destroy')
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
    function c_context_space(context, space) bind(c, name='kompakt_context_space') result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int32_t), intent(inout) :: space
      integer(c_int32_t) :: status
    end function
    function c_context_bytes(context, bytes) bind(c, name='kompakt_context_bytes') result(status)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), intent(inout) :: bytes
      integer(c_int32_t) :: status
    end function
    function c_max_compressed_bytes(field, options, bytes) bind(c, name='kompakt_max_compressed_bytes') result(status)
      import :: c_field, c_int32_t, c_int64_t, kompakt_options
      type(c_field), intent(in) :: field
      type(kompakt_options), intent(in) :: options
      integer(c_int64_t), intent(inout) :: bytes
      integer(c_int32_t) :: status
    end function
    function c_inspect(stream, bytes, info) bind(c, name='kompakt_inspect') result(status)
      import :: c_int32_t, c_int64_t, c_ptr, kompakt_info
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: bytes
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_compress(context, field, values, options, stream, capacity, stream_in, info) &
        bind(c, name='kompakt_compress') result(status)
      import :: c_field, c_int32_t, c_int64_t, c_ptr, kompakt_info, kompakt_options
      type(c_ptr), value :: context, values, stream
      type(c_field), intent(in) :: field
      type(kompakt_options), intent(in) :: options
      integer(c_int64_t), value :: capacity
      integer(c_int32_t), value :: stream_in
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_decompress(context, stream, bytes, stream_in, field, values, info) &
        bind(c, name='kompakt_decompress') result(status)
      import :: c_field, c_int32_t, c_int64_t, c_ptr, kompakt_info
      type(c_ptr), value :: context, stream, values
      integer(c_int64_t), value :: bytes
      integer(c_int32_t), value :: stream_in
      type(c_field), intent(in) :: field
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_decompress_region(context, stream, bytes, stream_in, begin, end, region, values, info) &
        bind(c, name='kompakt_decompress_region') result(status)
      import :: c_field, c_int32_t, c_int64_t, c_ptr, kompakt_info
      type(c_ptr), value :: context, stream, values
      integer(c_int64_t), value :: bytes
      integer(c_int32_t), value :: stream_in
      integer(c_int64_t), intent(in) :: begin(*), end(*)
      type(c_field), intent(in) :: region
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_options_set(options, key, word) bind(c, name='kompakt_options_set') result(status)
      import :: c_char, c_int32_t, kompakt_options
      type(kompakt_options), intent(inout) :: options
      character(kind=c_char), intent(in) :: key(*), word(*)
      integer(c_int32_t) :: status
    end function
    function c_options_set_text(options, text) bind(c, name='kompakt_options_set_text') result(status)
      import :: c_char, c_int32_t, kompakt_options
      type(kompakt_options), intent(inout) :: options
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int32_t) :: status
    end function
    function c_options_text(options, text, capacity, length) bind(c, name='kompakt_options_text') result(status)
      import :: c_char, c_int32_t, c_int64_t, kompakt_options
      type(kompakt_options), intent(in) :: options
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(out) :: length
      integer(c_int32_t) :: status
    end function
    function c_choose(context, field, values, goal, options) bind(c, name='kompakt_choose') result(status)
      import :: c_field, c_int32_t, c_ptr, kompakt_options
      type(c_ptr), value :: context, values
      type(c_field), intent(in) :: field
      integer(c_int32_t), value :: goal
      type(kompakt_options), intent(inout) :: options
      integer(c_int32_t) :: status
    end function
    function c_field_range(context, field, values, options, range) bind(c, name='kompakt_field_range') result(status)
      import :: c_field, c_int32_t, c_ptr, kompakt_options, kompakt_range
      type(c_ptr), value :: context, values
      type(c_field), intent(in) :: field
      type(kompakt_options), intent(in) :: options
      type(kompakt_range), intent(inout) :: range
      integer(c_int32_t) :: status
    end function
    function c_range_width(min, max, width) bind(c, name='kompakt_range_width') result(status)
      import :: c_double, c_int32_t
      real(c_double), value :: min, max
      real(c_double), intent(inout) :: width
      integer(c_int32_t) :: status
    end function
    function c_options_for_parts(whole, options) bind(c, name='kompakt_options_for_parts') result(status)
      import :: c_int32_t, kompakt_options, kompakt_range
      type(kompakt_range), intent(in) :: whole
      type(kompakt_options), intent(inout) :: options
      integer(c_int32_t) :: status
    end function
    function c_compare(context, original_field, original, reconstructed_field, reconstructed, bound, groups, quality) &
        bind(c, name='kompakt_compare') result(status)
      import :: c_field, c_int32_t, c_ptr, kompakt_bound, kompakt_quality
      type(c_ptr), value :: context, original, reconstructed
      type(c_field), intent(in) :: original_field, reconstructed_field
      type(kompakt_bound), intent(in) :: bound
      integer(c_int32_t), value :: groups
      type(kompakt_quality), intent(inout) :: quality
      integer(c_int32_t) :: status
    end function
    function c_archive_open(path, reader) bind(c, name='kompakt_archive_open') result(status)
      import :: c_char, c_int32_t, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: reader
      integer(c_int32_t) :: status
    end function
    subroutine c_archive_close(reader) bind(c, name='kompakt_archive_close')
      import :: c_ptr
      type(c_ptr), value :: reader
    end subroutine
    function c_archive_count(reader, count) bind(c, name='kompakt_archive_count') result(status)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(inout) :: count
      integer(c_int32_t) :: status
    end function
    function c_archive_entry(reader, number, entry) bind(c, name='kompakt_archive_entry') result(status)
      import :: c_entry, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: number
      type(c_entry), intent(inout) :: entry
      integer(c_int32_t) :: status
    end function
    function c_archive_find(reader, name, number) bind(c, name='kompakt_archive_find') result(status)
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: number
      integer(c_int32_t) :: status
    end function
    function c_archive_read(reader, number, stream, capacity) bind(c, name='kompakt_archive_read') result(status)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: reader, stream
      integer(c_int64_t), value :: number, capacity
      integer(c_int32_t) :: status
    end function
    function c_archive_inspect(reader, number, info) bind(c, name='kompakt_archive_inspect') result(status)
      import :: c_int32_t, c_int64_t, c_ptr, kompakt_info
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: number
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_archive_decompress(context, reader, number, field, values, info) &
        bind(c, name='kompakt_archive_decompress') result(status)
      import :: c_field, c_int32_t, c_int64_t, c_ptr, kompakt_info
      type(c_ptr), value :: context, reader, values
      integer(c_int64_t), value :: number
      type(c_field), intent(in) :: field
      type(kompakt_info), intent(inout) :: info
      integer(c_int32_t) :: status
    end function
    function c_archive_create(path, mode, wait_ms, writer) bind(c, name='kompakt_archive_create') result(status)
      import :: c_char, c_int32_t, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t), value :: mode
      integer(c_int64_t), value :: wait_ms
      type(c_ptr), intent(inout) :: writer
      integer(c_int32_t) :: status
    end function
    function c_archive_append(writer, name, attributes, attribute_count, stream, bytes) &
        bind(c, name='kompakt_archive_append') result(status)
      import :: c_attribute, c_char, c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: writer, stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_attribute), intent(in) :: attributes(*)
      integer(c_int64_t), value :: attribute_count, bytes
      integer(c_int32_t) :: status
    end function
    function c_archive_remove(writer, name) bind(c, name='kompakt_archive_remove') result(status)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: writer
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: status
    end function
    function c_archive_commit(writer) bind(c, name='kompakt_archive_commit') result(status)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int32_t) :: status
    end function
    subroutine c_archive_discard(writer) bind(c, name='kompakt_archive_discard')
      import :: c_ptr
      type(c_ptr), value :: writer
    end subroutine
  end interface

contains

  ! -------------------------------------------------------------------------------------------- texts, errors

  !> A copy of a text of C.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> What was wrong with the last call that failed, in one line; empty if none has.
  function kompakt_last_message() result(text)
    character(:), allocatable :: text
    text = text_of(c_last_message())
  end function

  !> Name of the function that refused the last call that failed; empty if no part of the line is a name.
  function kompakt_last_where() result(text)
    character(:), allocatable :: text
    text = text_of(c_last_where())
  end function

  !> What was wrong with the last call that failed, with the value received.
  function kompakt_last_problem() result(text)
    character(:), allocatable :: text
    text = text_of(c_last_problem())
  end function

  !> What to do about it; empty if the line does not say.
  function kompakt_last_advice() result(text)
    character(:), allocatable :: text
    text = text_of(c_last_advice())
  end function

  !> Name of a status, such as "bad_argument".
  function kompakt_status_string(status) result(text)
    integer(int32), intent(in) :: status
    character(:), allocatable :: text
    text = text_of(c_status_string(status))
  end function

  !> Version of the library, such as "0.2.0".
  function kompakt_version_string() result(text)
    character(:), allocatable :: text
    text = text_of(c_version_string())
  end function

  !> Hands a status to the caller, or ends the program if nobody takes it.
  subroutine hand_over(found, status)
    integer(int32), intent(in) :: found
    integer(int32), intent(out), optional :: status
    if (present(status)) then
      status = found
    else if (found /= KOMPAKT_OK) then
      write (error_unit, '(4a)') 'kompakt: ', kompakt_status_string(found), ': ', kompakt_last_message()
      error stop 1
    end if
  end subroutine

  ! -------------------------------------------------------------------------------------------------- start

  !> Initialises Kokkos, on which the library runs, with so many threads, or a device; before the first context, by
  !> who wants others than the default.
  subroutine kompakt_initialize(threads, device, status)
    integer(int32), intent(in), optional :: threads, device
    integer(int32), intent(out), optional :: status
    type(c_settings) :: settings
    if (present(threads)) settings%threads = threads
    if (present(device)) settings%device = device
    call hand_over(c_initialize(settings), status)
  end subroutine

  !> Whether the library is compiled for a space.
  logical function kompakt_has_space(space)
    integer(int32), intent(in) :: space
    kompakt_has_space = c_has_space(space) /= 0
  end function

  !> Puts the context on a space. One that it was on before is given up.
  !> \param stream  of KOMPAKT_SPACE_CUDA: a stream of CUDA
  subroutine context_create(self, space, stream, status)
    class(kompakt_context), intent(inout) :: self
    integer(int32), intent(in), optional :: space
    type(c_ptr), intent(in), optional :: stream
    integer(int32), intent(out), optional :: status
    integer(int32) :: where
    type(c_ptr) :: on
    where = KOMPAKT_SPACE_DEFAULT
    if (present(space)) where = space
    on = c_null_ptr
    if (present(stream)) on = stream
    call self%destroy()
    call hand_over(c_context_create(where, on, self%handle), status)
  end subroutine

  subroutine context_destroy(self)
    class(kompakt_context), intent(inout) :: self
    call c_context_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  integer(int32) function context_space(self)
    class(kompakt_context), intent(in) :: self
    context_space = KOMPAKT_SPACE_DEFAULT
    call hand_over(c_context_space(self%handle, context_space))
  end function

  integer(int64) function context_bytes(self)
    class(kompakt_context), intent(in) :: self
    context_bytes = 0
    call hand_over(c_context_bytes(self%handle, context_bytes))
  end function

  ! ------------------------------------------------------------------------------------------------- bounds

  !> |x - x'| <= value
  pure type(kompakt_bound) function kompakt_absolute(value)
    real(real64), intent(in) :: value
    kompakt_absolute = kompakt_bound(value, KOMPAKT_BOUND_ABS, 0)
  end function

  !> |x - x'| <= value * (max - min)
  pure type(kompakt_bound) function kompakt_relative_to_range(value)
    real(real64), intent(in) :: value
    kompakt_relative_to_range = kompakt_bound(value, KOMPAKT_BOUND_R2R, 0)
  end function

  !> |x - x'| <= value * |x|
  pure type(kompakt_bound) function kompakt_relative_to_value(value)
    real(real64), intent(in) :: value
    kompakt_relative_to_value = kompakt_bound(value, KOMPAKT_BOUND_PWR, 0)
  end function

  !> A PSNR of at least so many dB.
  pure type(kompakt_bound) function kompakt_psnr(decibels)
    real(real64), intent(in) :: decibels
    kompakt_psnr = kompakt_bound(decibels, KOMPAKT_BOUND_PSNR, 0)
  end function

  !> Every bit.
  pure type(kompakt_bound) function kompakt_lossless()
    kompakt_lossless = kompakt_bound(0.0_real64, KOMPAKT_BOUND_LOSSLESS, 0)
  end function

  ! ------------------------------------------------------------------------------------------------ streams

  !> What the header of a stream says; its first 1024 bytes are enough.
  subroutine kompakt_inspect(stream, info, status)
    integer(int8), intent(in), contiguous, target :: stream(:)
    type(kompakt_info), intent(out) :: info
    integer(int32), intent(out), optional :: status
    call hand_over(c_inspect(address_of(stream), size(stream, kind=int64), info), status)
  end subroutine

  !> max - min, rounded down, as kompakt_options%range takes it.
  subroutine kompakt_range_width(min, max, width, status)
    real(real64), intent(in) :: min, max
    real(real64), intent(out) :: width
    integer(int32), intent(out), optional :: status
    width = 0
    call hand_over(c_range_width(min, max, width), status)
  end subroutine

  !> Options with which each part of a field keeps the bound of the whole: range and fill values.
  subroutine kompakt_options_for_parts(whole, options, status)
    type(kompakt_range), intent(in) :: whole
    type(kompakt_options), intent(inout) :: options
    integer(int32), intent(out), optional :: status
    call hand_over(c_options_for_parts(whole, options), status)
  end subroutine

  function address_of(bytes) result(address)
    integer(int8), intent(in), contiguous, target :: bytes(:)
    type(c_ptr) :: address
    address = c_null_ptr
    if (size(bytes) > 0) address = c_loc(bytes(1))
  end function

  !> Values from one address to another of the same array.
  integer(int64) function stride_between(first, second, value_bytes)
    type(c_ptr), intent(in) :: first, second
    integer, intent(in) :: value_bytes
    stride_between = (transfer(second, 0_c_intptr_t) - transfer(first, 0_c_intptr_t)) / value_bytes
  end function

  ! Calls for arrays of any type and rank.

  subroutine compress_array(context, from, options, stream, info, status)
    type(kompakt_context), intent(in) :: context
    type(array), intent(in) :: from
    type(kompakt_options), intent(in) :: options
    integer(int8), allocatable, target, intent(inout) :: stream(:)
    type(kompakt_info), intent(out) :: info
    integer(int32), intent(out), optional :: status
    integer(int32) :: found
    integer(int64) :: most
    most = 0
    found = c_max_compressed_bytes(from%field, options, most)
    if (found == KOMPAKT_OK) then
      if (allocated(stream)) then
        if (size(stream, kind=int64) < most) deallocate (stream)
      end if
      if (.not. allocated(stream)) allocate (stream(most))
      found = c_compress(context%handle, from%field, from%values, options, address_of(stream), &
                         size(stream, kind=int64), 0, info)
    end if
    call hand_over(found, status)
  end subroutine

  subroutine decompress_array(context, stream, to, info, status)
    type(kompakt_context), intent(in) :: context
    integer(int8), intent(in), contiguous, target :: stream(:)
    type(array), intent(in) :: to
    type(kompakt_info), intent(out), optional :: info
    integer(int32), intent(out), optional :: status
    type(kompakt_info) :: header
    integer(int32) :: found
    found = c_decompress(context%handle, address_of(stream), size(stream, kind=int64), 0, to%field, to%values, header)
    if (present(info)) info = header
    call hand_over(found, status)
  end subroutine

  subroutine decompress_entry(context, reader, number, to, info, status)
    type(kompakt_context), intent(in) :: context
    type(kompakt_archive_reader), intent(in) :: reader
    integer(int64), intent(in) :: number
    type(array), intent(in) :: to
    type(kompakt_info), intent(out), optional :: info
    integer(int32), intent(out), optional :: status
    type(kompakt_info) :: header
    integer(int32) :: found
    found = c_archive_decompress(context%handle, reader%handle, number - 1, to%field, to%values, header)
    if (present(info)) info = header
    call hand_over(found, status)
  end subroutine

  subroutine decompress_box(context, stream, first, to, info, status)
    type(kompakt_context), intent(in) :: context
    integer(int8), intent(in), contiguous, target :: stream(:)
    integer(int64), intent(in) :: first(:)
    type(array), intent(in) :: to
    type(kompakt_info), intent(out), optional :: info
    integer(int32), intent(out), optional :: status
    type(kompakt_info) :: header
    integer(int64) :: begin(size(first))
    integer(int32) :: found
    begin = first - 1
    found = c_decompress_region(context%handle, address_of(stream), size(stream, kind=int64), 0, begin, &
                                begin + to%field%extents(1:size(first)), to%field, to%values, header)
    if (present(info)) info = header
    call hand_over(found, status)
  end subroutine

  subroutine kompakt_options_set(options, key, word, status)
    type(kompakt_options), intent(inout) :: options
    character(*), intent(in) :: key, word
    integer(int32), intent(out), optional :: status
    call hand_over(c_options_set(options, trim(key)//c_null_char, trim(word)//c_null_char), status)
  end subroutine

  subroutine kompakt_options_set_text(options, text, status)
    type(kompakt_options), intent(inout) :: options
    character(*), intent(in) :: text
    integer(int32), intent(out), optional :: status
    call hand_over(c_options_set_text(options, trim(text)//c_null_char), status)
  end subroutine

  function kompakt_options_text(options) result(text)
    type(kompakt_options), intent(in) :: options
    character(:), allocatable :: text
    character(kind=c_char, len=1) :: letters(512)
    integer(int64) :: length
    integer :: i
    if (c_options_text(options, letters, size(letters, kind=int64), length) /= KOMPAKT_OK) length = 0
    allocate (character(int(length)) :: text)
    do i = 1, int(length)
      text(i:i) = letters(i)
    end do
  end function

  subroutine choose_for_array(context, from, goal, options, status)
    type(kompakt_context), intent(in) :: context
    type(array), intent(in) :: from
    integer(int32), intent(in) :: goal
    type(kompakt_options), intent(inout) :: options
    integer(int32), intent(out), optional :: status
    call hand_over(c_choose(context%handle, from%field, from%values, goal, options), status)
  end subroutine

  subroutine range_of_array(context, from, range, options, status)
    type(kompakt_context), intent(in) :: context
    type(array), intent(in) :: from
    type(kompakt_range), intent(out) :: range
    type(kompakt_options), intent(in), optional :: options
    integer(int32), intent(out), optional :: status
    type(kompakt_options) :: wanted
    if (present(options)) wanted = options
    call hand_over(c_field_range(context%handle, from%field, from%values, wanted, range), status)
  end subroutine

  subroutine compare_arrays(context, original, reconstructed, quality, bound, groups, status)
    type(kompakt_context), intent(in) :: context
    type(array), intent(in) :: original, reconstructed
    type(kompakt_quality), intent(out) :: quality
    type(kompakt_bound), intent(in), optional :: bound
    integer(int32), intent(in), optional :: groups
    integer(int32), intent(out), optional :: status
    type(kompakt_bound) :: within
    integer(int32) :: wanted
    within = kompakt_absolute(0.0_real64)
    if (present(bound)) within = bound
    wanted = KOMPAKT_QUALITY_BASIC
    if (present(groups)) wanted = groups
    call hand_over(c_compare(context%handle, original%field, original%values, reconstructed%field, &
                             reconstructed%values, within, wanted, quality), status)
  end subroutine

  ! ----------------------------------------------------------------------------------------------- archives

  !> \param mode     KOMPAKT_ARCHIVE_NEW without it
  !> \param wait_ms  to wait for another writer that appends; 0 without it
  subroutine writer_create(self, path, mode, wait_ms, status)
    class(kompakt_archive_writer), intent(inout) :: self
    character(*), intent(in) :: path
    integer(int32), intent(in), optional :: mode
    integer(int64), intent(in), optional :: wait_ms
    integer(int32), intent(out), optional :: status
    integer(int32) :: how
    integer(int64) :: wait
    how = KOMPAKT_ARCHIVE_NEW
    if (present(mode)) how = mode
    wait = 0
    if (present(wait_ms)) wait = wait_ms
    call self%discard()
    call hand_over(c_archive_create(trim(path)//c_null_char, how, wait, self%handle), status)
  end subroutine

  !> \param stream        what kompakt_compress() writes: stream(1:info%bytes)
  !> \param keys, values  of attributes, as many of both; blanks at their ends do not count
  subroutine writer_append(self, name, stream, keys, values, status)
    class(kompakt_archive_writer), intent(in) :: self
    character(*), intent(in) :: name
    integer(int8), intent(in), contiguous, target :: stream(:)
    character(*), intent(in), optional :: keys(:), values(:)
    integer(int32), intent(out), optional :: status
    character(kind=c_char), allocatable, target :: texts(:)
    type(c_attribute), allocatable :: attributes(:)
    integer :: i, key_count, value_count, letters, next
    key_count = 0
    value_count = 0
    letters = 0
    if (present(keys)) key_count = size(keys)
    if (present(values)) value_count = size(values)
    if (key_count > 0) letters = sum(len_trim(keys) + 1)
    if (value_count > 0) letters = letters + sum(len_trim(values) + 1)
    ! One that has no other half has a null pointer for it, which is refused.
    allocate (attributes(max(key_count, value_count)), texts(letters))
    next = 1
    do i = 1, size(attributes)
      attributes(i)%key = c_null_ptr
      attributes(i)%value = c_null_ptr
      if (i <= key_count) attributes(i)%key = put(trim(keys(i)))
      if (i <= value_count) attributes(i)%value = put(trim(values(i)))
    end do
    call hand_over(c_archive_append(self%handle, trim(name)//c_null_char, attributes, size(attributes, kind=int64), &
                                    address_of(stream), size(stream, kind=int64)), status)
  contains
    !> A copy of a text in `texts`, as C has it.
    type(c_ptr) function put(text)
      character(*), intent(in) :: text
      integer :: k
      put = c_loc(texts(next))
      do k = 1, len(text)
        texts(next) = text(k:k)
        next = next + 1
      end do
      texts(next) = c_null_char
      next = next + 1
    end function
  end subroutine

  subroutine writer_remove(self, name, status)
    class(kompakt_archive_writer), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(out), optional :: status
    call hand_over(c_archive_remove(self%handle, trim(name)//c_null_char), status)
  end subroutine

  subroutine writer_commit(self, status)
    class(kompakt_archive_writer), intent(inout) :: self
    integer(int32), intent(out), optional :: status
    integer(int32) :: found
    found = c_archive_commit(self%handle)
    if (found == KOMPAKT_OK) call self%discard()
    call hand_over(found, status)
  end subroutine

  subroutine writer_discard(self)
    class(kompakt_archive_writer), intent(inout) :: self
    call c_archive_discard(self%handle)
    self%handle = c_null_ptr
  end subroutine

  subroutine reader_open(self, path, status)
    class(kompakt_archive_reader), intent(inout) :: self
    character(*), intent(in) :: path
    integer(int32), intent(out), optional :: status
    call self%close()
    call hand_over(c_archive_open(trim(path)//c_null_char, self%handle), status)
  end subroutine

  subroutine reader_close(self)
    class(kompakt_archive_reader), intent(inout) :: self
    call c_archive_close(self%handle)
    self%handle = c_null_ptr
  end subroutine

  integer(int64) function reader_count(self)
    class(kompakt_archive_reader), intent(in) :: self
    reader_count = 0
    call hand_over(c_archive_count(self%handle, reader_count))
  end function

  function reader_name(self, number) result(name)
    class(kompakt_archive_reader), intent(in) :: self
    integer(int64), intent(in) :: number
    character(:), allocatable :: name
    type(c_entry) :: entry
    call hand_over(c_archive_entry(self%handle, number - 1, entry))
    name = text_of(entry%name)
  end function

  integer(int64) function reader_find(self, name, status)
    class(kompakt_archive_reader), intent(in) :: self
    character(*), intent(in) :: name
    integer(int32), intent(out), optional :: status
    integer(int64) :: number
    number = -1
    call hand_over(c_archive_find(self%handle, trim(name)//c_null_char, number), status)
    reader_find = number + 1
  end function

  function reader_attribute(self, number, key) result(value)
    class(kompakt_archive_reader), intent(in) :: self
    integer(int64), intent(in) :: number
    character(*), intent(in) :: key
    character(:), allocatable :: value
    type(c_entry) :: entry
    type(c_attribute), pointer :: attributes(:)
    integer :: i
    value = ''
    call hand_over(c_archive_entry(self%handle, number - 1, entry))
    if (entry%attribute_count == 0) return
    call c_f_pointer(entry%attributes, attributes, [entry%attribute_count])
    do i = 1, size(attributes)
      if (text_of(attributes(i)%key) == key) value = text_of(attributes(i)%value)
    end do
  end function

  subroutine reader_inspect(self, number, info, status)
    class(kompakt_archive_reader), intent(in) :: self
    integer(int64), intent(in) :: number
    type(kompakt_info), intent(out) :: info
    integer(int32), intent(out), optional :: status
    call hand_over(c_archive_inspect(self%handle, number - 1, info), status)
  end subroutine

  subroutine reader_read(self, number, stream, status)
    class(kompakt_archive_reader), intent(in) :: self
    integer(int64), intent(in) :: number
    integer(int8), allocatable, intent(out) :: stream(:)
    integer(int32), intent(out), optional :: status
    type(c_entry) :: entry
    integer(int32) :: found
    found = c_archive_entry(self%handle, number - 1, entry)
    if (found == KOMPAKT_OK) then
      allocate (stream(entry%bytes))
      found = c_archive_read(self%handle, number - 1, address_of(stream), entry%bytes)
    end if
    call hand_over(found, status)
  end subroutine

  ! Generated: the specific procedures.
  include 'kompakt_specific.inc'

end module
