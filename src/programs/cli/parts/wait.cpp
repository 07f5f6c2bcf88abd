#include "wait.hpp"
#include "parse_numbers.hpp"
#include <CLI/CLI.hpp>

namespace kompakt::cli {

CLI::Option* WaitArguments::add_to(CLI::App& verb) {
  auto const read = [this](std::string const& word) {
    time = std::chrono::seconds(parse_count("--wait", word, 0, 1000000, " seconds"));
  };
  return verb
      .add_option_function<std::string>("--wait", read,
                                        "time to wait for other programs that change the archive")
      ->default_str(std::to_string(time.count()))
      ->type_name("SECONDS");
}

}  // namespace kompakt::cli
