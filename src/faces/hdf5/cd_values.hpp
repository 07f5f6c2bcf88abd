#ifndef KOMPAKT_HDF5_CD_VALUES_HPP
#define KOMPAKT_HDF5_CD_VALUES_HPP

#include <array>
#include <cstdint>
#include <kompakt/h5z_values.h>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <optional>
#include <span>
#include <string>

// cd_values: what the user asks for and what chunks are, as include/kompakt/h5z_values.h lists them.

namespace kompakt::hdf5 {

/// All words of the filter; those that were left out are 0.
using Words = std::array<unsigned, KOMPAKT_H5Z_MAX_WORDS>;

/// Flag, which the filter sets by the dataset: its values are big-endian. Streams are those of the same values in this machine's order.
inline constexpr unsigned big_endian_flag = 16;

/// How many of them a file keeps.
std::size_t stored_count(Words const& words);

/// What words say.
struct ChunkCoding {
  Options options{};
  FieldShape shape{};  ///< of a chunk, rank 3, in C order
  bool is_big_endian = false;
};

/// Throws Error bad_argument: "the filter kompakt: <message>".
[[noreturn]] void refuse(std::string const& message, std::string_view advice = {});

/// Extents of a chunk as the library takes them: it merges the slowest until three are left, and those of 1 do not
/// count. The slowest index first.
std::array<std::uint64_t, 3> three_of(std::span<unsigned long long const> chunk);

/// \throws Error bad_argument for a number or a layout of words that this filter does not take
Words words_of(std::span<unsigned const> given);
/// The values of a dataset.
struct ValueType {
  Dtype dtype;
  bool is_big_endian = false;
  bool is_enumeration = false;  ///< whose numbers are names, such as true and false
};

/// The words with what a dataset says.
/// \param chunk  extents of its chunks, the slowest index first
/// \param fill   its fill value, if it has one
/// \throws Error bad_argument if the words say something else, or for what no chunk can have
Words completed(Words words, ValueType const& type, std::span<unsigned long long const> chunk,
                std::optional<double> fill);
/// \throws Error bad_argument for words that are not complete, or options that cannot be used
ChunkCoding coding_of(Words const& words);

}  // namespace kompakt::hdf5

#endif
