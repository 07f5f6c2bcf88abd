#include "saver_state.hpp"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

// checkpoint_saver FOLDER STEPS [BYTES]: goes on where the last one was stopped, and saves as many steps; a file of more
// than BYTES is a full disk. Writes a byte to standard output before the first save, and the step that it has begun from to
// standard error.

using namespace kompakt;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (argc > 3) {
    auto const bytes = static_cast<rlim_t>(std::strtoull(argv[3], nullptr, 10));
    rlimit const limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  Kokkos::ScopeGuard const kokkos;
  try {
    test::SaverState const state;
    auto checkpoint = state.checkpoint(argv[1]);
    std::uint64_t step = 0;
    if (!list_checkpoints(argv[1], "saver").empty()) {
      step = checkpoint.restore().step;
      if (!state.is_of(step)) return 99;
    }
    static_cast<void>(!::write(STDOUT_FILENO, "x", 1));
    for (std::uint64_t const end = step + std::strtoull(argv[2], nullptr, 10); step < end;) {
      state.compute(++step);
      checkpoint.save_async(step);
    }
    checkpoint.wait();
  } catch (Error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.status());
  }
}
