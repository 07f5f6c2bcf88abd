#ifndef KOMPAKT_PYTHON_REGION_PLAN_HPP
#define KOMPAKT_PYTHON_REGION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kompakt::python {

/// RegionReader for a side that sees no Kokkos.
class RegionPlan {
 public:
  struct Wanted {
    std::uint64_t position;
    std::span<std::byte> to;
  };

  /// \param front       the first 1 KiB of the stream, or all of it
  /// \param bytes       of the whole stream
  /// \param begin, end  of the box, as many numbers as the field has indices
  /// \throws Error as RegionReader
  RegionPlan(std::span<std::byte const> front, std::uint64_t bytes,
             std::span<std::uint64_t const> begin, std::span<std::uint64_t const> end);
  ~RegionPlan();

  std::vector<Wanted> wanted() const;
  /// What was wanted has been filled.
  void next();
  /// The stream for decompress_region().
  std::vector<std::byte> take();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace kompakt::python

#endif
