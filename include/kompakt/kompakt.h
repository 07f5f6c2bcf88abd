#ifndef KOMPAKT_KOMPAKT_H
#define KOMPAKT_KOMPAKT_H

#include <kompakt/version.h>
#include <stdint.h>
#include <string.h>

// The C interface: C99 or newer, and what other languages bind to. docs/integrations/c.md goes by task.
//
// Every call that can fail returns a status; kompakt_last_message() tells the rest. Sizes are in bytes and counts in
// values, both 64 bits wide. A call that fails has written nothing to a result that is a number, a handle or a
// structure; what it says of streams and fields is told with it.
//
// What keeps the binary interface stable: numbers below are never given a second meaning; structures begin with
// struct_size, which the functions kompakt_*_default() of this header set to what the caller was compiled with, and
// only grow at the end, by members whose value 0 means the behaviour before. A library takes the structures of an older
// header. It takes the structures of a newer header as long as the members that it does not know are 0.

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ errors, version

/// Result of a call; also the exit codes of the program.
typedef int32_t kompakt_status;
enum {
  KOMPAKT_OK = 0,
  KOMPAKT_BAD_ARGUMENT = 1,      ///< an option, extent, bound or pointer that no call can accept
  KOMPAKT_BUFFER_TOO_SMALL = 2,  ///< the stream does not fit into the memory given for it
  KOMPAKT_BAD_MAGIC = 10,        ///< these bytes are not a stream, the file is not an archive
  KOMPAKT_UNSUPPORTED_VERSION =
      11,                      ///< a stream of a newer format, or one that needs an unknown feature
  KOMPAKT_CORRUPT = 12,        ///< truncated or altered stream or archive
  KOMPAKT_TYPE_MISMATCH = 13,  ///< value type or extents differ from the stream's
  KOMPAKT_BOUND_VIOLATED = 20,  ///< of the program alone: a value is outside the bound
  KOMPAKT_IO = 21,              ///< a file could not be read or written
  KOMPAKT_DEVICE = 30,  ///< the execution space failed, is not available, or memory has run out
};

/// Name of a status, such as "bad_argument"; "unknown status" for any other number.
char const* kompakt_status_string(kompakt_status status);
/// Message of the last failed call of this thread, in one line: the function, the received value, what to
/// do. Empty if none has. Valid until a call of this thread fails again.
char const* kompakt_last_message(void);
/// Parts of that line, "where: problem; advice", valid as long as it is. A missing part is empty. The name of the function that
/// refused,
char const* kompakt_last_where(void);
/// the problem, with the received value,
char const* kompakt_last_problem(void);
/// and advice on what to do.
char const* kompakt_last_advice(void);
/// KOMPAKT_VERSION_STRING of the library, which may differ from the version of the header.
char const* kompakt_version_string(void);
/// Commit the library was built from, with "-dirty" if the tree had changes, or "unknown".
char const* kompakt_git_commit(void);

// ---------------------------------------------------------------------------------- start, contexts

/// Execution space.
typedef int32_t kompakt_space;
enum {
  KOMPAKT_SPACE_DEFAULT = -1,  ///< the first of these that the library has: cuda, openmp, serial
  KOMPAKT_SPACE_SERIAL = 0,    ///< one thread
  KOMPAKT_SPACE_OPENMP = 1,    ///< threads
  KOMPAKT_SPACE_CUDA = 2,      ///< an NVIDIA GPU
};
/// 1 if the library is compiled for a space, else 0.
int32_t kompakt_has_space(kompakt_space space);

/// Settings of Kokkos, on which the library runs.
typedef struct kompakt_settings {
  uint64_t struct_size;
  int32_t threads;  ///< of KOMPAKT_SPACE_OPENMP; 0: as OpenMP's own variables say
  int32_t device;   ///< of KOMPAKT_SPACE_CUDA, from 0 on; -1: the one that Kokkos takes
} kompakt_settings;
static inline kompakt_settings kompakt_settings_default(void) {
  kompakt_settings settings;
  memset(&settings, 0, sizeof settings);
  settings.struct_size = sizeof settings;
  settings.device = -1;
  return settings;
}

/// Initialises Kokkos, once in a process. You need it only for other settings: otherwise kompakt_context_create()
/// does it. Any threads may call it at once. Kokkos stays until the process ends.
/// libkompakt_c.so has a Kokkos of its own, which nobody else sees. Linked statically, the library uses the Kokkos of
/// the application, and initialises it only if the application has not.
/// \param settings  NULL: the default
/// \returns KOMPAKT_BAD_ARGUMENT if settings are given and Kokkos is initialised already, or for a variable of the
///          environment that Kokkos cannot read; KOMPAKT_DEVICE if that fails
kompakt_status kompakt_initialize(kompakt_settings const* settings);

/// An execution space with the memory that calls take beside fields and streams, which only grows. Serves one thread
/// at a time; several threads take a context each.
typedef struct kompakt_context kompakt_context;

