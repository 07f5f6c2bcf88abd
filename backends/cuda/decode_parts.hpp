#ifndef KOMPAKT_CUDA_DECODE_PARTS_HPP
#define KOMPAKT_CUDA_DECODE_PARTS_HPP

#include <core/exceptions.hpp>
#include <core/record.hpp>
#include <core/tile_mask.hpp>
#include <cuda/tile_io.hpp>
#include <cuda/warp.hpp>
#include <pipeline/chunk.hpp>

// What all decoders do with a record, by a warp.

namespace kompakt::impl::cuda {

/// Forms of a record and parts of it that are rare.
template <class Shape, class T>
__device__ __noinline__ void read_raw(T* field, TileBox box, std::uint32_t const* record) {
  team_for_values<Shape>(warp::Team(), box, [&](int place, std::int64_t index) {
    field[index] = load_value<T>(record + packed_place<Shape>(box, place) * value_words<T>);
  });
}
template <class Shape, class T>
__device__ __noinline__ bool overwrite_values_of(T* field, TileBox box, RecordTail tail,
                                                 MaskedValues<T> masked,
                                                 std::uint32_t const* words) {
  return !warp::any(!overwrite_values<Shape>(warp::Team(), words, tail, box, masked, field));
}
/// The same where magnitudes have signs too.
template <class Shape, class T>
__device__ __noinline__ bool read_tail_of(T* field, TileBox box, RecordTail tail,
                                          MaskedValues<T> masked, std::uint32_t const* words) {
  return !warp::any(!read_tail<Shape>(warp::Team(), words, tail, box, masked, field));
}
/// The signs of the calling lane's row; whether those of all are sound.
__device__ __noinline__ inline bool read_signs(RecordTail tail, std::uint32_t const* words,
                                               std::uint32_t& negative) {
  TileMask const signs(tail.signs(), words + tail.mask_words());
  if (!signs.is_sound()) return false;
  negative = signs.word(warp::lane());
  return !warp::any(!signs.is_sound(warp::lane()));
}
/// The residuals of a coded record in shared memory, base included, in the lane's row, and their sum. Returns whether the
/// coder's words are sound; the record's memory is then free.
/// \tparam Warp  the WarpCoder
template <class Warp, class Context, class U>
__device__ __forceinline__ bool read_residuals(Context const& context, RecordHead head,
                                               std::uint32_t const* record, int coder_words, U* row,
                                               U& sum) {
  U const base = read_base<U>(head, record);
  if (!Warp::read(context, head.coder_bits(), record + head.words(), coder_words, row, sum)) {
    return false;
  }
  if (warp::lane() == 0) {
    row[0] += base;
    sum += base;
  }
  warp::sync();
  return true;
}
/// Copies words to shared memory: all under way at once, where plain loads would wait one by one.
__device__ __noinline__ inline void copy_words(std::uint32_t const* from, int count,
                                               std::uint32_t* to) {
  warp::sync();
  for (int i = warp::lane(); i < count; i += 32) warp::copy_async<4>(to + i, from + i);
  warp::wait_for_copies();
  warp::sync();
}

}  // namespace kompakt::impl::cuda

#endif
