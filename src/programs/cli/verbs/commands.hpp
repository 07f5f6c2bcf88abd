#ifndef KOMPAKT_CLI_COMMANDS_HPP
#define KOMPAKT_CLI_COMMANDS_HPP

#include <cli/parts/parser_names.hpp>
#include <functional>

namespace kompakt::cli {

/// What the chosen verb does once all arguments have been read. Returns the exit code; throws
/// kompakt::Error.
using Action = std::function<int()>;

/// Each adds its verb to `app`. When the user chooses it, `action` is set.
void add_compress(CLI::App& app, Action& action);
void add_decompress(CLI::App& app, Action& action);
void add_extract(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_words(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_repack(CLI::App& app, Action& action);
void add_repair(CLI::App& app, Action& action);
void add_remove(CLI::App& app, Action& action);
void add_compact(CLI::App& app, Action& action);
void add_man(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace kompakt::cli

#endif
