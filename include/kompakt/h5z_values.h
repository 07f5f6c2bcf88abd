#ifndef KOMPAKT_H5Z_VALUES_H
#define KOMPAKT_H5Z_VALUES_H

#include <kompakt/h5z_id.h>
#include <kompakt/kompakt.h>

// What the HDF5 filter is told: its cd_values, words of 32 bits. C99 or newer; neither HDF5 nor kompakt needs to be
// linked, so that netCDF's nc_def_var_filter() and programs that load the filter as a plugin can use it.
// docs/integrations/hdf5.md goes by task.

#ifdef __cplusplus
extern "C" {
#endif

/// Positions of the words. A word that is left out at the end, or 0, means what is named first.
enum {
  KOMPAKT_H5Z_VERSION = 0,      ///< KOMPAKT_H5Z_LAYOUT
  KOMPAKT_H5Z_BOUND_MODE = 1,   ///< a kompakt_bound_mode
  KOMPAKT_H5Z_BOUND_VALUE = 2,  ///< a double in two words, the low one first; 0 if lossless
  KOMPAKT_H5Z_PIPELINE = 4,  ///< 0: bitshuffle, or fixedlength if lossless; else a kompakt_pipeline
  KOMPAKT_H5Z_PREDICTOR = 5,     ///< a kompakt_predictor
  KOMPAKT_H5Z_VARIANT = 6,       ///< 0: the best of the pipeline; else 1 + a kompakt_variant
  KOMPAKT_H5Z_FLAGS = 7,         ///< KOMPAKT_H5Z_KEEP_EXTENTS and those behind it
  KOMPAKT_H5Z_FILL_MODE = 8,     ///< one of those below
  KOMPAKT_H5Z_FILL = 9,          ///< a double in two words, the low one first
  KOMPAKT_H5Z_TYPE = 11,         ///< 1 + a kompakt_dtype; 0: the filter takes it from the dataset
  KOMPAKT_H5Z_EXTENTS = 12,      ///< three words, the slowest index first; 0 counts as 1
  KOMPAKT_H5Z_WORDS = 15,        ///< how many there are without further fill values
  KOMPAKT_H5Z_OTHER_FILLS = 15,  ///< doubles in two words each, as many as the flags say
  KOMPAKT_H5Z_LIMITS = 29,       ///< the lower and the upper limit, doubles, if the flags say so
  KOMPAKT_H5Z_MAX_WORDS = 33,    ///< how many there are at most
};
/// The first word: what the others mean.
#define KOMPAKT_H5Z_LAYOUT 1u
/// Flag: the extents are given, and describe the chunk better than the dataset does, which may be of rank 1.
#define KOMPAKT_H5Z_KEEP_EXTENTS 1u
/// Flag: chunks have no checksums; for datasets with HDF5's own, fletcher32 behind this filter.
#define KOMPAKT_H5Z_NO_CHECKSUM 2u
/// Flag: the bytes of a chunk are coded once more where that makes its stream smaller; for chunks from some 100 KiB on.
#define KOMPAKT_H5Z_PACK 4u
/// Flag: there are limits, between which values that lie there come back.
#define KOMPAKT_H5Z_HAS_LIMITS 8u
/// Flags, three bits: how many further fill values there are.
#define KOMPAKT_H5Z_OTHER_FILL_SHIFT 8
/// Fill value to mask.
enum {
  KOMPAKT_H5Z_FILL_OF_DATASET =
      0,  ///< its fill value, if one has been set, and what is found in each chunk
  KOMPAKT_H5Z_FILL_AUTO = 1,   ///< what is found in each chunk
  KOMPAKT_H5Z_FILL_VALUE = 2,  ///< KOMPAKT_H5Z_FILL
  KOMPAKT_H5Z_FILL_NONE = 3,
};

/// Writes a double into two words.
static inline void kompakt_h5z_put_double(double value, unsigned* words) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  words[0] = (unsigned)(bits & 0xffffffffu);
  words[1] = (unsigned)(bits >> 32);
}
/// Writes the words for options: bound, pipeline, predictor, variant, checksum, pack, fill values and limits; radius, range, axes,
/// steps, goal and reason are not kept: pass an absolute bound instead of a range. A fill_mode of KOMPAKT_FILL_AUTO masks the
/// fill value of the dataset too.
/// \param words  room for KOMPAKT_H5Z_MAX_WORDS; without further fill values and limits KOMPAKT_H5Z_WORDS are enough
/// \returns how many are given to the filter
static inline unsigned kompakt_h5z_words(kompakt_options const* options, unsigned* words) {
  unsigned const count = options->has_limits
                             ? (unsigned)KOMPAKT_H5Z_MAX_WORDS
                             : KOMPAKT_H5Z_WORDS + 2 * (unsigned)options->other_fill_count;
  memset(words, 0, count * sizeof *words);
  words[KOMPAKT_H5Z_VERSION] = KOMPAKT_H5Z_LAYOUT;
  words[KOMPAKT_H5Z_BOUND_MODE] = (unsigned)options->bound.mode;
  kompakt_h5z_put_double(options->bound.value, words + KOMPAKT_H5Z_BOUND_VALUE);
  words[KOMPAKT_H5Z_PIPELINE] = (unsigned)options->pipeline;
  words[KOMPAKT_H5Z_PREDICTOR] = (unsigned)options->predictor;
  words[KOMPAKT_H5Z_VARIANT] =
      options->variant == KOMPAKT_VARIANT_AUTO ? 0u : 1u + (unsigned)options->variant;
  words[KOMPAKT_H5Z_FLAGS] = (options->checksum ? 0u : KOMPAKT_H5Z_NO_CHECKSUM) |
                             (options->pack ? KOMPAKT_H5Z_PACK : 0u) |
                             (options->has_limits ? KOMPAKT_H5Z_HAS_LIMITS : 0u);
  words[KOMPAKT_H5Z_FILL_MODE] = options->fill_mode == KOMPAKT_FILL_NONE ? KOMPAKT_H5Z_FILL_NONE
                                 : options->fill_mode == KOMPAKT_FILL_VALUE
                                     ? KOMPAKT_H5Z_FILL_VALUE
                                     : KOMPAKT_H5Z_FILL_OF_DATASET;
  if (options->fill_mode == KOMPAKT_FILL_VALUE) {
    kompakt_h5z_put_double(options->fill, words + KOMPAKT_H5Z_FILL);
  }
  words[KOMPAKT_H5Z_FLAGS] |= (unsigned)options->other_fill_count << KOMPAKT_H5Z_OTHER_FILL_SHIFT;
  for (int i = 0; i < options->other_fill_count; ++i) {
    kompakt_h5z_put_double(options->other_fills[i], words + KOMPAKT_H5Z_OTHER_FILLS + 2 * i);
  }
  if (options->has_limits) {
    kompakt_h5z_put_double(options->lower_limit, words + KOMPAKT_H5Z_LIMITS);
    kompakt_h5z_put_double(options->upper_limit, words + KOMPAKT_H5Z_LIMITS + 2);
  }
  return count;
}
/// Words of a bound alone; the filter chooses the pipeline.
static inline void kompakt_h5z_words_of_bound(kompakt_bound bound, unsigned* words) {
  kompakt_options options = kompakt_options_default();
  options.bound = bound;
  kompakt_h5z_words(&options, words);
  words[KOMPAKT_H5Z_PIPELINE] = 0;
}
/// Says what a chunk is, for datasets whose chunks have other extents, such as 1-D chunks of a 3-D field.
/// \param z, y, x  extents of a chunk, the slowest index first; 1 where there is no such index
static inline void kompakt_h5z_put_extents(unsigned z, unsigned y, unsigned x, unsigned* words) {
  words[KOMPAKT_H5Z_FLAGS] |= KOMPAKT_H5Z_KEEP_EXTENTS;
  words[KOMPAKT_H5Z_EXTENTS] = z;
  words[KOMPAKT_H5Z_EXTENTS + 1] = y;
  words[KOMPAKT_H5Z_EXTENTS + 2] = x;
}

#ifdef __cplusplus
}
#endif

#endif
