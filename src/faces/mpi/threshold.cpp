#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine.hpp"
#include "failure.hpp"
#include "own_failure.hpp"

// Where compressing begins to pay. A message of n bytes takes latency + n / B raw; compressed it takes what calls take beside the
// work on values, n / C to compress, n / (ratio B) to send and n / D to decompress. So it pays from
// calls / (1 / B - 1 / (ratio B) - 1 / C - 1 / D) on, or never.

namespace kompakt::mpi {

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Shortest of a few calls.
template <class Body>
double shortest_s(Body const& body) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i) {
    double const begin = now_s();
    body();
    shortest = std::min(shortest, now_s() - begin);
  }
  return shortest;
}

/// What compressing and decompressing a smooth field takes on this rank.
class CodecTimes {
 public:
  CodecTimes(Engine& engine, std::size_t values) {
    FieldShape shape;
    shape.extents[0] = values;
    m_raw = shape.bytes();
    Buffer const host(engine.host_buffers, m_raw), field(engine.space_buffers, m_raw);
    auto* const wave = reinterpret_cast<float*>(host.data());
    for (std::size_t i = 0; i < values; ++i)
      wave[i] = static_cast<float>(std::sin(1e-3 * static_cast<double>(i)));
    copy_from_host(engine.codec.space(), {host.data(), m_raw}, field.data());
    FieldData const data{field.data(), shape};
    Options const& options = engine.options.measure_with;
    std::size_t const capacity = max_compressed_bytes(shape, options);
    Buffer const stream(engine.pool(engine.streams_in), capacity);
    std::size_t bytes = 0;
    m_time_s = shortest_s([&] {
      bytes = engine.codec
                  .compress(data, MemoryOf::space, options, {stream.data(), capacity},
                            engine.streams_in)
                  .bytes;
    });
    m_time_s += shortest_s([&] {
      engine.codec.decompress({stream.data(), bytes}, engine.streams_in, data, MemoryOf::space);
    });
    m_ratio = static_cast<double>(m_raw) / static_cast<double>(bytes);
  }

  double time_s() const { return m_time_s; }
  double raw() const { return static_cast<double>(m_raw); }
  double ratio() const { return m_ratio; }

 private:
  std::size_t m_raw = 0;
  double m_time_s = 0, m_ratio = 1;
};

/// Bytes a second between this rank and its neighbour, both ways in turn; infinite without one.
double link_rate(Engine& engine) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  int const other = engine.messages.rank() ^ 1;
  if (other >= engine.messages.ranks()) return std::numeric_limits<double>::infinity();
  Buffer const buffer(engine.pool(engine.streams_in), bytes);
  auto const pass = [&](bool sends) {
    int const result =
        sends ? MPI_Send(buffer.data(), bytes, MPI_BYTE, other, threshold_tag, engine.collective)
              : MPI_Recv(buffer.data(), bytes, MPI_BYTE, other, threshold_tag, engine.collective,
                         MPI_STATUS_IGNORE);
    require_success(result, "Messenger");
  };
  bool const first = engine.messages.rank() < other;
  double const both_s = shortest_s([&] {
    pass(first);
    pass(!first);
  });
  return 2 * static_cast<double>(bytes) / both_s;
}

double threshold_of(CodecTimes const& small, CodecTimes const& large, double rate) {
  double const slope_s = (large.time_s() - small.time_s()) / (large.raw() - small.raw());
  double const calls_s = std::max(0.0, small.time_s() - slope_s * small.raw());
  double const gain_s = (1 - 1 / large.ratio()) / rate - slope_s;
  return gain_s > 0 ? calls_s / gain_s : std::numeric_limits<double>::infinity();
}

}  // namespace

std::size_t measured_threshold(Engine& engine) {
  OwnFailure failure;
  double threshold = 0;
  double const rate = link_rate(engine);
  failure.guard([&] {
    threshold = threshold_of(CodecTimes(engine, 1 << 12), CodecTimes(engine, 1 << 20), rate);
  });
  agree(engine.collective, failure.get(), engine.waiting());
  require_success(
      MPI_Allreduce(MPI_IN_PLACE, &threshold, 1, MPI_DOUBLE, MPI_MAX, engine.collective),
      "MPI_Allreduce");
  constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max() / 2);
  return threshold < most ? static_cast<std::size_t>(threshold)
                          : std::numeric_limits<std::size_t>::max();
}

}  // namespace kompakt::mpi
