#include "engine.hpp"

#include <kompakt/mpi_agree.hpp>
#include <limits>
#include <string>
#include <utility>

#include "failure.hpp"
#include "incoming.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // of Open MPI
#endif

namespace kompakt::mpi {

bool mpi_is_gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

namespace {

bool is_aware(GpuAware wish) {
  return wish == GpuAware::ask ? mpi_is_gpu_aware() : wish == GpuAware::yes;
}

void require_usable(MessageOptions const& options) {
  std::size_t const bytes = options.piece_bytes;
  if (bytes != 0 && (bytes < min_piece_bytes || bytes > max_piece_bytes)) {
    throw Error(Status::bad_argument, "Messenger",
                "pieces of " + std::to_string(bytes) + " bytes cannot be sent",
                "give piece_bytes from 1024 to 2^30, or 0");
  }
}

}  // namespace

Engine::Engine(AnyCodec given_codec, MPI_Comm comm, MessageOptions const& given_options)
    : codec(std::move(given_codec)),
      messages(comm),
      pieces(comm),
      collective(comm),
      options(given_options),
      aware(is_aware(given_options.gpu_aware)),
      streams_in(aware ? MemoryOf::space : MemoryOf::host),
      heads(codec.space(), MemoryOf::host),
      host_buffers(codec.space(), MemoryOf::host),
      space_buffers(codec.space(), MemoryOf::space) {
  together(collective, [&] {
    require_usable(options);
    reserve(16);
  });
}

void Engine::reserve(std::size_t at_a_time) {
  heads.ensure(heads_in_use + at_a_time, sizeof(Head) + Head::inline_bytes);
  heads_in_use += at_a_time;
  incoming.reserve(incoming.size() + at_a_time);
  m_requests.reserve(incoming.size() + at_a_time + 1);
}

void Engine::ensure_buffers(MemoryOf in, std::size_t own, std::size_t bytes) {
  pool(in).ensure(own + Incoming::pieces_at_a_time * incoming.size(), bytes);
}

bool Engine::step(MPI_Request* own, bool waits) {
  m_requests.clear();
  if (own != nullptr) m_requests.push_back(*own);
  for (Incoming* const receive : incoming) m_requests.push_back(receive->current());
  int const count = static_cast<int>(m_requests.size());
  int index = MPI_UNDEFINED, flag = 1;
  MPI_Status status;
  int const result = waits ? MPI_Waitany(count, m_requests.data(), &index, &status)
                           : MPI_Testany(count, m_requests.data(), &index, &flag, &status);
  if (flag == 0 || index == MPI_UNDEFINED) {
    require_success(result, "MPI_Waitany");
    return false;
  }
  auto const at = static_cast<std::size_t>(index);
  if (own != nullptr && at == 0) {
    *own = MPI_REQUEST_NULL;
    require_success(result, "MPI_Waitany");
    return true;
  }
  Incoming* const receive = incoming[at - (own != nullptr ? 1 : 0)];
  receive->current() = MPI_REQUEST_NULL;  // Open MPI leaves it in the list after an error
  receive->arrived(result, status);
  return true;
}

void Engine::wait(MPI_Request& request) {
  while (request != MPI_REQUEST_NULL) step(&request, true);
}

void Engine::wait_for(Incoming& receive) {
  while (!receive.is_done()) step(nullptr, true);
}

void Engine::progress() {
  while (step(nullptr, false)) {
  }
}

void Engine::require_rank(int other) const {
  if (other >= 0 && other < messages.ranks()) return;
  throw Error(
      Status::bad_argument,
      "there is no rank " + std::to_string(other) + " among " + std::to_string(messages.ranks()),
      "pass 0 to " + std::to_string(messages.ranks() - 1));
}

bool is_direct(Engine const& engine, FieldShape const& shape, Strides const& strides, Order order,
               FieldAccess access) {
  FieldShape ordered = shape;
  ordered.order = order;
  bool const reached =
      engine.aware || is_on_host(engine.codec.space()) || access == FieldAccess::staged;
  return reached && impl::is_dense(ordered, strides);
}

MemoryOf raw_buffers_in(Engine const& engine, FieldAccess access) {
  return engine.aware ? memory_of(access) : MemoryOf::host;
}

}  // namespace kompakt::mpi
