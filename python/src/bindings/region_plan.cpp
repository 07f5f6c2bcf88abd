#include "region_plan.hpp"
#include <kompakt/files.hpp>

namespace kompakt::python {

struct RegionPlan::State {
  RegionReader reader;
};

RegionPlan::RegionPlan(std::span<std::byte const> front, std::uint64_t bytes,
                       std::span<std::uint64_t const> begin, std::span<std::uint64_t const> end)
    : m_state(new State{RegionReader(front, bytes, Box(begin, end))}) {}
RegionPlan::~RegionPlan() = default;

std::vector<RegionPlan::Wanted> RegionPlan::wanted() const {
  std::vector<Wanted> list;
  for (WantedBytes const& part : m_state->reader.wanted()) list.push_back({part.position, part.to});
  return list;
}
void RegionPlan::next() { m_state->reader.next(); }
std::vector<std::byte> RegionPlan::take() { return m_state->reader.take(); }

}  // namespace kompakt::python
