#ifndef KOMPAKT_CLI_WAIT_HPP
#define KOMPAKT_CLI_WAIT_HPP

#include "parser_names.hpp"
#include <chrono>

namespace kompakt::cli {

/// How long a verb that changes an archive waits for another program that does.
struct WaitArguments {
  std::chrono::seconds time{10};  ///< --wait

  CLI::Option* add_to(CLI::App& verb);
};

}  // namespace kompakt::cli

#endif