/// \param stream   of KOMPAKT_SPACE_CUDA, a cudaStream_t on which all work is enqueued, and which must outlive the
///                 context; NULL: one of the library's, which waits for the legacy default stream and the other way
///                 round. Of other spaces NULL
/// \param context  the new one, for kompakt_context_destroy()
/// \returns as kompakt_initialize(); KOMPAKT_DEVICE also if the library lacks the space or it cannot be used
kompakt_status kompakt_context_create(kompakt_space space, void* stream, kompakt_context** context);
/// \param context  NULL is allowed
void kompakt_context_destroy(kompakt_context* context);
/// The space that a context is on, never KOMPAKT_SPACE_DEFAULT.
kompakt_status kompakt_context_space(kompakt_context const* context, kompakt_space* space);
/// Bytes that a context holds in the memory of its space.
kompakt_status kompakt_context_bytes(kompakt_context const* context, uint64_t* bytes);
/// Waits until the stream of the context, or its threads, have done all that was enqueued there, by anybody.
kompakt_status kompakt_context_fence(kompakt_context* context);

// --------------------------------------------------------------------------------------- fields

#define KOMPAKT_MAX_RANK 8

/// Type of values. Integers come back as integers, within the whole part of a bound, and numbers of 16 bits as such. Complex numbers
/// are two float or two double; their bound holds for the magnitude of the difference.
typedef int32_t kompakt_dtype;
enum {
  KOMPAKT_F32 = 0,
  KOMPAKT_F64 = 1,
  KOMPAKT_I8 = 2,
  KOMPAKT_U8 = 3,
  KOMPAKT_I16 = 4,
  KOMPAKT_U16 = 5,
  KOMPAKT_I32 = 6,
  KOMPAKT_U32 = 7,
  KOMPAKT_I64 = 8,
  KOMPAKT_U64 = 9,
  KOMPAKT_F16 = 10,
  KOMPAKT_BF16 = 11,
  KOMPAKT_C64 = 12,
  KOMPAKT_C128 = 13,
};

/// Which index runs fastest in memory.
typedef int32_t kompakt_order;
enum {
  KOMPAKT_LAST_FASTEST = 0,   ///< as arrays of C
  KOMPAKT_FIRST_FASTEST = 1,  ///< as arrays of Fortran
};

/// Which memory values or bytes lie in.
typedef int32_t kompakt_memory;
enum {
  KOMPAKT_HOST = 0,  ///< what the processor reads and writes; to and from a GPU they are copied
  KOMPAKT_IN_SPACE =
      1,  ///< what the context's space does: of CUDA device memory, of others the same as above
};

/// Description of an array: type, extents, order and memory. Its alignment is the alignment of its type.
typedef struct kompakt_field {
  uint64_t struct_size;
  kompakt_dtype dtype;
  kompakt_order order;  ///< in which values are compressed
  kompakt_memory memory;
  int32_t rank;                        ///< 1 to KOMPAKT_MAX_RANK
  uint64_t extents[KOMPAKT_MAX_RANK];  ///< in the order of the indices, so many count; 0 is allowed
  /// From one value to the next along each index, in values: element (i, j) lies i * strides[0] + j * strides[1] values
  /// behind the first one. All 0: side by side in the order above. An array that is only read may step backwards, or not at
  /// all; of one that is written every element has a place of its own.
  int64_t strides[KOMPAKT_MAX_RANK];
} kompakt_field;
/// float, side by side, the last index fastest, in host memory; rank and extents are to be set.
static inline kompakt_field kompakt_field_default(void) {
  kompakt_field field;
  memset(&field, 0, sizeof field);
  field.struct_size = sizeof field;
  return field;
}
/// A field with a type, a rank and extents.
static inline kompakt_field kompakt_field_of(kompakt_dtype dtype, int32_t rank,
                                             uint64_t const* extents) {
  kompakt_field field = kompakt_field_default();
  int32_t i;
  field.dtype = dtype;
  field.rank = rank;
  for (i = 0; i < rank && i < KOMPAKT_MAX_RANK; ++i) field.extents[i] = extents[i];
  return field;
}

// --------------------------------------------------------------------------------------- options

