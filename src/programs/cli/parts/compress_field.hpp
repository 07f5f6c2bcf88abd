#ifndef KOMPAKT_CLI_COMPRESS_FIELD_HPP
#define KOMPAKT_CLI_COMPRESS_FIELD_HPP

#include "field_input.hpp"
#include "fill.hpp"
#include "frame_output.hpp"
#include "report.hpp"
#include "slabs.hpp"
#include <cli/verbs/compress_arguments.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/error.hpp>
#include <kompakt/sequence.hpp>
#include <optional>
#include <string>

namespace kompakt::cli {

/// Where fields are compressed, and in how much memory.
struct RunLimits {
  Space space;
  MemoryLimit memory;
};

/// What became of a field.
struct CompressedField {
  FrameSequence frames;
  MaskedPlaces masked;
  double elapsed_s = 0;  ///< of the calls of the library
  Options asked;         ///< before anything was looked up
  std::optional<Choice> choice;
};

/// Whether a variable that adapt() refuses stays exact, and stops no other one: packed integers that a bound is none for, and one
/// whose file declares more values for "no value here" than options can.
bool may_stay_exact(files::Variable const& variable);

/// Adapts options to a field: a bound of packed integers becomes one of their steps, and what its file says stands for no value.
/// \returns whether its file has said so
/// \throws Error bad_argument for a bound or a fill value that integers cannot have, and for more fill values than options have, unless without loss
bool adapt(Options& options, FieldShape const& shape, files::Variable const& variable);

/// A note if limits that the file declares hold none of the integers of a variable; empty if there is nothing to note.
/// \param adapted  options from adapt()
std::string note_of_no_limits(std::string const& label, Options const& adapted,
                              files::Variable const& variable);

/// Makes the options of integers of 64 bits lossless if the field has a value of 2^53 or more: its parts need one bound. Reads the file
/// for it.
/// \throws Error as range_of()
void settle_wide_integers(files::FieldReader& file, Slabs const& slabs, Space space,
                          Options& options);

/// Throws an error that is one of an argument again, with the name of the field, and with the program's options behind its advice.
/// \param label     of the field
/// \param absolute  how to give it an absolute bound where it has a relative one, "-m abs -e E"; may be empty
[[noreturn]] void refuse_field(std::string const& label, std::string const& absolute,
                               Error const& error);
/// "--bound 'T=abs:E'" if the bound is relative to the range
std::string named_absolute(std::string const& variable, ErrorBound const& bound);
/// work(), whose errors pass refuse_field().
template <class Work>
decltype(auto) about_field(std::string const& label, std::string const& absolute,
                           Work const& work) {
  try {
    return work();
  } catch (Error const& error) {
    refuse_field(label, absolute, error);
  }
}

/// Reads a field slab by slab and writes its frames.
/// \throws Error as open_field_input() and the library
CompressedField compress_field(FieldInput& input, AskedOptions const& call,
                               RunLimits const& conditions, FrameOutput& output);

void describe(Report& report, Choice const& choice);
void describe(Report& report, MaskedPlaces const& masked);

}  // namespace kompakt::cli

#endif
