#ifndef KOMPAKT_CLI_STAGES_HPP
#define KOMPAKT_CLI_STAGES_HPP

#include <cstdint>
#include <future>

namespace kompakt::cli {

/// Runs read(k), work(k) and write(k) for k = 0, 1, … until read(k) returns false. Beside work(k), which
/// runs in the calling thread, run read(k + 1) and write(k - 1), so two buffers in turn are enough for
/// each. What one of the three throws leaves when the others have come to the end of their step.
template <class Read, class Work, class Write>
void in_stages(Read const& read, Work const& work, Write const& write) {
  std::future<bool> reading = std::async(std::launch::async, read, std::uint64_t{0});
  std::future<void> writing;
  for (std::uint64_t k = 0; reading.get(); ++k) {
    reading = std::async(std::launch::async, read, k + 1);
    work(k);
    if (writing.valid()) writing.get();
    writing = std::async(std::launch::async, write, k);
  }
  if (writing.valid()) writing.get();
}

}  // namespace kompakt::cli

#endif
