#ifndef KOMPAKT_CLI_FIELD_OUTPUT_HPP
#define KOMPAKT_CLI_FIELD_OUTPUT_HPP

#include "output.hpp"
#include "source.hpp"
#include <files/field_file.hpp>
#include <kompakt/stream.hpp>
#include <memory>

namespace kompakt::cli {

/// The file that OverwriteArguments::require_writable() has allowed, or standard output.
std::unique_ptr<files::FieldWriter> open_field_output(OverwriteArguments const& overwrite,
                                                      files::FileName const& name);

/// Begins a variable, with notes on what the format cannot take of it.
void begin_variable(files::FieldWriter& output, files::Variable const& variable);
/// Gives the file its name, with such notes, too.
void commit_with_notes(files::FieldWriter& output);

/// What a file shall say of the field of a stream: what the archive keeps of it, and no more: a fill value
/// that was found is not declared.
/// \param name   of the variable; empty: that of the archive, else "field"
/// \param shape  of the values that are written: all of the field, or a region
files::Variable variable_of(StreamSource const& source, std::string const& name,
                            FieldShape const& shape);

}  // namespace kompakt::cli

#endif
