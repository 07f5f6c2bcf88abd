#include <coder/bitshuffle/record.hpp>
#include <pipeline/coder_calls_body.hpp>

namespace kompakt::impl {

KOMPAKT_INSTANTIATE_CODER_ON_HOST(BitshuffleDeep)
KOMPAKT_INSTANTIATE_CODER_ON_HOST(BitshuffleFz)

}  // namespace kompakt::impl
