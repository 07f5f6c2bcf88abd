#include "wait.hpp"
#include "arguments.hpp"
#include <CLI/CLI.hpp>
#include <kompakt/error.hpp>

namespace kompakt::cli {

CLI::Option* WaitArguments::add_to(CLI::App& verb) {
  return verb
      .add_option("--wait", seconds, "time to wait for other programs that change the archive")
      ->capture_default_str()
      ->type_name("SECONDS");
}

std::chrono::milliseconds WaitArguments::time() const {
  constexpr std::uint64_t most = 1000000;
  std::uint64_t const count = parse_count("--wait", seconds);
  if (count > most) {
    throw Error(Status::bad_argument, "--wait: " + seconds + " is not possible",
                "give 0 to " + std::to_string(most) + " seconds");
  }
  return std::chrono::seconds(count);
}

}  // namespace kompakt::cli
