#ifndef KOMPAKT_CLI_FILES_HPP
#define KOMPAKT_CLI_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/files.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::cli {

/// read_file() with a line of progress.
std::vector<std::byte> read_with_progress(std::filesystem::path const& path);

/// The error with further advice, and without where(), which is for programmers.
Error with_advice(Error const& error, std::string_view more);

/// Throws Error io for a folder, which could be opened, but not read.
void require_no_folder(std::filesystem::path const& input);

/// Whether a file is larger than its input by more than what headers and indices need: 1 % or 4096 bytes, the larger of both.
bool is_larger(std::uint64_t bytes, std::uint64_t input_bytes);

/// What to do about a stream that was refused; may be empty.
char const* advice_for(Status status);

/// work() on the stream in `path`, with messages that name the file and say what to do.
template <class Work>
auto naming(std::filesystem::path const& path, Work const& work) {
  try {
    return work();
  } catch (Error const& error) {
    throw with_advice(error.about("'" + path.string() + "'"), advice_for(error.status()));
  }
}

/// work() on a variable of a file; messages about damage say how to go on without it.
template <class Work>
auto skippable(Work const& work) {
  try {
    return work();
  } catch (Error const& error) {
    bool const is_unreadable =
        error.status() == Status::corrupt || error.status() == Status::unsupported_version;
    if (!is_unreadable) throw;
    throw with_advice(error, "--skip NAME goes on without it");
  }
}

/// inspect() of a stream that came from `path`: messages name the file, and the length that the
/// header claims must be the real one.
/// \param stream  all of the file
StreamInfo inspect_file(std::filesystem::path const& path, std::span<std::byte const> stream);

}  // namespace kompakt::cli

#endif
