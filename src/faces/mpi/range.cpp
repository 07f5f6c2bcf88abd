#include <algorithm>
#include <array>
#include <kompakt/mpi_agree.hpp>
#include <limits>
#include <optional>
#include <pipeline/spread.hpp>
#include <type_traits>
#include <vector>

#include "failure.hpp"
#include "own_failure.hpp"

// The range of a field whose parts the ranks have.

namespace kompakt::mpi {

namespace {

template <class T, std::size_t count>
std::array<T, count> least_of_all(MPI_Comm comm, std::array<T, count> const& mine,
                                  MPI_Datatype type, Wait const& wait) {
  std::array<T, count> least{};
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(MPI_Iallreduce(mine.data(), least.data(), static_cast<int>(count), type, MPI_MIN,
                                 comm, &request),
                  "MPI_Iallreduce");
  wait(request);
  return least;
}

std::vector<FieldRange> all_of(MPI_Comm comm, FieldRange const& mine, Wait const& wait) {
  static_assert(std::is_trivially_copyable_v<FieldRange>);
  int ranks = 0;
  require_success(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  std::vector<FieldRange> all(static_cast<std::size_t>(ranks));
  constexpr int bytes = sizeof(FieldRange);
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(
      MPI_Iallgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm, &request),
      "MPI_Iallgather");
  wait(request);
  return all;
}

// Whether all values of `b` are among those of `a`.
bool has_all(FillValue const& a, FillValue const& b) {
  bool const has_first = b.mode != FillValue::Mode::value || a.declares(b.value);
  return has_first && std::all_of(b.others.begin(), b.others.begin() + b.others_count,
                                  [&](double other) { return a.declares(other); });
}

class SharedRange {
 public:
  SharedRange(Engine& engine, FieldSource const& field) : m_engine(engine), m_field(field) {}

  FieldRange find(FillValue const& fill) {
    look(fill);
    if (fill.mode == FillValue::Mode::automatic) share_fills(fill);
    return joined(m_engine.collective, m_range, m_engine.waiting());
  }
  std::exception_ptr const& failure() const { return m_failure.get(); }

 private:
  void look(FillValue const& fill) {
    m_failure.guard(
        [&] { m_range = m_engine.codec.field_range(m_field, memory_of(m_field.access), fill); });
  }

  /// Where ranks have found different fill values, or some none, those that have not found all look once more.
  void share_fills(FillValue const& asked) {
    FieldRange const found = with_fills_of_all(m_engine.collective, m_range, m_engine.waiting());
    FillValue const all = found.fills(asked);
    if (has_all(m_range.fills(asked), all)) {
      m_range = found;
    } else {
      look(all);
      m_range.fill = found.fill;  // a part without values, too, agrees on it
      m_range.other_fills = found.other_fills;
      m_range.other_fill_count = found.other_fill_count;
    }
  }

  Engine& m_engine;
  FieldSource m_field;
  FieldRange m_range;
  OwnFailure m_failure;
};

}  // namespace

FieldRange joined(MPI_Comm comm, FieldRange const& mine, Wait const& wait) {
  constexpr double beyond = std::numeric_limits<double>::infinity();
  FieldRange::Cluster const& near = mine.crowd.near;
  std::array<double, 3> ends = {beyond, beyond, beyond};  // the higher one with the other sign
  if (mine.any) ends = {mine.min, -mine.max, near.max - near.min};
  auto const least = least_of_all(comm, ends, MPI_DOUBLE, wait);
  FieldRange whole = mine;
  whole.any = least[0] < beyond;
  whole.min = whole.max = 0;
  whole.outliers.reset();
  whole.crowd = {};
  if (!whole.any) return whole;
  whole.min = least[0];
  whole.max = -least[1];
  if (!(least[2] <= impl::near_distance(whole.min, whole.max))) return whole;
  for (FieldRange joint; FieldRange const& part : all_of(comm, mine, wait)) {
    joint = joined(joint, part);
    whole.outliers = joint.outliers;
    whole.crowd = joint.crowd;
  }
  return whole;
}

FieldRange with_fills_of_all(MPI_Comm comm, FieldRange mine, Wait const& wait) {
  constexpr int nobody = 0;
  std::array<int, 1> const found = {mine.fill ? -1 : nobody};
  if (least_of_all(comm, found, MPI_INT, wait)[0] == nobody) return mine;
  FieldRange whole;
  for (FieldRange const& part : all_of(comm, mine, wait)) whole = joined(whole, part);
  mine.fill = whole.fill;
  mine.other_fills = whole.other_fills;
  mine.other_fill_count = whole.other_fill_count;
  return mine;
}

namespace {

void wait_here(MPI_Request& request) {
  require_success(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

}  // namespace

FieldRange joined(MPI_Comm comm, FieldRange const& mine) { return joined(comm, mine, wait_here); }
FieldRange with_fills_of_all(MPI_Comm comm, FieldRange mine) {
  return with_fills_of_all(comm, mine, wait_here);
}

FieldRange Messages::range(FieldSource const& field, FillValue const& fill) {
  SharedRange shared(*m_engine, field);
  FieldRange const range = shared.find(fill);
  agree(m_engine->collective, shared.failure(), m_engine->waiting());
  return range;
}

Options Messages::agreed(FieldSource const& field, Options const& asked) {
  Engine& engine = *m_engine;
  Options const options = options_for_type(field.shape.dtype, asked);
  bool const wants_range = options.bound.needs_range() && options.range == 0;
  OwnFailure failure;
  failure.guard([&] { validate(options); });
  impl::named("agreed", [&] {
    agree_on(engine.collective, wants_range ? 1 : 0, "bound that takes a range (1) or none (0)",
             failure.get(), engine.waiting());
    if (!wants_range) return;
    agree_on(engine.collective, static_cast<int>(options.fill.mode), "FillValue::Mode", nullptr,
             engine.waiting());
  });
  if (!wants_range) return options;
  return options_for_parts(range(field, options.fill), options);
}

}  // namespace kompakt::mpi
