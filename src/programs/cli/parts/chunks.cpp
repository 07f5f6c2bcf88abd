#include "chunks.hpp"
#include "named_bounds.hpp"
#include "parse_numbers.hpp"
#include <algorithm>
#include <cmath>
#include <kompakt/error.hpp>

namespace kompakt::cli {

namespace {

constexpr std::uint64_t least_own_bytes = 32 << 10, max_own_bytes = 16 << 20;
constexpr std::uint64_t usual_bytes = 1 << 20, too_many_bytes = std::uint64_t{1} << 32;
constexpr std::size_t extents_of_tiles = 16;  // of which chunks are multiples
constexpr int max_axes = 3;                   // that the library looks along

[[noreturn]] void refuse_chunk(std::string const& word, std::string const& reason,
                               std::string_view advice = {}) {
  throw Error(Status::bad_argument, "--chunk " + word + ": " + reason, advice);
}

std::uint64_t bytes_of(std::vector<std::size_t> const& chunk, std::size_t value_bytes) {
  std::uint64_t bytes = value_bytes;
  for (std::size_t const extent : chunk) {
    bytes = extent > too_many_bytes / bytes ? too_many_bytes : bytes * extent;
  }
  return bytes;
}

std::vector<std::size_t> usual_chunk(std::vector<std::size_t> const& extents,
                                     std::size_t value_bytes) {
  std::vector<std::size_t> chunk(extents.size(), 1), axes;
  for (std::size_t axis = extents.size(); axis-- > 0 && axes.size() < max_axes;) {
    if (extents[axis] > 1) axes.push_back(axis);
  }
  // Short ones leave their part to the others.
  std::ranges::stable_sort(axes, {}, [&](std::size_t axis) { return extents[axis]; });
  auto left = static_cast<double>(usual_bytes / value_bytes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    double const part = std::pow(left, 1.0 / static_cast<double>(axes.size() - i));
    auto const tiles = static_cast<std::size_t>(part / extents_of_tiles + 0.5);
    chunk[axes[i]] = std::min(extents[axes[i]], std::max<std::size_t>(tiles, 1) * extents_of_tiles);
    left = std::max(left / static_cast<double>(chunk[axes[i]]), 1.0);
  }
  return chunk;
}

}  // namespace

std::vector<NamedChunk> parse_named_chunks(std::vector<std::string> const& words) {
  std::vector<NamedChunk> chunks;
  for (std::string const& word : words) {
    std::size_t const equals = word.rfind('=');
    bool const named = equals != std::string::npos;
    NamedChunk chunk{word, named ? word.substr(0, equals) : "*", {}};
    std::string const list = named ? word.substr(equals + 1) : word;
    for (std::size_t begin = 0; begin <= list.size();) {
      std::size_t const end = std::min(list.find(',', begin), list.size());
      chunk.extents.push_back(parse_count("--chunk " + word, list.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (chunk.pattern.empty() || std::ranges::count(chunk.extents, std::size_t{0}) > 0) {
      refuse_chunk(word, "give extents from 1 on, slowest first, such as 'T*=1,64,64'");
    }
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

std::vector<std::size_t> chunk_of(files::Variable const& variable,
                                  std::vector<NamedChunk>& chunks) {
  std::vector<std::size_t> const extents = slowest_first(variable.shape);
  std::size_t const value_bytes = size_of(variable.shape.dtype);
  std::vector<std::size_t> given;
  for (NamedChunk& chunk : chunks) {
    if (chunk.extents.size() != extents.size() ||
        !fits(chunk.pattern, variable.name, variable.name))
      continue;
    chunk.fits = true;
    given = chunk.extents;
    for (std::size_t i = 0; i < extents.size(); ++i) given[i] = std::min(given[i], extents[i]);
    if (bytes_of(given, value_bytes) >= too_many_bytes) {
      refuse_chunk(chunk.word, "chunks of '" + variable.name + "' would have 4 GiB or more");
    }
  }
  if (!given.empty()) return given;
  std::uint64_t const own_bytes = bytes_of(variable.chunk, value_bytes);
  bool const keeps_own = variable.chunk.size() == extents.size() && own_bytes >= least_own_bytes &&
                         own_bytes <= max_own_bytes;
  return keeps_own ? variable.chunk : usual_chunk(extents, value_bytes);
}

void require_all_fit(std::vector<NamedChunk> const& chunks) {
  auto const left = std::ranges::find(chunks, false, &NamedChunk::fits);
  if (left == chunks.end()) return;
  refuse_chunk(left->word, "no variable that is compressed has this name and " +
                               std::to_string(left->extents.size()) + " indices");
}

}  // namespace kompakt::cli
