#include <algorithm>
#include <kompakt/snapshot_store.hpp>
#include <kompakt/workspace.hpp>
#include <pipeline/limits.hpp>

namespace kompakt::impl {

namespace {

constexpr char const* store = "SnapshotStore";

std::string text_of(std::uint64_t step, std::string_view name) {
  std::string const of = name.empty() ? "" : " of '" + std::string(name) + "'";
  return "step " + std::to_string(step) + of;
}

}  // namespace

std::vector<SnapshotIndex::State>::const_iterator SnapshotIndex::find(std::uint64_t step,
                                                                      std::string_view name) const {
  return std::find_if(m_states.begin(), m_states.end(),
                      [&](State const& state) { return state.step == step && state.name == name; });
}

bool SnapshotIndex::contains(std::uint64_t step, std::string_view name) const {
  return find(step, name) != m_states.end();
}

void SnapshotIndex::require_new(std::uint64_t step, std::string_view name) const {
  if (!contains(step, name)) return;
  throw Error(Status::bad_argument, store, "there is already a state of " + text_of(step, name),
              "give another step, or erase() that one first");
}

SnapshotIndex::State const& SnapshotIndex::at(std::uint64_t step, std::string_view name) const {
  auto const found = find(step, name);
  if (found != m_states.end()) return *found;
  std::string list;
  for (std::uint64_t const there : steps(name))
    list += (list.empty() ? "" : ", ") + std::to_string(there);
  throw Error(Status::bad_argument, store,
              "there is no state of " + text_of(step, name) + "; " +
                  (list.empty() ? "none is stored" : "there are steps " + list),
              "");
}

SnapshotIndex::State const& SnapshotIndex::at(std::uint64_t step, std::string_view name,
                                              FieldShape const& shape) const {
  State const& state = at(step, name);
  std::string const whose = std::string(store) + ": the state of " + text_of(step, name) + " has ";
  require_same_field(whose.c_str(), state.info.shape, shape);
  return state;
}

SnapshotIndex::Room SnapshotIndex::largest_room() const {
  Room largest;
  std::size_t end = 0;
  auto const look_up_to = [&](std::size_t next) {
    if (next > end && next - end > largest.bytes) largest = {end, next - end};
  };
  for (State const& state : m_states) {
    look_up_to(state.room.offset);
    end = state.room.offset + state.room.bytes;
  }
  look_up_to(m_budget_bytes);
  return largest;
}

std::size_t SnapshotIndex::likely_bytes(std::string_view name) const {
  State const* last = nullptr;
  for (State const& state : m_states) {
    if (state.name == name && (last == nullptr || state.number > last->number)) last = &state;
  }
  return last == nullptr ? 0 : last->room.bytes + last->room.bytes / 16;
}

void SnapshotIndex::add(std::uint64_t step, std::string_view name, StreamInfo const& info,
                        Room const& room) {
  std::size_t const bytes = std::min(WorkspaceSizes::aligned(info.bytes), room.bytes);
  State state{step, std::string(name), info, {room.offset, bytes}, m_puts++};
  auto const behind = std::find_if(m_states.begin(), m_states.end(), [&](State const& other) {
    return other.room.offset > room.offset;
  });
  m_states.insert(behind, std::move(state));
}

void SnapshotIndex::erase(std::uint64_t step, std::string_view name) {
  static_cast<void>(at(step, name));
  m_states.erase(find(step, name));
}

bool SnapshotIndex::evict_oldest() {
  auto const oldest =
      std::min_element(m_states.begin(), m_states.end(),
                       [](State const& a, State const& b) { return a.number < b.number; });
  if (oldest == m_states.end()) return false;
  m_states.erase(oldest);
  ++m_evicted;
  return true;
}

void SnapshotIndex::refuse(std::uint64_t step, std::string_view name,
                           FieldShape const& shape) const {
  SnapshotStats const now = stats();
  throw Error(Status::buffer_too_small, store,
              "no room for the state of " + text_of(step, name) + ", " + describe(shape) + ": " +
                  std::to_string(now.states) + " states take " + std::to_string(now.stored_bytes) +
                  " bytes of the budget of " + std::to_string(now.budget_bytes) +
                  ", and the largest free piece has " + std::to_string(largest_room().bytes),
              "give a larger budget or bound, erase() states, or let the oldest be evicted");
}

std::vector<std::uint64_t> SnapshotIndex::steps(std::string_view name) const {
  std::vector<State const*> states;
  for (State const& state : m_states) {
    if (state.name == name) states.push_back(&state);
  }
  std::sort(states.begin(), states.end(),
            [](State const* a, State const* b) { return a->number < b->number; });
  std::vector<std::uint64_t> steps;
  for (State const* const state : states) steps.push_back(state->step);
  return steps;
}

SnapshotStats SnapshotIndex::stats() const {
  SnapshotStats stats{.states = m_states.size(), .budget_bytes = m_budget_bytes};
  for (State const& state : m_states) {
    stats.raw_bytes += state.info.shape.bytes();
    stats.stored_bytes += state.room.bytes;
  }
  stats.evicted = m_evicted;
  return stats;
}

}  // namespace kompakt::impl
