#include "target.hpp"

// One stream from anywhere: inspected, decompressed, and a box of it.

namespace kompakt::fuzz {

void take(std::span<std::byte const> bytes) { take_stream(bytes); }
std::vector<Bytes> seeds() { return stream_seeds(); }
void repair(Bytes& bytes) { repair_stream(bytes); }

}  // namespace kompakt::fuzz
