#ifndef KOMPAKT_CLI_ARCHIVE_REPORT_HPP
#define KOMPAKT_CLI_ARCHIVE_REPORT_HPP

#include <cli/parts/report.hpp>
#include <kompakt/archive.hpp>
#include <string>

namespace kompakt::cli {

/// Adds name and attributes of a field of an archive.
void describe(Report& report, ArchiveEntry const& field);

/// Adds the bound of the numbers that packed integers stand for, if the attributes of a field say so.
void describe_packing(Report& report, ArchiveEntry const& field, StreamInfo const& info);

/// Prints a table of all fields of an archive. Returns the exit code.
/// \throws Error corrupt if the headers of some are damaged, after the table
int print_archive(std::string const& path, bool as_json);

}  // namespace kompakt::cli

#endif