/// Meaning of the value of a bound.
typedef int32_t kompakt_bound_mode;
enum {
  KOMPAKT_BOUND_ABS = 0,       ///< |x - x'| <= value
  KOMPAKT_BOUND_R2R = 1,       ///< |x - x'| <= value * (max - min) of the finite values
  KOMPAKT_BOUND_PWR = 2,       ///< |x - x'| <= value * |x|, value < 1
  KOMPAKT_BOUND_PSNR = 3,      ///< 20 log10((max - min) / rmse) >= value, in dB
  KOMPAKT_BOUND_LOSSLESS = 4,  ///< every bit; value is 0
};
/// Bound of every finite value, in exact arithmetic; NaN and infinities come back bit for bit.
typedef struct kompakt_bound {
  double value;
  kompakt_bound_mode mode;
  /// 1: nobody has chosen this bound, as in kompakt_options_default(). It then holds for floating-point values, and integers
  /// come back exactly. A bound with another mode or value than the default has been chosen in any case. Else 0
  int32_t is_default;
} kompakt_bound;
static inline kompakt_bound kompakt_bound_of(kompakt_bound_mode mode, double value) {
  kompakt_bound bound;
  bound.value = value;
  bound.mode = mode;
  bound.is_default = 0;
  return bound;
}
static inline kompakt_bound kompakt_absolute(double value) {
  return kompakt_bound_of(KOMPAKT_BOUND_ABS, value);
}
static inline kompakt_bound kompakt_relative_to_range(double value) {
  return kompakt_bound_of(KOMPAKT_BOUND_R2R, value);
}
static inline kompakt_bound kompakt_relative_to_value(double value) {
  return kompakt_bound_of(KOMPAKT_BOUND_PWR, value);
}
static inline kompakt_bound kompakt_psnr(double decibels) {
  return kompakt_bound_of(KOMPAKT_BOUND_PSNR, decibels);
}
static inline kompakt_bound kompakt_lossless(void) {
  return kompakt_bound_of(KOMPAKT_BOUND_LOSSLESS, 0);
}

/// Compression method.
typedef int32_t kompakt_pipeline;
enum {
  KOMPAKT_PIPELINE_AUTO =
      0,                   ///< bitshuffle, lossless fixedlength; with a goal, what is chosen for it
  KOMPAKT_HUFFMAN = 1,     ///< small streams; cuSZ, Tian et al., PACT 2020
  KOMPAKT_BITSHUFFLE = 2,  ///< FZ-GPU, Zhang et al., HPDC 2023
  KOMPAKT_FIXEDLENGTH = 3,  ///< the fastest; cuSZp2, Huang et al., SC 2024
  KOMPAKT_RANS = 4,         ///< the smallest streams, and the slowest; Duda, arXiv 1311.2540
};
/// Variant of the coding of a pipeline.
typedef int32_t kompakt_variant;
enum {
  KOMPAKT_VARIANT_PLAIN = 0,                      ///< fixedlength
  KOMPAKT_VARIANT_OUTLIER = 1,                    ///< fixedlength
  KOMPAKT_VARIANT_AUTO = 2,                       ///< the best of the pipeline
  KOMPAKT_VARIANT_FZ = 3,                         ///< bitshuffle
  KOMPAKT_VARIANT_NESTED = 4,                     ///< bitshuffle
  KOMPAKT_VARIANT_DEEP = KOMPAKT_VARIANT_NESTED,  ///< its older name
  KOMPAKT_VARIANT_CUSTOM = 5,                     ///< huffman
  KOMPAKT_VARIANT_DICTIONARY = 6,                 ///< huffman, with radius 512
};
/// Source of the prediction of a value.
typedef int32_t kompakt_predictor;
enum {
  KOMPAKT_PREDICTOR_AUTO = 0,   ///< chain or tile, whichever makes the smaller stream
  KOMPAKT_PREDICTOR_CHAIN = 1,  ///< the previous value in memory
  KOMPAKT_PREDICTOR_TILE = 2,   ///< neighbours along each index
  KOMPAKT_PREDICTOR_INTERPOLATE =
      3,  ///< values on both sides: for smooth fields, by bitshuffle, huffman and rans
};
/// Goal of a choice of a pipeline.
typedef int32_t kompakt_goal;
enum {
  KOMPAKT_GOAL_NONE = 0,   ///< nobody chose
  KOMPAKT_GOAL_RATIO = 1,  ///< the smallest stream of all pipelines but rans
  KOMPAKT_GOAL_SPEED = 2,  ///< the shortest time on a GPU
  KOMPAKT_GOAL_BALANCED =
      3,  ///< a smaller stream where it is much smaller, else the faster pipeline
  KOMPAKT_GOAL_SMALLEST = 4,  ///< the smallest stream, of rans too: slower
};
/// Fill values, which mean "no value here", such as 1e20 over land: a fill value comes back bit for bit and does not count in a range.
typedef int32_t kompakt_fill_mode;
enum {
  KOMPAKT_FILL_NONE = 0,   ///< every value counts
  KOMPAKT_FILL_AUTO = 1,   ///< looked for in a sample, beside kompakt_options::other_fills
  KOMPAKT_FILL_VALUE = 2,  ///< kompakt_options::fill, and kompakt_options::other_fills
};
#define KOMPAKT_MAX_OTHER_FILLS 7
/// Numbers that all values of a field are made of, for floating-point values without loss.
typedef int32_t kompakt_steps_kind;
enum {
  KOMPAKT_STEPS_NONE = 0,
  KOMPAKT_STEPS_MULTIPLES = 1,  ///< k * step + offset in double, rounded to the type of the values
  KOMPAKT_STEPS_ROUNDED =
      2,  ///< as multiples, with k * step rounded to that type before the offset is added
  KOMPAKT_STEPS_QUOTIENTS =
      3,  ///< k / step + offset in double, rounded to that type: with a step of 100 numbers with two decimals
  KOMPAKT_STEPS_BITS = 4,  ///< values whose lowest `step` bits are zero; the offset is 0
  KOMPAKT_STEPS_AUTO = 5,  ///< found by choose(), else none; not stored
};

