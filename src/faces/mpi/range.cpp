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
  SharedRange(Engine& engine, impl::FieldSource const& field) : m_engine(engine), m_field(field) {}

  FieldRange find(FillValue const& fill) {
    look(fill);
    if (fill.mode == FillValue::Mode::automatic) share_fill();
    constexpr double beyond = std::numeric_limits<double>::infinity();
    std::array<double, 2> const ends = {m_range.any ? m_range.min : beyond,
                                        m_range.any ? -m_range.max : beyond};
    auto const least = least_of_all(m_engine, ends, MPI_DOUBLE);
    m_range.any = least[0] < beyond;
    m_range.min = m_range.any ? least[0] : 0;
    m_range.max = m_range.any ? -least[1] : 0;
    return m_range;
  }
  std::exception_ptr const& failure() const { return m_failure.get(); }

 private:
  void look(FillValue const& fill) {
    m_failure.guard(
        [&] { m_range = m_engine.codec.field_range(m_field, memory_of(m_field.access), fill); });
  }

  /// Where ranks have found different fill values, or some none, those that have not that of the lowest look once more.
  void share_fill() {
    constexpr int nobody = std::numeric_limits<int>::max();
    std::array<int, 1> const mine = {m_range.fill ? m_engine.messages.rank() : nobody};
    int const finder = least_of_all(m_engine, mine, MPI_INT)[0];
    if (finder == nobody) return;
    double fill = m_range.fill.value_or(0);
    MPI_Request request = MPI_REQUEST_NULL;
    require_success(MPI_Ibcast(&fill, 1, MPI_DOUBLE, finder, m_engine.collective, &request),
                    "MPI_Ibcast");
    m_engine.wait(request);
    if (!is_same(m_range.fill, fill)) look(FillValue::of(fill));
    m_range.fill = fill;
  }

  Engine& m_engine;
  impl::FieldSource m_field;
  FieldRange m_range;
  OwnFailure m_failure;
};

}  // namespace

FieldRange Messages::range(impl::FieldSource const& field, FillValue const& fill) {
  SharedRange shared(*m_engine, field);
  FieldRange const range = shared.find(fill);
  agree(m_engine->collective, shared.failure(), m_engine->waiting());
  return range;
}

Options Messages::agreed(impl::FieldSource const& field, Options const& options) {
  Engine& engine = *m_engine;
  bool const wants_range = options.bound.needs_range() && options.range == 0;
  OwnFailure failure;
  failure.guard([&] { validate(options); });
  agree_on(engine.collective, wants_range ? 1 : 0, "agreed",
           "bound that takes a range (1) or none (0)", failure.get(), engine.waiting());
  if (!wants_range) return options;
  agree_on(engine.collective, static_cast<int>(options.fill.mode), "agreed", "FillValue::Mode",
           nullptr, engine.waiting());
  return options_for_parts(range(field, options.fill), options);
}

}  // namespace kompakt::mpi
