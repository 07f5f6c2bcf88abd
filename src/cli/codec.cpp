#include "codec.hpp"
#include <Kokkos_Core.hpp>
#include <chrono>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <new>
#include <string_view>
#include <type_traits>

namespace kompakt::cli {

namespace {

template <class Exec>
inline constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

template <class Exec>
using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;
using ConstHostBytes = Kokkos::View<std::byte const*, Kokkos::HostSpace>;

/// Host memory; Kokkos's own failures name the size, this one must too.
std::vector<std::byte> host_memory(std::size_t bytes, char const* what) {
  std::vector<std::byte> memory;
  try {
    if (bytes > memory.max_size()) throw std::bad_alloc();
    memory.resize(bytes);
  } catch (std::bad_alloc const&) {
    throw Error(Status::device, "no memory for the " + std::to_string(bytes) + " bytes of the " +
                                    what + "; use a machine with more of it");
  }
  return memory;
}

/// Seconds that call() takes on exec.
template <class Exec, class Call>
double seconds(Exec const& exec, Call const& call) {
  exec.fence();
  auto const begin = std::chrono::steady_clock::now();
  call();
  exec.fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Bytes of the host where Exec can read them: the same memory on a host, a copy on a device.
template <class Exec>
class Input {
 public:
  using Result = Kokkos::View<std::byte const*, typename Exec::memory_space>;

  Result readable(std::span<std::byte const> bytes) {
    if constexpr (on_host<Exec>) {
      return Result(bytes.data(), bytes.size());
    } else {
      impl::grow_bytes(m_copy, bytes.size(), "kompakt::cli::input");
      Bytes<Exec> const copy = Kokkos::subview(m_copy, std::pair(std::size_t{0}, bytes.size()));
      Kokkos::deep_copy(copy, ConstHostBytes(bytes.data(), bytes.size()));
      return Result(copy);
    }
  }

 private:
  Bytes<Exec> m_copy;
};

template <class Exec>
class CompressorOn : public Compressor {
 public:
  CompressorOn(Exec const& exec, Options const& options)
      : m_exec(exec), m_options(options), m_workspace(exec) {}

  Result compress(FieldShape const& shape, std::span<std::byte const> field) override {
    m_turn = 1 - m_turn;
    ConstFieldData const values(m_input.readable(field).data(), shape);
    auto& out = m_out[on_host<Exec> ? m_turn : 0];
    out.reserve(max_compressed_bytes(shape, m_options));  // before the clock starts
    double const elapsed_s =
        seconds(m_exec, [&] { kompakt::compress(m_exec, values, m_options, m_workspace, out); });
    return {on_this_side(out), out.info(), elapsed_s};
  }

 private:
  std::span<std::byte> on_this_side(CompressedStream<typename Exec::memory_space> const& out) {
    if constexpr (on_host<Exec>) {
      return {out.data(), out.info().bytes};
    } else {
      std::size_t const bytes = out.info().bytes;
      impl::grow_bytes(m_host[m_turn], bytes, "kompakt::cli::stream");
      Kokkos::deep_copy(HostBytes(m_host[m_turn].data(), bytes), out.bytes());
      return {m_host[m_turn].data(), bytes};
    }
  }

  Exec m_exec;
  Options m_options;
  Workspace<Exec> m_workspace;
  Input<Exec> m_input;
  CompressedStream<typename Exec::memory_space> m_out[2];
  HostBytes m_host[2];
  int m_turn = 1;
};

template <class Exec>
class DecompressorOn : public Decompressor {
 public:
  explicit DecompressorOn(Exec const& exec) : m_exec(exec), m_workspace(exec) {}

  double decompress(std::span<std::byte const> stream, StreamInfo const& info,
                    std::span<std::byte> field) override {
    return decode(stream, info.shape, field, [&](auto const& input, FieldData const& values) {
      kompakt::decompress(m_exec, input, m_workspace, values);
    });
  }
  double decompress_region(std::span<std::byte const> stream, FieldShape const& region,
                           std::span<std::size_t const> begin, std::span<std::size_t const> end,
                           std::span<std::byte> field) {
    return decode(stream, region, field, [&](auto const& input, FieldData const& values) {
      kompakt::decompress_region(m_exec, input, m_workspace, begin, end, values);
    });
  }

 private:
  template <class Decode>
  double decode(std::span<std::byte const> stream, FieldShape const& shape,
                std::span<std::byte> field, Decode const& decode_to) {
    auto const input = m_input.readable(stream);
    FieldData const values{memory_for(field), shape};
    double const elapsed_s = seconds(m_exec, [&] { decode_to(input, values); });
    if constexpr (!on_host<Exec>) {
      Kokkos::deep_copy(HostBytes(field.data(), field.size()),
                        Bytes<Exec>(m_field.data(), field.size()));
    }
    return elapsed_s;
  }

  std::byte* memory_for(std::span<std::byte> field) {
    if constexpr (on_host<Exec>) {
      return field.data();
    } else {
      impl::grow_bytes(m_field, field.size(), "kompakt::cli::field");
      return m_field.data();
    }
  }

  Exec m_exec;
  Workspace<Exec> m_workspace;
  Input<Exec> m_input;
  Bytes<Exec> m_field;
};

// Those that code the reconstruction of a stream as its original was coded.
Options options_of(StreamInfo const& info, int radius) {
  Options options;
  options.pipeline = Pipeline::huffman;
  options.radius = radius;
  // A constant field has no bound; any bound relative to its range finds that out again.
  if (info.abs_bound > 0) options.bound = info.resolved();
  if (info.fill) options.fill = FillValue::of(*info.fill);
  std::string_view const predictor = info.predictor;
  if (predictor == "chain") options.predictor = Predictor::chain;
  if (predictor.starts_with("tile")) options.predictor = Predictor::tile;
  return options;
}

template <class Exec>
FieldRange range_on(Exec const& exec, FieldShape const& shape, std::span<std::byte const> field,
                    FillValue const& fill) {
  Input<Exec> input;
  Workspace<Exec> workspace(exec);
  return field_range(exec, ConstFieldData(input.readable(field).data(), shape), fill, workspace);
}

template <class Exec>
Metrics compare_on(Exec const& exec, FieldShape const& shape, std::span<std::byte const> original,
                   std::span<std::byte const> reconstructed, ErrorBound const& bound,
                   MetricsOptions const& options) {
  Input<Exec> a, b;
  return metrics(exec, ConstFieldData(a.readable(original).data(), shape),
                 ConstFieldData(b.readable(reconstructed).data(), shape), bound, options);
}

template <class Exec>
std::vector<std::byte> decompress_on(Exec const& exec, std::span<std::byte const> stream,
                                     StreamInfo const& info) {
  std::vector<std::byte> field = host_memory(info.shape.bytes(), "field");
  DecompressorOn<Exec>(exec).decompress(stream, info, field);
  return field;
}

}  // namespace

Choice choose_for(Space space, FieldShape const& shape, std::span<std::byte const> field,
                  Options const& options, Goal goal) {
  return with_space(space, [&]<class Exec>(Exec const& exec) {
    Input<Exec> input;
    Workspace<Exec> workspace(exec);
    return choose(exec, ConstFieldData(input.readable(field).data(), shape), options, goal,
                  workspace);
  });
}

std::unique_ptr<Compressor> make_compressor(Space space, Options const& options) {
  return with_space(space, [&]<class Exec>(Exec const& exec) -> std::unique_ptr<Compressor> {
    return std::make_unique<CompressorOn<Exec>>(exec, options);
  });
}

std::unique_ptr<Decompressor> make_decompressor(Space space) {
  return with_space(space, []<class Exec>(Exec const& exec) -> std::unique_ptr<Decompressor> {
    return std::make_unique<DecompressorOn<Exec>>(exec);
  });
}

std::vector<std::byte> decompress_stream(Space space, std::span<std::byte const> stream,
                                         StreamInfo const& info) {
  return with_space(space, [&](auto const& exec) { return decompress_on(exec, stream, info); });
}

std::vector<std::byte> extract_region(Space space, std::span<std::byte const> stream,
                                      FieldShape const& region, std::span<std::size_t const> begin,
                                      std::span<std::size_t const> end) {
  std::vector<std::byte> field = host_memory(region.bytes(), "region");
  with_space(space, [&]<class Exec>(Exec const& exec) {
    return DecompressorOn<Exec>(exec).decompress_region(stream, region, begin, end, field);
  });
  return field;
}

CodebookReport report_codebooks(std::span<std::byte const> stream, StreamInfo const& info,
                                int radius) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  std::vector<std::byte> const restored = decompress_on(exec, stream, info);
  Workspace<Exec> workspace(exec);
  return codebook_report(exec, ConstFieldData(restored.data(), info.shape),
                         options_of(info, radius), workspace);
}

FieldRange range_of_field(Space space, FieldShape const& shape, std::span<std::byte const> field,
                          FillValue const& fill) {
  return with_space(space, [&](auto const& exec) { return range_on(exec, shape, field, fill); });
}

Metrics compare_fields(Space space, FieldShape const& shape, std::span<std::byte const> original,
                       std::span<std::byte const> reconstructed, ErrorBound const& bound,
                       MetricsOptions const& options) {
  return with_space(space, [&](auto const& exec) {
    return compare_on(exec, shape, original, reconstructed, bound, options);
  });
}

}  // namespace kompakt::cli
