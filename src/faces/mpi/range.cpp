#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "own_failure.hpp"

// The range of a field whose parts the ranks have.

namespace kompakt::mpi {

namespace {

template <class T, std::size_t count>
std::array<T, count> least_of_all(Engine& engine, std::array<T, count> const& mine,
                                  MPI_Datatype type) {
  std::array<T, count> least{};
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(MPI_Iallreduce(mine.data(), least.data(), static_cast<int>(count), type, MPI_MIN,
                                 engine.collective, &request),
                  "MPI_Iallreduce");
  engine.wait(request);
  return least;
}

bool is_same(std::optional<double> const& a, double b) {
  return a && (*a == b || (std::isnan(*a) && std::isnan(b)));
}

class SharedRange {
 public:
  SharedRange(Engine& engine, FieldSource const& field) : m_engine(engine), m_field(field) {}

  FieldRange find(FillValue const& fill) {
    look(fill);
    if (fill.mode == FillValue::Mode::automatic) share_fill(fill);
    constexpr double beyond = std::numeric_limits<double>::infinity();
    FieldRange::Outliers const few =
        m_range.outliers ? *m_range.outliers : FieldRange::Outliers{0, 0, m_range.min, m_range.max};
    std::array<double, 5> ends{};
    ends.fill(beyond);
    if (m_range.any) {
      ends = {m_range.min, -m_range.max, few.min, -few.max, -static_cast<double>(few.count)};
    }
    auto const least = least_of_all(m_engine, ends, MPI_DOUBLE);
    return joined_by(least);
  }
  std::exception_ptr const& failure() const { return m_failure.get(); }

 private:
  /// The range of all ranks, with the outliers of that rank which has most.
  FieldRange joined_by(std::array<double, 5> const& least) const {
    FieldRange whole{least[0] < std::numeric_limits<double>::infinity(), 0, 0, m_range.fill, {}};
    if (!whole.any) return whole;
    whole.min = least[0];
    whole.max = -least[1];
    if (least[4] >= 0) return whole;
    FieldRange rest{true, least[2], -least[3], m_range.fill, {}};
    FieldRange few = whole;
    few.outliers = {static_cast<std::uint64_t>(-least[4]), 0, rest.min, rest.max};
    return joined(few, rest);
  }

  void look(FillValue const& fill) {
    m_failure.guard(
        [&] { m_range = m_engine.codec.field_range(m_field, memory_of(m_field.access), fill); });
  }

  /// Where ranks have found different fill values, or some none, those that have not that of the lowest look once more.
  void share_fill(FillValue const& asked) {
    constexpr int nobody = std::numeric_limits<int>::max();
    std::array<int, 1> const mine = {m_range.fill ? m_engine.messages.rank() : nobody};
    int const finder = least_of_all(m_engine, mine, MPI_INT)[0];
    if (finder == nobody) return;
    double fill = m_range.fill.value_or(0);
    MPI_Request request = MPI_REQUEST_NULL;
    require_success(MPI_Ibcast(&fill, 1, MPI_DOUBLE, finder, m_engine.collective, &request),
                    "MPI_Ibcast");
    m_engine.wait(request);
    if (!is_same(m_range.fill, fill)) look(asked.settled(fill));
    m_range.fill = fill;
  }

  Engine& m_engine;
  FieldSource m_field;
  FieldRange m_range;
  OwnFailure m_failure;
};

}  // namespace

FieldRange Messages::range(FieldSource const& field, FillValue const& fill) {
  SharedRange shared(*m_engine, field);
  FieldRange const range = shared.find(fill);
  agree(m_engine->collective, shared.failure(), m_engine->waiting());
  return range;
}

Options Messages::agreed(FieldSource const& field, Options const& options) {
  Engine& engine = *m_engine;
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
