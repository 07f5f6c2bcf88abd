#include "start.hpp"
#include "arguments.hpp"
#include "fork_mutex.hpp"
#include <Kokkos_Core.hpp>
#include <kompakt/environment.hpp>
#include <kompakt/threads.hpp>
#include <mutex>
#include <string>

namespace kompakt::c {

namespace {

/// Devices that Kokkos could use: it ends the process for the number of another one.
int device_count() {
  int count = 0;
#ifdef KOKKOS_ENABLE_CUDA
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
#endif
  return count;
}

/// Initialises Kokkos for the first caller. It is not finalised: other users of the library in this process, or
/// contexts of another thread, may still need it.
class OneKokkos {
 public:
  static OneKokkos& get() {
    static OneKokkos once;
    return once;
  }

  void require() {
    std::lock_guard const lock(ForkMutex<OneKokkos>::get());
    if (!Kokkos::is_initialized()) initialize({}, 0);
  }
  void require_with(kompakt_settings const& given) {
    std::lock_guard const lock(ForkMutex<OneKokkos>::get());
    if (Kokkos::is_initialized()) {
      refuse("Kokkos is initialised already",
             "call it before the first context is created, or without settings");
    }
    Kokkos::InitializationSettings settings;
    if (given.device >= 0) settings.set_device_id(given.device);
    initialize(settings, given.threads);
  }

 private:
  void initialize(Kokkos::InitializationSettings settings, int requested) {
    if (Kokkos::is_finalized()) {
      throw Error(Status::device, "kompakt",
                  "Kokkos has been finalised, and cannot be initialised again",
                  "make all calls before");
    }
    // What failed half way would fail in another way, or not at all, if it was tried again.
    if (!m_failure.empty()) throw Error(Status::device, "kompakt", m_failure, "");
    require_kokkos_environment();
    HostThreads const threads = host_threads(requested);
    if (requested > 0 || threads.wanted > static_cast<unsigned long>(threads.count)) {
      settings.set_num_threads(threads.count);
    }
    // A library prints nothing.
    settings.set_disable_warnings(true);
    settings.set_print_configuration(false);
    try {
      Kokkos::initialize(settings);
    } catch (std::exception const& error) {
      m_failure = std::string("Kokkos cannot be initialised: ") + error.what();
      throw Error(Status::device, "kompakt", m_failure, "");
    }
  }

  std::string m_failure;
};

}  // namespace

void require_kokkos() { OneKokkos::get().require(); }

}  // namespace kompakt::c

using namespace kompakt::c;

kompakt_status kompakt_initialize(kompakt_settings const* settings) {
  return call("kompakt_initialize", [&] {
    if (settings == nullptr) return require_kokkos();
    kompakt_settings const given = read("settings", settings, kompakt_settings_default());
    if (given.threads < 0 || given.device < -1) {
      refuse("settings->threads is " + std::to_string(given.threads) + " and settings->device " +
                 std::to_string(given.device),
             "pass numbers from 0 on, or -1 for any device");
    }
    if (given.device >= device_count()) {
      refuse("settings->device is " + std::to_string(given.device) + ", but there are " +
             std::to_string(device_count()) + " that this library can use");
    }
    try {
      kompakt::require_possible_threads(given.threads);
    } catch (kompakt::Error const& error) {
      throw error.about("settings->threads");
    }
    OneKokkos::get().require_with(given);
  });
}
