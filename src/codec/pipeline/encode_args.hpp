#ifndef KOMPAKT_PIPELINE_ENCODE_ARGS_HPP
#define KOMPAKT_PIPELINE_ENCODE_ARGS_HPP

#include <container/header.hpp>
#include <core/carver.hpp>
#include <core/lattice.hpp>
#include <core/quantize.hpp>
#include <core/tile.hpp>
#include <core/types.hpp>
#include <cstdint>
#include <cstring>
#include <kompakt/options.hpp>
#include <pipeline/dispatch.hpp>
#include <type_traits>

// What the kernels of a compression take: trivially copyable structs of pointers into the memory of the execution
// space and plain numbers.

namespace kompakt::impl {

template <class T>
struct FillSample;

/// How many bounds the whole field is measured with for a PSNR.
inline constexpr int psnr_candidates = 8;

/// Values that a field may have besides the one that is masked, as bits.
template <class T>
struct FillList {
  static constexpr int most = FillValue::max_others + 1;
  unsigned_t<T> bits[most];
  int count = 0;

  static FillList of(FillValue const& fill) {
    FillList list;
    for (int i = 0; i < fill.others_count; ++i) {
      list.add(static_cast<T>(fill.others[static_cast<std::size_t>(i)]));
    }
    return list;
  }
  KOKKOS_INLINE_FUNCTION void add(T value) {
    bits[count++] = Kokkos::bit_cast<unsigned_t<T>>(value);
  }
  KOKKOS_INLINE_FUNCTION T value(int number) const { return Kokkos::bit_cast<T>(bits[number]); }
  void join(FillList const& others) {
    for (int i = 0; i < others.count; ++i) {
      if (find(others.value(i)) == count && count < most) add(others.value(i));
    }
  }
  /// The number of the first one that a value is, `count` if it is none.
  KOKKOS_FORCEINLINE_FUNCTION int find(T value) const {
    int at = 0;
    while (at < count && bits[at] != Kokkos::bit_cast<unsigned_t<T>>(value)) ++at;
    return at;
  }
};

/// What a look at a field for values outside of its limits finds (value_limits.hpp).
struct OutsideLimits {
  std::uint32_t lost;    ///< whether one would lose more than the bound
  std::uint32_t hidden;  ///< whether a fill value that is not masked would be moved
};

/// The search for the bound of a PSNR (psnr_bound.hpp).
struct PsnrSearch {
  double lowest;                            ///< bound that is always enough
  int rung;                                 ///< of the ladder above it, that the sample took
  std::uint64_t sums[psnr_candidates + 1];  ///< of squares for each candidate; how many values
};

/// Whether the generic bodies of a space keep records. OpenMP has a body of its own, which codes a field once without them.
template <class Exec>
inline constexpr bool keeps_records = !std::is_same_v<backend_tag_t<Exec>, openmp_tag>;

/// Where records lie from the pass that measures tiles to the one that writes chunks: at the end of the stream's own memory, each
/// in front of the one before. Those that the stream reaches into are coded again, so that a stream which takes less than half of its
/// memory is coded once.
struct KeptRecords {
  static constexpr std::uint64_t nowhere = (std::uint64_t{1} << 48) - 1;
  std::uint64_t* of_tiles =
      nullptr;  ///< words of a record, and above bit 16 those from where it begins to the end

  void carve(std::int64_t tiles, Carver& scratch) {
    of_tiles = scratch.take<std::uint64_t>(static_cast<std::size_t>(tiles));
  }
  /// Notes the record of a tile, by the tile's number among those of all chunks.
  KOKKOS_FORCEINLINE_FUNCTION void note(std::int64_t tile, std::uint64_t from_end,
                                        int count) const {
    of_tiles[tile] = from_end << 16 | static_cast<std::uint64_t>(count);
  }
  KOKKOS_FORCEINLINE_FUNCTION int words_of(std::int64_t tile) const {
    return static_cast<int>(of_tiles[tile] & 0xffffu);
  }
  /// `nowhere` if the record is not kept.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t from_end(std::int64_t tile) const {
    return of_tiles[tile] >> 16;
  }
};

/// What the kernels of one call tell each other, in device memory; the host does not look before
/// the end.
template <class T>
struct EncodeState {
  Fill<T> fill;                             // where it is detected
  unsigned_t<T> from_lowest, from_highest;  // of FiniteKeys; the range of the finite values
  std::uint32_t not_finite;                 // whether there are others; where the range is found
  bool seeks_fill;  // a range that has been found may be made by a fill value (probes.hpp)
  bool rescans;     // it was: the range is to be found without it
  PsnrSearch psnr;
  Quantizer<T> quantizer;
  std::uint64_t sample_words[tile_shapes];  // cost of the sampled chunks in each shape
  std::uint64_t sample_values[tile_shapes];
  HeaderFound found;
  bool is_spread;            // a few values may make the range (spread.hpp)
  bool overflow;             // the stream does not fit
  std::uint64_t kept_words;  // that have been asked for
  std::uint64_t stream_bytes;