typedef struct kompakt_options {
  uint64_t struct_size;
  kompakt_bound bound;
  kompakt_pipeline pipeline;
  kompakt_variant variant;
  kompakt_predictor predictor;
  int32_t checksum;  ///< 1: 32 bits for every chunk, verified when it is decompressed; 0: none
  int32_t radius;    ///< huffman: residuals below it have a symbol; a power of two, 32 to 32768
  kompakt_fill_mode fill_mode;
  double fill;
  double
      range;  ///< of bounds that take it: a replacement for max - min of the field; 0: max - min of the field
  uint64_t reason;  ///< why kompakt_choose() took these options, set by it; 0: nobody chose
  int32_t
      pack;  ///< 1: the bytes of chunks are coded once more where that makes the stream smaller; 0: not
  /// For what pipeline, variant and predictor are chosen, all of them KOMPAKT_…_AUTO; kompakt_compress() looks at a sample
  /// of the field, as kompakt_choose() does. KOMPAKT_GOAL_NONE: they are as they are here.
  kompakt_goal goal;
  double
      other_fills[KOMPAKT_MAX_OTHER_FILLS];  ///< declared besides; the most frequent one is masked
  int32_t other_fill_count;                  ///< how many of them count
  int32_t has_limits;                        ///< 1: there are limits; 0: not
  /// Between which the values lie by nature: those that lie inside come back inside. Infinite where there is none.
  double lower_limit, upper_limit;
  int32_t axis;  ///< number of the index that is coded as the fastest; -1: the fastest in memory
  kompakt_steps_kind steps_kind;
  double step, step_offset;  ///< 0 with KOMPAKT_STEPS_NONE and KOMPAKT_STEPS_AUTO
  int32_t second_axis,
      third_axis;  ///< the indices that are coded second and third; -1: the next one in memory
  /// Largest magnitude of the field's finite values, where their range is given; 0: not known. kompakt_options_for_parts() sets it.
  double magnitude;
} kompakt_options;
/// 1e-3 of the range by fixedlength, with checksums; a fill value is looked for.
static inline kompakt_options kompakt_options_default(void) {
  kompakt_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.bound = kompakt_relative_to_range(1e-3);
  options.bound.is_default = 1;
  options.pipeline = KOMPAKT_FIXEDLENGTH;
  options.variant = KOMPAKT_VARIANT_AUTO;
  options.checksum = 1;
  options.radius = 512;
  options.fill_mode = KOMPAKT_FILL_AUTO;
  options.axis = options.second_axis = options.third_axis = -1;
  options.steps_kind = KOMPAKT_STEPS_AUTO;
  return options;
}
/// Sets what a key of options decides, such as "predictor" to "interpolate". kompakt_option_key() lists the keys,
/// kompakt_option_word() the words of each.
/// \returns KOMPAKT_BAD_ARGUMENT for a key or a word that is not known; options are then as they were
kompakt_status kompakt_options_set(kompakt_options* options, char const* key, char const* word);
/// Sets everything that a text says, such as "r2r:1e-3,predictor=interpolate,pack": items between commas, each KEY=WORD, a flag
/// alone, or a bound.
/// \returns as kompakt_options_set(), also for a mode or a number alone instead of a bound
kompakt_status kompakt_options_set_text(kompakt_options* options, char const* text);
/// Finds whether a text names a bound: 1, else 0.
/// \returns as kompakt_options_set_text()
kompakt_status kompakt_options_names_bound(char const* text, int32_t* names);
/// Finds whether options name how a field is compressed, by a goal, or a pipeline, a variant or a predictor that is not
/// KOMPAKT_…_AUTO: 1, else 0.
kompakt_status kompakt_options_names_method(kompakt_options const* options, int32_t* names);
/// Writes the text that sets such options, with a zero behind it.
/// \param capacity  bytes that `text` has room for
/// \param length    NULL, or where the length goes, without the zero, also if the text does not fit
/// \returns KOMPAKT_BUFFER_TOO_SMALL if there is no room for it
kompakt_status kompakt_options_text(kompakt_options const* options, char* text, uint64_t capacity,
                                    uint64_t* length);
/// The i-th key of options, from 0 on; NULL behind the last one.
char const* kompakt_option_key(int32_t i);
/// The i-th word of a key, from 0 on; NULL behind the last one, for keys that take numbers or true and false, and for a key that
/// is not known.
char const* kompakt_option_word(char const* key, int32_t i);
/// A line on a key, or on one of its words if `word` is not NULL; NULL if there is no such key or word.
char const* kompakt_option_help(char const* key, char const* word);
/// The word that a number has as what a key decides: of "mode", "pipeline", "variant", "predictor" and "goal" the enumerator's,
/// such as "huffman" for KOMPAKT_HUFFMAN; NULL for a number that is not known, or another key.
char const* kompakt_option_word_of(char const* key, int32_t number);
/// The least and the largest number that a key takes.
/// \returns KOMPAKT_BAD_ARGUMENT for a key that is not known or takes no numbers
kompakt_status kompakt_option_range(char const* key, double* least, double* most);

