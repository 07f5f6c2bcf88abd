#ifndef KOMPAKT_PIPELINE_LATTICE_REFERENCE_HPP
#define KOMPAKT_PIPELINE_LATTICE_REFERENCE_HPP

#include <core/lattice_scale.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/sample.hpp>

namespace kompakt::impl {

/// The place on the LogScale that the lattice of a bound relative to each value is counted from, as a number of these
/// bits. Under small bounds it reaches a few octaves only: the middle of the places of a sample; if these lie further
/// apart than it reaches, below the highest one, with an eighth to spare above. Reads at most sample_runs values; by one
/// thread.
/// \param q  with the bound
template <class T>
KOKKOS_INLINE_FUNCTION T lattice_reference(EncodeArgs<T> const& args, Quantizer<T> const& q) {
  using U = unsigned_t<T>;
  U lowest = ~U{0}, highest = 0;
  std::int64_t const size = args.extents.size();
  std::int64_t const samples = size < sample_runs ? size : sample_runs;
  for (std::int64_t i = 0; i < samples; ++i) {
    T const value = args.field[sampled_part(i, samples, size)];
    if (!LogScale<T>::has_bin(value) || value == q.fill.value) continue;
    U const place = LogScale<T>::place_of(value);
    lowest = place < lowest ? place : lowest;
    highest = place > highest ? place : highest;
  }
  if (highest == 0) return T(1);
  constexpr U reach = static_cast<U>(LatticeScale<T>::most) / 8 * 7;
  U const width = LatticeScale<T>::of(q).lattice.scale.width, half = (highest - lowest) / 2;
  return Kokkos::bit_cast<T>(
      static_cast<U>(highest - (half / width < reach ? half : reach * width)));
}

}  // namespace kompakt::impl

#endif
