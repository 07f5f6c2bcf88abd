#include "engine.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <c/context.hpp>
#include <c/convert.hpp>
#include <c/start.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/threads.hpp>
#include <mutex>
#include <plugin/place.hpp>

namespace kompakt::python {

void check(kompakt_status status) {
  if (status != KOMPAKT_OK) throw Error(static_cast<Status>(status), kompakt_last_message());
}

namespace {

bool is_same(Place const& a, Place const& b) {
  return a.space == b.space && a.threads == b.threads && a.stream == b.stream;
}

kompakt_context* new_context(Place const& place) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (place.space == KOMPAKT_SPACE_OPENMP && place.threads > 0) {
    host_threads(place.threads);
    return std::make_unique<kompakt_context>(AnyCodec(Kokkos::OpenMP(place.threads))).release();
  }
#endif
  kompakt_context* context = nullptr;
  check(kompakt_context_create(place.space, place.stream, &context));
  return context;
}

/// Contexts that wait for work.
class Pool {
 public:
  /// Never destroyed: other threads may be in a call while the process ends.
  static Pool& get() {
    static Pool& once = *new Pool;
    return once;
  }

  Place settle(Place const& wanted, std::size_t bytes) {
    Place place = wanted;
    // A process that was forked, such as a worker of multiprocessing, has none of the threads of its parent, and would
    // wait for them.
    bool const alone = wanted.threads == 1 || lacks_host_threads();
    if (place.space == Place::any) {
      place.space =
          alone ? KOMPAKT_SPACE_SERIAL : static_cast<kompakt_space>(plugin::space_for({}, bytes));
    }
    if (place.space != KOMPAKT_SPACE_OPENMP || alone) place.threads = 0;
    return place;
  }
  kompakt_context* take(Place const& place) {
    {
      std::lock_guard const lock(m_mutex);
      auto const found =
          std::find_if(m_waiting.begin(), m_waiting.end(),
                       [&](Waiting const& waiting) { return is_same(waiting.place, place); });
      if (found != m_waiting.end()) {
        kompakt_context* const context = found->context;
        m_waiting.erase(found);
        return context;
      }
    }
    return new_context(place);
  }
  void give_back(Place const& place, kompakt_context* context) {
    std::lock_guard const lock(m_mutex);
    m_waiting.push_back({place, context});
  }

 private:
  struct Waiting {
    Place place;
    kompakt_context* context;
  };

  Pool() { c::require_kokkos(); }

  std::mutex m_mutex;
  std::vector<Waiting> m_waiting;
};

}  // namespace

LentContext::LentContext(Place const& place, std::size_t bytes)
    : m_place(Pool::get().settle(place, bytes)), m_context(Pool::get().take(m_place)) {}
LentContext::~LentContext() { Pool::get().give_back(m_place, m_context); }

int cuda_device() {
#ifdef KOKKOS_ENABLE_CUDA
  c::require_kokkos();
  return Kokkos::device_id();
#else
  return -1;
#endif
}

std::vector<std::byte> copy_from_device(void const* data, std::size_t bytes) {
  std::vector<std::byte> copy(bytes);
#ifdef KOKKOS_ENABLE_CUDA
  c::require_kokkos();
  Kokkos::deep_copy(
      Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(copy.data(), bytes),
      Kokkos::View<std::byte const*, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>(
          static_cast<std::byte const*>(data), bytes));
#else
  static_cast<void>(data);
#endif
  return copy;
}

struct Frames::State {
  FrameReader reader;
};

Frames::Frames(std::span<std::byte const> memory)
    : m_state(new State{FrameReader(InputFile::of_memory(memory), "buffer")}) {}
Frames::Frames(std::uint64_t bytes, ReadAt read_at)
    : m_state(new State{FrameReader(InputFile::of_calls(bytes, std::move(read_at)), "reader")}) {}
Frames::~Frames() = default;

kompakt_info Frames::whole() {
  FrameReader& reader = m_state->reader;
  reader.rewind();
  while (reader.next()) reader.skip();
  return c::to_c(reader.sequence().whole());
}

void Frames::decompress(kompakt_context* context, kompakt_field const& field, void* values) {
  c::Array const array = c::array_of_field("decompress", "out", &field);
  m_state->reader.rewind();
  context->codec.decompress(m_state->reader, array.at(values), array.in);
}

void Frames::decompress_region(kompakt_context* context, std::uint64_t const* begin,
                               std::uint64_t const* end, kompakt_field const& region,
                               void* values) {
  c::Array const array = c::array_of_field("decompress_region", "out", &region);
  Box const box = c::box_of("decompress_region", begin, end, array.shape.rank);
  m_state->reader.rewind();
  context->codec.decompress_region(m_state->reader, box, array.at(values), array.in);
}

}  // namespace kompakt::python
