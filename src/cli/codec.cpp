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

/// Calls function(exec) with an instance of the chosen space.
template <class Function>
auto with_exec(ExecSpace space, Function const& function) {
#ifdef KOKKOS_ENABLE_CUDA
  if (space == ExecSpace::cuda) return function(Kokkos::Cuda());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (space == ExecSpace::openmp) return function(Kokkos::OpenMP());
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  if (space == ExecSpace::serial) return function(Kokkos::Serial());
#endif
  return function(Kokkos::DefaultExecutionSpace());  // parse_exec_space() gives no other
}

template <class Exec>
inline constexpr bool on_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

template <class Exec>
using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;
using ConstHostBytes = Kokkos::View<std::byte const*, Kokkos::HostSpace>;

template <class Exec>
Bytes<Exec> device_memory(std::size_t bytes) {
  return Bytes<Exec>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kompakt::cli::bytes"), bytes);
}

/// The bytes where Exec can read them: the same memory on a host, a copy on a device.
template <class Exec>
auto readable(std::span<std::byte const> bytes) {
  using Result = Kokkos::View<std::byte const*, typename Exec::memory_space>;
  if constexpr (on_host<Exec>) {
    return Result(bytes.data(), bytes.size());
  } else {
    Bytes<Exec> const copy = device_memory<Exec>(bytes.size());
    Kokkos::deep_copy(copy, ConstHostBytes(bytes.data(), bytes.size()));
    return Result(copy);
  }
}

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

template <class Exec>
Compressed compress_on(Exec const& exec, FieldShape const& shape, std::span<std::byte const> field,
                       Options const& options) {
  using Space = typename Exec::memory_space;
  auto const input = readable<Exec>(field);
  Workspace<Exec> workspace(exec);
  // Allocated before the clock starts.
  CompressedStream<Space> out(max_compressed_bytes(shape, options));
  Compressed result;
  ConstFieldData const values(input.data(), shape);
  result.elapsed_s = seconds(exec, [&] { compress(exec, values, options, workspace, out); });
  result.info = out.info();
  result.stream = host_memory(out.info().bytes, "stream");
  Kokkos::deep_copy(HostBytes(result.stream.data(), result.stream.size()), out.bytes());
  return result;
}

/// decode(input, workspace, values) of a stream, to values of this shape.
template <class Exec, class Decode>
Decompressed decode_on(Exec const& exec, std::span<std::byte const> stream, FieldShape const& shape,
                       Decode const& decode) {
  auto const input = readable<Exec>(stream);
  Decompressed result;
  result.field = host_memory(shape.bytes(), "field");
  HostBytes const host(result.field.data(), result.field.size());
  Bytes<Exec> output;
  if constexpr (on_host<Exec>) {
    output = host;
  } else {
    output = device_memory<Exec>(host.size());
  }
  Workspace<Exec> workspace(exec);
  FieldData const values{output.data(), shape};
  result.elapsed_s = seconds(exec, [&] { decode(input, workspace, values); });
  if constexpr (!on_host<Exec>) Kokkos::deep_copy(host, output);
  return result;
}

template <class Exec>
Decompressed decompress_on(Exec const& exec, std::span<std::byte const> stream,
                           StreamInfo const& info) {
  return decode_on(exec, stream, info.shape,
                   [&](auto const& input, auto& workspace, FieldData const& values) {
                     decompress(exec, input, workspace, values);
                   });
}

// Those that code the reconstruction of a stream as its original was coded.
Options options_of(StreamInfo const& info, int radius) {
  Options options;
  options.pipeline = Pipeline::huffman;
  options.radius = radius;
  // A constant field has no bound; any bound relative to its range finds that out again.
  if (info.abs_bound > 0) options.bound = ErrorBound::absolute(info.abs_bound);
  std::string_view const predictor = info.predictor;
  if (predictor == "chain") options.predictor = Predictor::chain;
  if (predictor.starts_with("tile")) options.predictor = Predictor::tile;
  return options;
}

template <class Exec>
ErrorStats compare_on(Exec const& exec, FieldShape const& shape,
                      std::span<std::byte const> original, std::span<std::byte const> reconstructed,
                      double abs_bound) {
  auto const a = readable<Exec>(original);
  auto const b = readable<Exec>(reconstructed);
  return error_stats(exec, ConstFieldData(a.data(), shape), ConstFieldData(b.data(), shape),
                     abs_bound);
}

}  // namespace

Compressed compress_field(ExecSpace space, FieldShape const& shape,
                          std::span<std::byte const> field, Options const& options) {
  return with_exec(space,
                   [&](auto const& exec) { return compress_on(exec, shape, field, options); });
}

Decompressed decompress_stream(ExecSpace space, std::span<std::byte const> stream,
                               StreamInfo const& info) {
  return with_exec(space, [&](auto const& exec) { return decompress_on(exec, stream, info); });
}

Decompressed extract_region(ExecSpace space, std::span<std::byte const> stream,
                            FieldShape const& region, std::span<std::size_t const> begin,
                            std::span<std::size_t const> end) {
  return with_exec(space, [&](auto const& exec) {
    return decode_on(exec, stream, region,
                     [&](auto const& input, auto& workspace, FieldData const& values) {
                       decompress_region(exec, input, workspace, begin, end, values);
                     });
  });
}

CodebookReport report_codebooks(std::span<std::byte const> stream, StreamInfo const& info,
                                int radius) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  Decompressed const restored = decompress_on(exec, stream, info);
  Workspace<Exec> workspace(exec);
  return codebook_report(exec, ConstFieldData(restored.field.data(), info.shape),
                         options_of(info, radius), workspace);
}

ErrorStats compare_fields(ExecSpace space, FieldShape const& shape,
                          std::span<std::byte const> original,
                          std::span<std::byte const> reconstructed, double abs_bound) {
  return with_exec(space, [&](auto const& exec) {
    return compare_on(exec, shape, original, reconstructed, abs_bound);
  });
}

}  // namespace kompakt::cli
