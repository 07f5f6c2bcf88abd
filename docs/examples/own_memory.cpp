// Streams and scratch memory of the caller's own, a stream that arrives from somewhere else, and what is
// thrown when something does not fit.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Bytes = Kokkos::View<std::byte*, Exec::memory_space>;
using ConstBytes = Kokkos::View<std::byte const*, Exec::memory_space>;
using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;

// What a call ends with. Every error of the library is a kompakt::Error.
template <class Call>
kompakt::Status status_of(Call const& call) {
  try {
    call();
    return kompakt::Status::ok;
  } catch (kompakt::Error const& error) {
    std::printf("%s: %s\n", kompakt::to_string(error.status()), error.what());
    return error.status();
  }
}

int run() {
  Exec const exec;
  Kokkos::View<float**, Exec> const field("field", 300, 500);
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {300, 500}),
      KOKKOS_LAMBDA(int i, int j) { field(i, j) = Kokkos::exp(-1e-4f * (i * i + j * j)); });

  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-4);

  // Scratch memory: what the calls say beforehand that they take. They allocate nothing then.
  kompakt::WorkspaceSizes const sizes =
      max(kompakt::compress_workspace<Exec>(field, options),
          kompakt::decompress_workspace<Exec>(kompakt::shape_of(field), options));
  Bytes const scratch("scratch", sizes.device_bytes());
  kompakt::Workspace<Exec>::ReadbackBytes const readback("readback", sizes.readback);
  kompakt::Workspace<Exec> workspace(exec, sizes, scratch, readback);

  // Memory from elsewhere: 16-byte aligned, and never too small if it has this size.
  std::size_t const capacity = kompakt::max_compressed_bytes(kompakt::shape_of(field), options);
  void* const memory = Kokkos::kokkos_malloc<Exec::memory_space>("own memory", capacity);
  Bytes const own(static_cast<std::byte*>(memory), capacity);
  kompakt::StreamInfo const written = kompakt::compress(exec, field, options, workspace, own);
  ConstBytes const stream = Kokkos::subview(own, std::make_pair(std::size_t{0}, written.bytes));

  // The receiver knows nothing but the bytes. inspect() reads host memory: all of a stream, or at
  // least its first KiB.
  std::vector<std::byte> received(written.bytes);
  Kokkos::deep_copy(HostBytes(received.data(), received.size()), stream);
  kompakt::StreamInfo const info = kompakt::inspect(received);
  std::printf("%s, %zu x %zu, bound %g, %zu bytes\n", kompakt::to_string(info.shape.dtype),
              info.shape.extents[0], info.shape.extents[1], info.abs_bound, info.bytes);
  Kokkos::View<float**, Exec> const restored("restored", info.shape.extents[0],
                                             info.shape.extents[1]);
  kompakt::decompress(exec, stream, workspace, restored);

  bool good = kompakt::error_stats(exec, field, restored, info.abs_bound).violations == 0;

  // A call that fails throws one Error; its Status says what to do about it.
  auto const expect = [&good](kompakt::Status expected, auto const& call) {
    good = status_of(call) == expected && good;
  };
  Bytes const small("small", 1000);
  expect(kompakt::Status::buffer_too_small,
         [&] { kompakt::compress(exec, field, options, workspace, small); });

  kompakt::Options useless = options;
  useless.bound.value = 0;
  expect(kompakt::Status::bad_argument,
         [&] { kompakt::compress(exec, field, useless, workspace, own); });

  Kokkos::View<double**, Exec> const of_another_type("of another type", 300, 500);
  expect(kompakt::Status::type_mismatch,
         [&] { kompakt::decompress(exec, stream, workspace, of_another_type); });

  received.back() ^= std::byte{1};  // one bit of the last chunk
  auto const damaged = kompakt::CompressedStream<Exec::memory_space>::from_host(received);
  expect(kompakt::Status::corrupt,
         [&] { kompakt::decompress(exec, damaged, workspace, restored); });

  received.front() = std::byte{0};
  expect(kompakt::Status::bad_magic, [&] { kompakt::inspect(received); });

  Kokkos::kokkos_free<Exec::memory_space>(memory);
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
