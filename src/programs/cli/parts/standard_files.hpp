#ifndef KOMPAKT_CLI_STANDARD_FILES_HPP
#define KOMPAKT_CLI_STANDARD_FILES_HPP

#include <cstdio>
#include <kompakt/error.hpp>
#include <string>

namespace kompakt::cli {

/// Puts something that can neither be read nor written in place of standard files that are closed. Else the next file
/// that is opened has the number of one of them, and notes are written into it. Called first of all.
void open_standard_files();

/// Prints all of a text. What fails at standard output is kept for unprinted().
void print(std::string const& text, std::FILE* file);

/// Notes that the output of the verb is complete: whatever fails behind this, it stays.
void output_is_complete();
/// The message, which says so if it is.
std::string about_output(std::string const& message);

/// What to say of the text that could not be printed; empty if all could.
/// Ends the program by SIGPIPE if standard output has lost its reader, who has seen enough.
std::string unprinted();
/// Does that of an error, if it is the same.
void end_without_reader(Error const& error);

}  // namespace kompakt::cli

#endif
