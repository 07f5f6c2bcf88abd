#include <algorithm>
#include <kompakt/mpi_files.hpp>
#include <kompakt/sequence.hpp>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kompakt::mpi {

namespace {

constexpr auto huge_page = std::align_val_t{std::size_t{2} << 20};

/// Memory of which pages that nothing is written to need not exist. Those that are come in large ones where there are
/// such: of small ones a stream takes so many that making them costs as much as a fast coder.
std::byte* new_room(std::size_t bytes) {
  void* const memory = ::operator new(bytes, huge_page);
#if defined(__linux__)
  ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(memory);
}

}  // namespace

void FrameBlock::Free::operator()(std::byte* memory) const { ::operator delete(memory, huge_page); }

std::span<std::byte> FrameBlock::room(std::size_t bytes) {
  if (m_rooms.size() == m_frames.size()) m_rooms.emplace_back();
  Room& room = m_rooms[m_frames.size()];
  std::size_t const padded = bytes + padding_at(bytes);
  if (room.bytes < padded) {
    room = {};
    room.memory.reset(new_room(padded));
    room.bytes = padded;
  }
  return {room.memory.get(), bytes};
}

void FrameBlock::add(StreamInfo const& info) {
  std::byte* const end = m_rooms[m_frames.size()].memory.get() + info.bytes;
  std::fill_n(end, padding_at(info.bytes), std::byte{});
  m_frames.push_back(info);
}

void FrameBlock::add(std::span<std::byte const> stream, StreamInfo const& info) {
  std::copy(stream.begin(), stream.end(), room(stream.size()).begin());
  add(info);
}

std::span<std::byte const> FrameBlock::bytes(std::size_t number) const {
  std::size_t const bytes = m_frames[number].bytes;
  return {m_rooms[number].memory.get(), bytes + padding_at(bytes)};
}

}  // namespace kompakt::mpi