/// Whether a call takes these options.
/// \returns KOMPAKT_BAD_ARGUMENT if none does
kompakt_status kompakt_validate_options(kompakt_options const* options);

// --------------------------------------------------------------------------------------- streams

/// Prediction of the values of a stream.
typedef int32_t kompakt_method;
enum {
  KOMPAKT_METHOD_MIXED = -1,         ///< of frames that differ in it
  KOMPAKT_METHOD_LORENZO = 0,        ///< from neighbours
  KOMPAKT_METHOD_INTERPOLATION = 1,  ///< from both sides
};
/// Shape of the tiles of 1024 values.
typedef int32_t kompakt_tile_shape;
enum {
  KOMPAKT_TILE_CHAIN = 0,   ///< 1024 consecutive values
  KOMPAKT_TILE_SQUARE = 1,  ///< 32 x 32
  KOMPAKT_TILE_BRICK = 2,   ///< 8 x 8 x 16
};

/// Header of a stream.
typedef struct kompakt_info {
  uint64_t struct_size;
  uint64_t bytes;   ///< of the whole stream
  int32_t version;  ///< of the format
  kompakt_dtype dtype;
  kompakt_order order;
  int32_t rank;
  uint64_t extents[KOMPAKT_MAX_RANK];  ///< of the part, if the stream is one
  uint64_t origin[KOMPAKT_MAX_RANK];   ///< of a part: where it begins in the whole; else 0
  uint64_t total[KOMPAKT_MAX_RANK];    ///< extents of the whole; 0: not yet known
  kompakt_bound bound;                 ///< as it was asked for
  kompakt_bound resolved;  ///< what every value keeps: absolute, relative to it, or lossless
  double fill;             ///< the fill value, if has_fill
  int32_t has_fill;
  int32_t is_part;   ///< 1: a part of a larger field
  int32_t constant;  ///< 1: every value that is not an exception is the same one
  int32_t checksum;  ///< 1: chunks have checksums
  kompakt_pipeline pipeline;
  kompakt_variant variant;
  kompakt_method method;
  kompakt_tile_shape tile_shape;
  kompakt_goal goal;     ///< for which kompakt_choose() took the pipeline
  int32_t radius;        ///< of the codebook; 0: there is none
  int32_t dictionary;    ///< its id; 0: a codebook of the field's own
  int32_t symbols_only;  ///< 1: masks and quads have no codes
  int32_t books[3];      ///< of a dictionary: the books of symbols, masks, quads
  int32_t packed;        ///< 1: its chunks are packed (kompakt_options::pack)
  uint64_t codebook_bytes;
  uint64_t exceptions;              ///< values stored bit for bit inside coded tiles
  uint64_t chunks;                  ///< units that can be decoded alone
  int32_t has_limits;               ///< 1: values that lay between limits lie there
  int32_t axis;                     ///< number of the index that is coded as the fastest
  double lower_limit, upper_limit;  ///< infinite where there is none, if has_limits
  kompakt_steps_kind steps_kind;    ///< what values are made of; never KOMPAKT_STEPS_AUTO
  int32_t reserved;                 ///< 0
  double step, step_offset;
  int32_t second_axis,
      third_axis;  ///< the indices that are coded second and third; -1: the next one in memory
} kompakt_info;
static inline kompakt_info kompakt_info_default(void) {
  kompakt_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  info.second_axis = info.third_axis = -1;
  return info;
}

/// Size of the largest stream that kompakt_compress() can write for a field of this type and these extents.
/// \param options  NULL: the default
/// \returns KOMPAKT_BAD_ARGUMENT for what no call can compress
kompakt_status kompakt_max_compressed_bytes(kompakt_field const* field,
                                            kompakt_options const* options, uint64_t* bytes);

/// Reads and checks the header of a stream in host memory. Safe on untrusted bytes. Needs no context.
/// \param stream  at least the first 1 KiB of a stream, or all of it
/// \returns KOMPAKT_BAD_MAGIC, KOMPAKT_UNSUPPORTED_VERSION or KOMPAKT_CORRUPT for what is not a sound one
kompakt_status kompakt_inspect(void const* stream, uint64_t bytes, kompakt_info* info);

/// Makes a stream that kompakt_compress() has written one of a part of a larger field. Rewrites its place and two
/// checksums, in host memory.
/// \param stream  all of it
/// \param origin  of the part's first value in the whole, for each index of the stream
/// \param total   extents of the whole; all 0: not yet known
/// \param info    what the header says then, or NULL
/// \returns as kompakt_inspect(); KOMPAKT_BAD_ARGUMENT if the part does not fit into the whole, and not a byte has changed
kompakt_status kompakt_mark_part(void* stream, uint64_t bytes, uint64_t const* origin,
                                 uint64_t const* total, kompakt_info* info);

