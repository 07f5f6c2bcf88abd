#ifndef KOMPAKT_FILES_RAW_HPP
#define KOMPAKT_FILES_RAW_HPP

#include "field_file.hpp"

namespace kompakt::files {

/// Values alone.
std::unique_ptr<FieldWriter> write_raw(OutputFile file);

}  // namespace kompakt::files

#endif