  /// Notes the quantizer of a field whose values lie in memory as a type.
  ///
  /// Kernels copy it as a whole, bytes between its members included: no value depends on these, but memory that
  /// was never written would be read.
  KOKKOS_INLINE_FUNCTION void set(Quantizer<T> const& found_quantizer, Dtype dtype) {
    memset(static_cast<void*>(&quantizer), 0, sizeof quantizer);
    quantizer = found_quantizer;
    quantizer.keep_apart_from_fill(dtype);
  }
  /// As it must be before kernels add to it.
  KOKKOS_INLINE_FUNCTION void clear() {
    *this = EncodeState{};
    from_lowest = from_highest = ~unsigned_t<T>{0};
  }
};

/// The quantizer of a bound that does not depend on the values of the field.
/// \param bytes_of   size_of()
/// \param magnitude  no value is larger; 0: not known
template <class T, class BytesOf>
KOKKOS_INLINE_FUNCTION Quantizer<T> given_quantizer(ErrorBound const& bound, Dtype dtype,
                                                    Fill<T> fill, ValueSteps const& steps,
                                                    BytesOf const& bytes_of, double magnitude = 0,
                                                    ValueLattice lattice = {}) {
  switch (bound.mode) {
    case ErrorBound::Mode::pwr: return Quantizer<T>::with_relative_bound(bound.value, fill);
    case ErrorBound::Mode::lossless:
      return Quantizer<T>::without_loss(!is_number(dtype), bytes_of(dtype), fill, steps);
    default: return Quantizer<T>::with_bound(bound.value, fill, magnitude, lattice);
  }
}
template <class T>
KOKKOS_INLINE_FUNCTION Quantizer<T> given_quantizer(ErrorBound const& bound, Dtype dtype,
                                                    Fill<T> fill = {}, ValueSteps const& steps = {},
                                                    double magnitude = 0,
                                                    ValueLattice lattice = {}) {
  return given_quantizer<T>(
      bound, dtype, fill, steps, [](Dtype of) { return size_of(of); }, magnitude, lattice);
}

/// What the host reads at the end of a call, the only thing: in memory that both sides reach.
struct EncodeResult {
  HeaderFound found;           ///< unless the stream did not fit
  std::uint64_t stream_bytes;  ///< that it has or needs
  bool is_spread;              ///< EncodeState's
  bool has_range;              ///< whether a range was found
  double min, max;             ///< then, its ends
};

template <class T>
struct EncodeArgs {
  T const* field;
  /// Where `field` has NaN for further fill values: the values as the user has them. nullptr: there are none such.
  T const* original;
  T* spare;            ///< memory for `field` with NaN in it, if it may be needed
  void const* narrow;  ///< in place of it, where a host's kernels read integers as they lie
  Extents3 extents;    ///< folded, none is 0
  LevelParts levels;   ///< scratch, if the predictor has levels
  HeaderAsked asked;
  ErrorBound bound;  ///< of `asked`, absolute if the range is given
  double range;      ///< that is given; 0: that of the field
  double
      magnitude;  ///< that no value exceeds, where bins may be narrowed by it; 0: it is not known, or they may not
  ValueLattice lattice;  ///< that values lie on, where bins may go by it
  bool detects_fill;     ///< whether the fill value is sought in the field
  FillList<T> watched;   ///< fill values that no other value may come back as, for the host
  Fill<T> given_fill;    ///< otherwise; if it is sought too, the NaN for a sample that has none
  bool judges_range;     ///< whether a range that few values make is to be noticed
  int radius;            ///< Options::radius
  std::uint32_t shapes;  ///< bit per TileShape that may be chosen
  std::size_t predictor_bytes;  ///< of the predictor's section; 0: it has none
  bool has_coder_section;
  EncodeState<T>* state;
  OutsideLimits* outside;      ///< scratch
  FillSample<T>* fill_runs;    ///< scratch of sample_runs entries, if a fill value is sought
  T* run_values;               ///< scratch for the numbers of integers there
  std::uint32_t* chunk_words;  ///< scratch, one a chunk of the shape that has most
  std::byte* coder_scratch;    ///< what the coder has carved
  KeptRecords kept;            ///< scratch, of kernels that keep some
  EncodeResult* result;
  std::byte* persistent;         ///< what a backend keeps between calls; zero at first
  std::size_t persistent_bytes;  ///< as many as the backend asked for, or more
  std::byte* stream;             ///< 16-byte aligned
  std::size_t capacity;          ///< bytes of stream