// --------------------------------------------------------------------- compressing and decompressing

/// Compresses a field. Returns after completion, as all calls with a context.
/// \param values     of the field; NULL if it has none
/// \param options    NULL: the default
/// \param stream     where to; kompakt_max_compressed_bytes() is always enough. Of KOMPAKT_IN_SPACE aligned to 16 bytes
/// \param capacity   bytes of it
/// \param stream_in  which memory it lies in
/// \param info       what the header says; its `bytes` first ones of `stream` are the stream
/// \returns KOMPAKT_BAD_ARGUMENT for a field or an option that cannot be used, KOMPAKT_BUFFER_TOO_SMALL,
///          KOMPAKT_DEVICE. The contents of `stream` are then undefined
kompakt_status kompakt_compress(kompakt_context* context, kompakt_field const* field,
                                void const* values, kompakt_options const* options, void* stream,
                                uint64_t capacity, kompakt_memory stream_in, kompakt_info* info);

/// Compresses many fields, each into a stream of its own, with the same bytes as a call for each would give; faster
/// for fields below about 100 MB on a GPU.
/// \param count       of fields, and of the elements of each array
/// \param fields      an array, all in the same memory
/// \param bounds      one for each field; NULL: all fields have the bound of the options
/// \param capacities  bytes of each stream
/// \param infos       an array with as many elements, all of the struct_size of the first
/// \returns as kompakt_compress(); also for the contents of all streams
kompakt_status kompakt_compress_batch(kompakt_context* context, uint64_t count,
                                      kompakt_field const* fields, void const* const* values,
                                      kompakt_bound const* bounds, kompakt_options const* options,
                                      void* const* streams, uint64_t const* capacities,
                                      kompakt_memory streams_in, kompakt_info* infos);

/// Decompresses a stream from anywhere; nothing in it is trusted.
/// \param stream     exactly one. Of KOMPAKT_IN_SPACE aligned to 16 bytes
/// \param stream_in  which memory it lies in
/// \param field      of the stream's value type and extents, in any order and with any strides
/// \param values     where to
/// \param info       what the header says, or NULL
/// \returns KOMPAKT_BAD_MAGIC, KOMPAKT_UNSUPPORTED_VERSION or KOMPAKT_CORRUPT for a damaged stream,
///          KOMPAKT_TYPE_MISMATCH if type or extents differ, KOMPAKT_BAD_ARGUMENT, KOMPAKT_DEVICE. The values are then
///          undefined; nothing between or behind them is written
kompakt_status kompakt_decompress(kompakt_context* context, void const* stream, uint64_t bytes,
                                  kompakt_memory stream_in, kompakt_field const* field,
                                  void* values, kompakt_info* info);

/// Decompresses a box of the field of a stream, from the chunks alone that it touches.
/// \param begin   for each index of the field, where the box begins
/// \param end     what is behind its end
/// \param region  of the stream's value type and the extents of the box
/// \param values  where to
/// \returns as kompakt_decompress(), KOMPAKT_BAD_ARGUMENT also for a box that does not lie in the field
kompakt_status kompakt_decompress_region(kompakt_context* context, void const* stream,
                                         uint64_t bytes, kompakt_memory stream_in,
                                         uint64_t const* begin, uint64_t const* end,
                                         kompakt_field const* region, void* values,
                                         kompakt_info* info);

/// Chooses pipeline, variant and predictor for a goal by compressing a sample, and writes them and the reason into the
/// options. The same choice on every space.
/// \param options  the options of the next call; pipeline, variant and predictor do not matter
/// \returns as kompakt_compress()
kompakt_status kompakt_choose(kompakt_context* context, kompakt_field const* field,
                              void const* values, kompakt_goal goal, kompakt_options* options);

// --------------------------------------------------------------------------------- range, quality

/// Ends of a field's finite values without its fill values, and these if there are some.
typedef struct kompakt_range {
  uint64_t struct_size;
  double min, max;  ///< if there are such values
  double width;     ///< kompakt_range_width() of them
  double fill;      ///< if has_fill
  int32_t any;      ///< 1 if there are such values
  int32_t has_fill;
  double other_fills[KOMPAKT_MAX_OTHER_FILLS];  ///< found besides; they go into kompakt_options
  int32_t other_fill_count;                     ///< how many of them count
  int32_t reserved;
} kompakt_range;
static inline kompakt_range kompakt_range_default(void) {
  kompakt_range range;
  memset(&range, 0, sizeof range);
  range.struct_size = sizeof range;
  return range;
}
/// Finds the range that a bound relative to it is resolved with: of all parts of a field, those that are compressed
/// apart keep one bound.
/// \param options  only the fill value counts; NULL: no fill value
/// \returns KOMPAKT_BAD_ARGUMENT for a field that cannot be used, KOMPAKT_DEVICE
kompakt_status kompakt_field_range(kompakt_context* context, kompakt_field const* field,
                                   void const* values, kompakt_options const* options,
                                   kompakt_range* range);

