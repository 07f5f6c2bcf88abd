#ifndef KOMPAKT_PERF_SUPPORT_DATA_SET_HPP
#define KOMPAKT_PERF_SUPPORT_DATA_SET_HPP

#include "flags.hpp"
#include "turbulence.hpp"
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <filesystem>
#include <kompakt/field.hpp>
#include <kompakt/io.hpp>
#include <kompakt/spaces.hpp>
#include <string>
#include <vector>

namespace kompakt::perf {

/// A field to measure with: generated, or a raw file.
struct DataSet {
  std::string name;
  FieldShape shape;
  std::filesystem::path file;  ///< empty: generated
  bool is_density = false;     ///< of turbulence

  /// Such as "turbulence/256x256x256/f32".
  std::string key() const;
};

/// "256x256x256"
std::string text_of_extents(FieldShape const& shape);

/// Turbulence of 1, 2 or 3 extents, such as "256,256,256", or the density made of it.
DataSet generated_data_set(std::string const& extents, Dtype dtype, bool is_density = false);
/// NAME:PATH:f32|f64:EXTENTS, slowest extent first.
DataSet file_data_set(std::string const& text);

/// Takes --field, --extents, --f64 and --density. Without the first two there is turbulence, or a density, of each of
/// `default_extents`.
std::vector<DataSet> take_data_sets(Flags& flags, std::vector<std::string> const& default_extents);
inline constexpr char const* data_set_help =
    "  --extents N,N,N      generate turbulence of these extents, slowest first (repeatable)\n"
    "  --f64                generate double instead of float\n"
    "  --density            generate a density with peaks, as of cosmology, instead of turbulence\n"
    "  --field NAME:PATH:f32|f64:N,N,N\n"
    "                       a raw file, extents slowest first (repeatable)\n";

/// The extents as three, the missing ones in front.
std::array<std::size_t, 3> three_extents(FieldShape const& shape);

/// The values of a data set in the memory of Exec. T must be its type.
template <class T, class Exec>
Kokkos::View<T*, typename Exec::memory_space> load(Exec const& exec, DataSet const& data) {
  Kokkos::View<T*, typename Exec::memory_space> const values(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::perf::field"),
      data.shape.size());
  if (data.file.empty()) {
    fill_turbulence(exec, values.data(), three_extents(data.shape));
    if (data.is_density) turbulence_to_density(exec, values.data(), data.shape.size());
  } else {
    std::vector<std::byte> const bytes = read_raw_field(data.file, data.shape);
    Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const source(
        reinterpret_cast<T const*>(bytes.data()), data.shape.size());
    Kokkos::deep_copy(values, source);
  }
  exec.fence("kompakt::perf::load");
  return values;
}

}  // namespace kompakt::perf

#endif