  /// Whether kernels find the range of the field.
  KOKKOS_FORCEINLINE_FUNCTION bool finds_range() const { return bound.needs_range() && range == 0; }
  /// Whether bins may have another width than twice the bound: the bins of levels have room, and the PSNR of a bound is measured.
  KOKKOS_FORCEINLINE_FUNCTION bool may_choose_width() const {
    return is_number(asked.shape.dtype) && !has_levels(asked.method) &&
           bound.mode != ErrorBound::Mode::psnr;
  }
  /// Whether the quantizer follows from the arguments alone: what kernels know from the host, and their state may lack.
  KOKKOS_FORCEINLINE_FUNCTION bool gives_quantizer() const {
    return !bound.needs_range() && !detects_fill && !asked.has_reference();
  }
  /// That quantizer.
  KOKKOS_INLINE_FUNCTION Quantizer<T> quantizer() const {
    Quantizer<T> given =
        given_quantizer(bound, asked.shape.dtype, given_fill, asked.steps, magnitude, lattice);
    given.keep_apart_from_fill(asked.shape.dtype);
    return given;
  }
  /// The values that come back bit for bit where no bin is.
  KOKKOS_FORCEINLINE_FUNCTION T const* stored() const {
    return original == nullptr ? field : original;
  }
  /// Once it has been detected, if it shall be.
  KOKKOS_FORCEINLINE_FUNCTION Fill<T> fill() const {
    return detects_fill ? state->fill : given_fill;
  }
  /// Once the coder has made its section, if it has one.
  KOKKOS_FORCEINLINE_FUNCTION ExtraBytes extra() const {
    return {predictor_bytes, has_coder_section ? state->found.extra.coder : 0, 0, limits_bytes()};
  }
  KOKKOS_FORCEINLINE_FUNCTION StreamLayout layout(std::int64_t chunks) const {
    return {asked.shape.rank, chunks, extra(), fill().known};
  }
  /// With the longest section of the coder, and a fill value if there can be one.
  StreamLayout longest_layout(std::int64_t chunks, std::size_t coder_bytes) const {
    return {asked.shape.rank,
            chunks,
            {predictor_bytes, coder_bytes, 0, limits_bytes()},
            detects_fill || given_fill.known};
  }
  /// Where the predictor's section goes.
  KOKKOS_FORCEINLINE_FUNCTION std::byte* predictor_section() const {
    return stream + layout_of_sections().predictor;
  }
  /// Where the coder's section goes, before its length is known.
  KOKKOS_FORCEINLINE_FUNCTION std::byte* coder_section() const {
    return stream + layout_of_sections().coder;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* index(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint64_t*>(stream + layout.index);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* payload(StreamLayout const& layout) const {
    return reinterpret_cast<std::uint32_t*>(stream + layout.payload);
  }
  /// Words of the stream's memory behind its first bytes.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t words_behind(std::size_t bytes) const {
    std::uint64_t const words = capacity / word_bytes,
                        first = ceil_div<std::uint64_t>(bytes, word_bytes);
    return first < words ? words - first : 0;
  }
  /// Where a kept record begins, so many words in front of the end of the stream's memory.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* kept_record(std::uint64_t from_end) const {
    return reinterpret_cast<std::uint32_t*>(stream) + (capacity / word_bytes - from_end);
  }

  /// Writes the last entry of the index, which is the payload's size, and notes the sizes in the state;
  /// by one thread. words: of the payload.
  KOKKOS_INLINE_FUNCTION void close_index(StreamLayout const& layout, std::int64_t chunks,
                                          std::uint64_t words) const {
    index(layout)[chunks] = words * word_bytes;
    // Padding up to the payload is none or one entry.
    if (layout.index + layout.index_bytes < layout.payload) index(layout)[chunks + 1] = 0;
    state->found.payload_bytes = words * word_bytes;
    state->stream_bytes = layout.payload + words * word_bytes;
    state->overflow = state->stream_bytes > capacity;
  }

  /// Whether tiles of a shape may be chosen.
  KOKKOS_FORCEINLINE_FUNCTION bool may_have(int shape) const { return (shapes >> shape & 1u) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_choice_of_shapes() const {
    return (shapes & (shapes - 1)) != 0;
  }
  /// Chunks of the shape that has most.
  std::int64_t max_chunks() const { return impl::max_chunks(asked.method, shapes, extents); }
  /// Groups of chunk_tiles tiles that these are made of.
  std::int64_t max_turns() const {
    int const tiles = has_levels(asked.method) ? sparse_chunk_tiles : chunk_tiles;
    return max_chunks() * (tiles / chunk_tiles);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::size_t limits_bytes() const {
    return asked.limits.any() ? limits_section_bytes : 0;
  }
  // A coder's section of any length begins at the same place.
  KOKKOS_FORCEINLINE_FUNCTION StreamLayout layout_of_sections() const {
    return {asked.shape.rank,
            0,
            {predictor_bytes, has_coder_section ? 1u : 0u, 0, limits_bytes()},
            fill().known};
  }
};

}  // namespace kompakt::impl

#endif