/// max - min, rounded down, as kompakt_options::range takes it; infinite if they are too far apart.
/// \param min, max  of all parts of a field together
/// \returns KOMPAKT_BAD_ARGUMENT unless min <= max
kompakt_status kompakt_range_width(double min, double max, double* width);

/// Options of the parts of a field, so that each part keeps the bound that the whole field has: kompakt_options::range is the
/// width, and the fill values are those found and those declared. Where max - min overflows, the bound becomes the absolute
/// one that it comes to.
/// \param whole    min, max and fill values of all parts; width does not matter
/// \param options  read and written
kompakt_status kompakt_options_for_parts(kompakt_range const* whole, kompakt_options* options);

/// Groups of numbers that kompakt_compare() finds besides the basic ones, joined by |.
enum {
  KOMPAKT_QUALITY_BASIC = 0,
  KOMPAKT_QUALITY_SSIM = 1,
  KOMPAKT_QUALITY_AUTOCORRELATION = 2,
  KOMPAKT_QUALITY_HISTOGRAM = 4,
  KOMPAKT_QUALITY_ENTROPY = 8,
  KOMPAKT_QUALITY_ALL = 15,
};
#define KOMPAKT_QUALITY_LAGS 10
#define KOMPAKT_QUALITY_BINS 21

/// Distance of a reconstruction from its original. Let x be a value of the original, y its reconstruction and e = y - x, in
/// double. A number that is not defined, or not asked for, is NaN. docs/api.md, "Quality", says what each is.
typedef struct kompakt_quality {
  uint64_t struct_size;
  uint64_t values;
  uint64_t nonfinite;       ///< NaN and infinities of the original
  uint64_t violations;      ///< outside the bound in exact arithmetic, or not bit-exact
  int64_t first_violation;  ///< position in memory order, -1 if none
  double max_abs_error;
  double max_rel_error;  ///< largest |e| / |x|, of the finite x but 0
  double mean_error;
  double min, max;  ///< of the finite values of the original
  double rmse;
  double nrmse;    ///< rmse / (max - min)
  double psnr_db;  ///< 20 log10((max - min) / rmse); infinity when exact
  double pearson;
  double ssim;
  uint64_t ssim_windows;
  double autocorrelation[KOMPAKT_QUALITY_LAGS];  ///< of e at the distances 1 to 10 in memory
  uint64_t histogram[KOMPAKT_QUALITY_BINS];      ///< of e, from -bound to bound; 0 if not asked for
  uint64_t histogram_below, histogram_above;     ///< outside of the bound
  double entropy_original;                       ///< bits per value
  double entropy_reconstructed;
} kompakt_quality;
static inline kompakt_quality kompakt_quality_default(void) {
  kompakt_quality quality;
  memset(&quality, 0, sizeof quality);
  quality.struct_size = sizeof quality;
  return quality;
}
/// Compares two fields of the same type, extents and order. Any type and any strides will do.
/// \param bound   to check: absolute, or relative to each value, such as kompakt_info::resolved; NULL: 0
/// \param groups  KOMPAKT_QUALITY_…; each group takes its own passes
/// \returns KOMPAKT_TYPE_MISMATCH if they are not the same, KOMPAKT_BAD_ARGUMENT for another bound and for
///          integers of 2^53 or more, KOMPAKT_DEVICE
kompakt_status kompakt_compare(kompakt_context* context, kompakt_field const* original_field,
                               void const* original, kompakt_field const* reconstructed_field,
                               void const* reconstructed, kompakt_bound const* bound,
                               uint32_t groups, kompakt_quality* quality);

// --------------------------------------------------------------------------------------- archives

// One file with many named fields, each a stream or a sequence of frames, with attributes.

/// Attribute of a field. Both texts are UTF-8, ended by a 0.
typedef struct kompakt_attribute {
  char const* key;    ///< 1 to 255 bytes without control characters, at most once
  char const* value;  ///< up to 65535 bytes without control characters but tabs and ends of lines
} kompakt_attribute;

/// A field of an archive. The texts are the reader's, and live as long as it.
typedef struct kompakt_entry {
  uint64_t struct_size;
  char const* name;
  kompakt_attribute const* attributes;
  uint64_t attribute_count;
  /// Place of its stream in the file, or of the shorter form that a field of a few values has.
  uint64_t offset;
  uint64_t bytes;     ///< of the stream
  uint32_t checksum;  ///< of the stream
  uint32_t reserved;  ///< 0
} kompakt_entry;
static inline kompakt_entry kompakt_entry_default(void) {
  kompakt_entry entry;
  memset(&entry, 0, sizeof entry);
  entry.struct_size = sizeof entry;
  return entry;
}

/// Reads an archive as it was when it was opened. Safe on untrusted files. One thread at a time.
typedef struct kompakt_archive_reader kompakt_archive_reader;

