#ifndef KOMPAKT_MPI_FRAME_PLAN_HPP
#define KOMPAKT_MPI_FRAME_PLAN_HPP

#include <cstdint>
#include <kompakt/box.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/slabs.hpp>
#include <optional>
#include <vector>

namespace kompakt::mpi {

/// What a rank says of its part of a field.
struct RankPart {
  FieldShape shape;
  FramePart place;
  Options options;
  std::size_t frame_bytes;

  Box box() const { return Box::at(place.origin, shape); }
};

/// The frames of a field, and who compresses them. The same on all ranks.
class FramePlan {
 public:
  /// \param rank_parts  of all ranks
  /// \param rank        that checks them against its own
  /// \throws Error bad_argument, type_mismatch if the parts do not make a field
  FramePlan(std::vector<RankPart> const& rank_parts, int rank);

  Slabs const& slabs() const { return m_slabs; }
  std::vector<Box> const& parts() const { return m_parts; }
  /// Each rank has a frame in each round, as long as it has any.
  std::uint64_t rounds() const;
  /// That of a rank; none any more.
  std::optional<std::uint64_t> frame(std::size_t rank, std::uint64_t round) const;
  /// Whether a rank has all values of a frame.
  bool has_all(std::size_t rank, std::uint64_t frame) const;
  /// Whether any rank needs values of others for its frame.
  bool moves_values(std::uint64_t round) const;

 private:
  bool parts_are_runs() const;

  std::vector<Box> m_parts;
  Slabs m_slabs;
  std::vector<std::uint64_t> m_first;  // frame of each rank, and how many there are
};

}  // namespace kompakt::mpi

#endif
