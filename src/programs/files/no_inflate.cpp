#include "byte_source.hpp"
#include "missing_library.hpp"

namespace kompakt::files {

bool has_inflate() noexcept { return false; }

std::unique_ptr<ByteSource> read_inflated(InputFile, std::string label) {
  throw_not_built(label, "zlib", "zlib1g-dev");
}

}  // namespace kompakt::files
