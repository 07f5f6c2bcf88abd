#ifndef KOMPAKT_UNIT_TEST_FUZZ_TARGET_HPP
#define KOMPAKT_UNIT_TEST_FUZZ_TARGET_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <kompakt/kompakt.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

// What a target of fuzzing defines, and what all have in common. A target is a program of its own: with libFuzzer by
// scripts/fuzz, and as a test, which changes each seed at random (replay.cpp).

namespace kompakt::fuzz {

using Bytes = std::vector<std::byte>;

// Of each target.

/// Takes any bytes. What it throws but Error, and what it finds wrong, ends the program.
void take(std::span<std::byte const> bytes);
/// Sound inputs, which changes begin with.
std::vector<Bytes> seeds();
/// Makes checksums right again, so that what lies behind them is reached.
void repair(Bytes& bytes);

// For all.

/// The largest field that is decompressed, in values: an input may claim any extents.
inline constexpr std::size_t max_values = 1 << 16;

/// Ends the program if something is not as it must be.
inline void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Whether a call ends well; any exception but Error leaves.
template <class Call>
bool succeeds(Call const& call) {
  try {
    call();
    return true;
  } catch (Error const& e) {
    require(e.what()[0] != '\0', "an error without a message");
    return false;
  }
}

/// Numbers from the bytes of an input, so that it decides all by itself.
class Choices {
 public:
  explicit Choices(std::span<std::byte const> bytes) {
    for (std::byte const byte : bytes) {
      m_state = (m_state ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
    }
  }
  std::size_t below(std::size_t count) {
    m_state = m_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(m_state >> 33) % count;
  }

 private:
  std::uint64_t m_state = 0xcbf29ce484222325;
};

/// Streams of small fields: all pipelines and predictors, packed or not, of several types and ranks, with fill values, limits
/// and without checksums of chunks.
std::vector<Bytes> stream_seeds();
/// The same of a few values, which archives keep in bundles.
std::vector<Bytes> small_stream_seeds();
/// A stream of noise, of more bytes than lie between bundles that are read together.
Bytes long_stream_seed();
/// Decompresses a stream if its field is small: whole and a box of it, which must agree.
void take_stream(std::span<std::byte const> stream);
/// repair() of a stream that begins at `begin`.
void repair_stream(Bytes& bytes, std::size_t begin = 0);
/// repair() of an archive.
void repair_archive(std::span<std::byte> bytes);

}  // namespace kompakt::fuzz

#endif
