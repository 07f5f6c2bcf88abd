#ifndef KOMPAKT_CLI_NOTES_HPP
#define KOMPAKT_CLI_NOTES_HPP

#include <string>

namespace kompakt::cli {

/// Whether the program prints nothing but errors, --quiet.
bool is_quiet();
void be_quiet();
/// Whether reports have every line, --verbose.
bool is_verbose();
void be_verbose();

/// A line on standard error about something that is done in another way than the user may expect. Not an error.
void note(std::string const& text);

}  // namespace kompakt::cli

#endif
