#include "snapshots.hpp"
#include <algorithm>
#include <cstdio>
#include <kompakt/mpi_agree.hpp>
#include <limits>
#include <span>
#include <utility>

namespace simulation {
namespace {

constexpr bool compresses_beside_solver =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

std::string name_of(char const* field, std::uint64_t step) {
  char name[40];
  std::snprintf(name, sizeof(name), "%s step %06llu", field, static_cast<unsigned long long>(step));
  return name;
}

/// A field of the archive, slab by slab.
struct Entry {
  std::string name;
  kompakt::Attributes attributes;
  std::vector<std::span<std::byte const>> frames;
};

HostBytes host_bytes(std::size_t bytes) {
  return HostBytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "simulation::stream"), bytes);
}

void append(std::filesystem::path const& file, std::vector<Entry> const& entries) {
  auto archive = kompakt::ArchiveWriter::append_to_or_create(file);
  for (Entry const& entry : entries) {
    bool const is_there = std::ranges::any_of(
        archive.entries(), [&](auto const& field) { return field.name == entry.name; });
    if (is_there) archive.remove(entry.name);  // a run that went back
    archive.begin(entry.name, entry.attributes);
    for (auto const& frame : entry.frames) archive.add_frame(frame);
    archive.end();
  }
  archive.commit();
}

}  // namespace

Snapshots::Snapshots(Exec const& solver, Grid const& grid, std::filesystem::path file,
                     kompakt::Options const& coding)
    : m_solver(solver),
      m_exec(compresses_beside_solver ? Kokkos::Experimental::partition_space(solver, 1)[0]
                                      : solver),
      m_grid(grid),
      m_file(std::move(file)),
      m_coding(coding),
      m_parts{Part{"u", {}, kompakt::Workspace<Exec>(m_exec)},
              Part{"v", {}, kompakt::Workspace<Exec>(m_exec)}} {
  validate(coding);
  if constexpr (compresses_beside_solver) {
    for (Part& part : m_parts) {  // now, for memory of a device takes long to get
      part.copy = Field("simulation::snapshot", grid);
      auto const values = part.copy.interior();
      part.workspace.reserve(m_exec, kompakt::compress_workspace<Exec>(values, coding));
      std::size_t const most = kompakt::max_compressed_bytes(kompakt::shape_of(values), coding);
      part.stream.reserve(most);
      part.host = host_bytes(most / 4);
    }
  }
  m_exec.fence("simulation: memory of snapshots is there");
}

Snapshots::~Snapshots() {
  // After a failure somewhere else, which was one of all ranks.
  m_exec.fence("simulation: no snapshot is under way");
  MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
}

void Snapshots::put(State const& state) {
  while (m_stage != Stage::idle) go_on();
  m_step = state.step;
  m_time = state.time;
  kompakt::mpi::together(m_grid.comm(), [&] {
    if constexpr (compresses_beside_solver) {
      Kokkos::deep_copy(m_solver, m_parts[0].copy.interior(), state.u.interior());
      Kokkos::deep_copy(m_solver, m_parts[1].copy.interior(), state.v.interior());
      m_solver.fence("simulation: the state has been copied");
      for (Part& part : m_parts) compress(part, part.copy);
    } else {
      wait_for_writing();  // of bytes that the streams are about to replace
      compress(m_parts[0], state.u);
      compress(m_parts[1], state.v);
    }
  });
  m_stage = Stage::compressing;
}

void Snapshots::compress(Part& part, Field const& field) {
  part.call =
      kompakt::compress_async(m_exec, field.interior(), m_coding, part.workspace, part.stream);
}

void Snapshots::go_on() {
  switch (m_stage) {
    case Stage::idle: break;
    case Stage::compressing:
      kompakt::mpi::together(m_grid.comm(), [&] {
        wait_for_writing();  // the bytes of the snapshot before
        for (Part& part : m_parts) copy_to_host(part);
      });
      m_stage = Stage::copying;
      break;
    case Stage::copying:
      m_exec.fence("simulation: the streams are in host memory");
      send_to_root();
      m_stage = Stage::sending;
      break;
    case Stage::sending:
      MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
      m_requests.clear();
      if (m_grid.rank() == 0) write();
      ++m_count;
      m_stage = Stage::idle;
      break;
  }
}

void Snapshots::finish() {
  while (m_stage != Stage::idle) go_on();
  kompakt::mpi::together(m_grid.comm(), [&] { wait_for_writing(); });
}

void Snapshots::copy_to_host(Part& part) {
  part.bytes = part.call->finish().bytes;
  part.call.reset();
  if (m_grid.ranks() > 1 && part.bytes > std::numeric_limits<int>::max()) {
    throw kompakt::Error(kompakt::Status::bad_argument,
                         "a snapshot's slab of " + std::to_string(part.bytes) +
                             " bytes is too large for a message; use more ranks");
  }
  if constexpr (compresses_beside_solver) {
    if (part.host.extent(0) < part.bytes) {
      part.host = host_bytes(part.bytes);
    }
    auto const stream = part.stream.bytes();
    Kokkos::deep_copy(
        m_exec, Kokkos::subview(part.host, std::make_pair(std::size_t{0}, part.bytes)), stream);
  } else {
    part.host = HostBytes(part.stream.data(), part.bytes);  // they stay where they are
  }
}

void Snapshots::send_to_root() {
  int const ranks = m_grid.ranks();
  for (std::size_t field = 0; field < m_parts.size(); ++field) {
    Part& part = m_parts[field];
    kompakt::mark_part({part.host.data(), part.bytes}, m_grid.place());
    std::uint64_t const mine = part.bytes;
    std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
    MPI_Gather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, m_grid.comm());
    auto const tag = static_cast<int>(field);
    if (m_grid.rank() > 0) {
      MPI_Isend(part.host.data(), static_cast<int>(mine), MPI_BYTE, 0, tag, m_grid.comm(),
                &m_requests.emplace_back());
      continue;
    }
    part.others.resize(all.size() - 1);
    for (int rank = 1; rank < ranks; ++rank) {
      auto const r = static_cast<std::size_t>(rank);
      part.others[r - 1].resize(all[r]);
      MPI_Irecv(part.others[r - 1].data(), static_cast<int>(all[r]), MPI_BYTE, rank, tag,
                m_grid.comm(), &m_requests.emplace_back());
    }
  }
}

void Snapshots::write() {
  std::vector<Entry> entries;
  for (Part const& part : m_parts) {
    kompakt::Attributes const attributes = {{"step", std::to_string(m_step)},
                                            {"time", std::to_string(m_time)}};
    Entry& entry = entries.emplace_back(Entry{name_of(part.name, m_step), attributes, {}});
    entry.frames.emplace_back(part.host.data(), part.bytes);
    entry.frames.insert(entry.frames.end(), part.others.begin(), part.others.end());
    for (auto const& frame : entry.frames) m_bytes += frame.size();
  }
  m_writing = std::async(std::launch::async,
                         [file = m_file, entries = std::move(entries)] { append(file, entries); });
}

void Snapshots::wait_for_writing() {
  if (m_writing.valid()) m_writing.get();
}

}  // namespace simulation
