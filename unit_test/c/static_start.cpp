#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <kompakt/kompakt.h>
#include <thread>
#include <vector>

// What becomes of Kokkos in a program that links the static library of the C interface.
//   static_start uninitialised | initialised | finalised | unreadable
// The last one is for a variable of the environment that Kokkos ends the program for.

namespace {

/// A context that holds memory of Kokkos: it has compressed.
struct Used {
  kompakt_status compress() {
    std::uint64_t const extents[] = {field.size()};
    kompakt_field const shape = kompakt_field_of(KOMPAKT_F32, 1, extents);
    kompakt_options options = kompakt_options_default();
    options.bound = kompakt_absolute(1e-3);
    kompakt_info info = kompakt_info_default();
    return kompakt_compress(context, &shape, field.data(), &options, stream.data(), stream.size(),
                            KOMPAKT_HOST, &info);
  }

  kompakt_context* context = nullptr;
  std::vector<float> field = std::vector<float>(5000);
  std::vector<std::byte> stream = std::vector<std::byte>(100000);
};

kompakt_status create_and_destroy() {
  kompakt_context* context = nullptr;
  kompakt_status const status = kompakt_context_create(KOMPAKT_SPACE_SERIAL, nullptr, &context);
  kompakt_context_destroy(context);
  return status;
}

bool expect(bool holds, char const* what) {
  if (!holds) std::fprintf(stderr, "not so: %s (%s)\n", what, kompakt_last_message());
  return holds;
}

/// Several threads at once have Kokkos initialised, once.
bool by_threads() {
  std::array<kompakt_status, 8> found{};
  std::array<std::thread, 8> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = std::thread([&, i] { found[i] = create_and_destroy(); });
  }
  for (auto& thread : threads) thread.join();
  bool good = expect(Kokkos::is_initialized(), "Kokkos is initialised by the library");
  for (kompakt_status const status : found)
    good &= expect(status == KOMPAKT_OK, "a thread's context");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  char const* const when = argc > 1 ? argv[1] : "";
  if (std::strcmp(when, "uninitialised") == 0) return by_threads() ? 0 : 1;
  if (std::strcmp(when, "unreadable") == 0) {
    bool const refused = create_and_destroy() == KOMPAKT_BAD_ARGUMENT;
    return expect(
               refused && std::strstr(kompakt_last_message(), "KOKKOS_NUM_THREADS=many") != nullptr,
               "the variable is told of")
               ? 0
               : 1;
  }
  Kokkos::initialize(argc, argv);
  bool good = expect(create_and_destroy() == KOMPAKT_OK, "a context with the application's Kokkos");
  kompakt_settings const settings = kompakt_settings_default();
  good &= expect(kompakt_initialize(&settings) == KOMPAKT_BAD_ARGUMENT, "settings come too late");
  Used used;
  good &=
      expect(kompakt_context_create(KOMPAKT_SPACE_DEFAULT, nullptr, &used.context) == KOMPAKT_OK,
             "a context that is used");
  good &= expect(used.compress() == KOMPAKT_OK, "a compression");
  if (std::strcmp(when, "initialised") == 0) kompakt_context_destroy(used.context);
  Kokkos::finalize();
  if (std::strcmp(when, "finalised") == 0) {
    good &= expect(used.compress() == KOMPAKT_DEVICE, "no compression after Kokkos was finalised");
    good &= expect(std::strstr(kompakt_last_message(), "finalised") != nullptr, "its message");
    kompakt_context_destroy(
        used.context);  // without a word of Kokkos, which ends the process for it
    good &= expect(create_and_destroy() == KOMPAKT_DEVICE, "no context after Kokkos was finalised");
    good &= expect(std::strstr(kompakt_last_message(), "finalised") != nullptr, "the message");
  }
  return good ? 0 : 1;
}