/// \returns KOMPAKT_IO if the file cannot be read, KOMPAKT_BAD_MAGIC if it is not an archive,
///          KOMPAKT_UNSUPPORTED_VERSION, KOMPAKT_CORRUPT if its index is missing or damaged
kompakt_status kompakt_archive_open(char const* path, kompakt_archive_reader** reader);
/// \param reader  NULL is allowed
void kompakt_archive_close(kompakt_archive_reader* reader);
/// Number of fields, which are counted from 0.
kompakt_status kompakt_archive_count(kompakt_archive_reader const* reader, uint64_t* count);
/// \returns KOMPAKT_BAD_ARGUMENT if there is no field of this number
kompakt_status kompakt_archive_entry(kompakt_archive_reader const* reader, uint64_t number,
                                     kompakt_entry* entry);
/// The number of the field of a name.
/// \returns KOMPAKT_BAD_ARGUMENT if there is none, naming those that there are
kompakt_status kompakt_archive_find(kompakt_archive_reader const* reader, char const* name,
                                    uint64_t* number);
/// Copies the stream of a field: what was appended.
/// \param stream    host memory, kompakt_entry::bytes long
/// \returns KOMPAKT_BUFFER_TOO_SMALL, KOMPAKT_CORRUPT if it was altered, KOMPAKT_IO
kompakt_status kompakt_archive_read(kompakt_archive_reader* reader, uint64_t number, void* stream,
                                    uint64_t capacity);
/// Header of a field, of all its frames together.
kompakt_status kompakt_archive_inspect(kompakt_archive_reader* reader, uint64_t number,
                                       kompakt_info* info);
/// Decompresses a field frame by frame.
/// \param field  of the type and extents of the whole
/// \param info   what the frames make together, or NULL
/// \returns as kompakt_decompress(); KOMPAKT_IO
kompakt_status kompakt_archive_decompress(kompakt_context* context, kompakt_archive_reader* reader,
                                          uint64_t number, kompakt_field const* field, void* values,
                                          kompakt_info* info);
/// Decompresses a box of a field, from the chunks alone that it touches.
/// \returns as kompakt_decompress_region(); KOMPAKT_IO
kompakt_status kompakt_archive_decompress_region(kompakt_context* context,
                                                 kompakt_archive_reader* reader, uint64_t number,
                                                 uint64_t const* begin, uint64_t const* end,
                                                 kompakt_field const* region, void* values,
                                                 kompakt_info* info);

/// Writes an archive, or appends fields to one. Only kompakt_archive_commit() makes them a part of it.
/// After an error of writing, calls return KOMPAKT_IO; out of turn, KOMPAKT_BAD_ARGUMENT.
typedef struct kompakt_archive_writer kompakt_archive_writer;

/// Behaviour of kompakt_archive_create() with and without an existing file.
typedef int32_t kompakt_archive_mode;
enum {
  KOMPAKT_ARCHIVE_NEW = 0,            ///< fails; makes a new one
  KOMPAKT_ARCHIVE_REPLACE = 1,        ///< replaces it when it is committed; makes a new one
  KOMPAKT_ARCHIVE_APPEND = 2,         ///< appends to it; fails
  KOMPAKT_ARCHIVE_APPEND_OR_NEW = 3,  ///< appends to it; makes a new one
};
/// \param wait_ms  to wait for another writer that appends, in milliseconds
/// \param writer   the new one, for kompakt_archive_discard()
/// \returns KOMPAKT_IO, also if another writer appends for longer; as kompakt_archive_open() for what is appended to
kompakt_status kompakt_archive_create(char const* path, kompakt_archive_mode mode, uint64_t wait_ms,
                                      kompakt_archive_writer** writer);
/// Adds a field.
/// \param name    unique in the archive; 1 to 255 bytes of UTF-8 without control characters
/// \param stream  of it, in host memory: what kompakt_compress() writes, or frames one behind the other
/// \returns KOMPAKT_BAD_ARGUMENT if the name is taken, or the name or an attribute cannot be used; as kompakt_inspect()
///          for bytes that are no stream; KOMPAKT_IO
kompakt_status kompakt_archive_append(kompakt_archive_writer* writer, char const* name,
                                      kompakt_attribute const* attributes, uint64_t attribute_count,
                                      void const* stream, uint64_t bytes);
/// Adds a field frame by frame, for one that is larger than memory: this call, one for each frame, then
/// kompakt_archive_end(), which gives the field up if it fails.
kompakt_status kompakt_archive_begin(kompakt_archive_writer* writer, char const* name,
                                     kompakt_attribute const* attributes, uint64_t attribute_count);
kompakt_status kompakt_archive_add_frame(kompakt_archive_writer* writer, void const* frame,
                                         uint64_t bytes);
kompakt_status kompakt_archive_end(kompakt_archive_writer* writer);
/// Takes a field out; its name is free for another one, which then replaces it.
kompakt_status kompakt_archive_remove(kompakt_archive_writer* writer, char const* name);
/// Writes the index and waits until all is on the disk. After it the writer can only be discarded.
kompakt_status kompakt_archive_commit(kompakt_archive_writer* writer);
/// Gives up what has not been committed: the file stays as it was. Frees the writer; NULL is allowed.
void kompakt_archive_discard(kompakt_archive_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
