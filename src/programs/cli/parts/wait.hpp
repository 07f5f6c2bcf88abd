#ifndef KOMPAKT_CLI_WAIT_HPP
#define KOMPAKT_CLI_WAIT_HPP

#include "parser_names.hpp"
#include <chrono>
#include <string>

namespace kompakt::cli {

/// How long a verb that changes an archive waits for another program that does.
struct WaitArguments {
  std::string seconds = "10";  ///< --wait

  CLI::Option* add_to(CLI::App& verb);
  /// \throws Error bad_argument
  std::chrono::milliseconds time() const;
};

}  // namespace kompakt::cli

#endif
