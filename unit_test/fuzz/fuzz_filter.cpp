#include "target.hpp"

#include <algorithm>
#include <cstring>
#include <hdf5/cd_values.hpp>
#include <hdf5/chunk_codec.hpp>
#include <kompakt/kompakt.h>

// What the HDF5 filter is given: how many words, the words, and the bytes of a chunk.

namespace kompakt::fuzz {

namespace {

constexpr std::size_t most_words = KOMPAKT_H5Z_MAX_WORDS;

Bytes input_of(hdf5::Words const& words, std::span<std::byte const> chunk) {
  std::size_t const count = hdf5::stored_count(words);
  Bytes bytes(1 + count * sizeof(unsigned));
  bytes[0] = static_cast<std::byte>(count);
  std::memcpy(bytes.data() + 1, words.data(), count * sizeof(unsigned));
  bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  return bytes;
}

}  // namespace

void take(std::span<std::byte const> bytes) {
  if (bytes.empty()) return;
  std::size_t const count = std::min(std::to_integer<std::size_t>(bytes[0]) % (most_words + 2),
                                     (bytes.size() - 1) / sizeof(unsigned));
  std::vector<unsigned> given(count);
  if (count > 0) std::memcpy(given.data(), bytes.data() + 1, count * sizeof(unsigned));
  auto const chunk = bytes.subspan(1 + count * sizeof(unsigned));
  succeeds([&] {
    hdf5::ChunkCoding const coding = hdf5::coding_of(hdf5::words_of(given));
    if (coding.shape.size() > max_values) return;
    static hdf5::ChunkCodec& codec = *new hdf5::ChunkCodec(Space::serial);  // Kokkos ends first
    auto const stored = codec.open(coding, chunk);
    Bytes values(coding.shape.bytes());
    codec.decompress(coding, stored, values.data());
  });
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  hdf5::ChunkCodec codec(Space::serial);
  for (char const* text :
       {"r2r:1e-2,pipeline=fixedlength", "abs:2,pipeline=bitshuffle", "abs:2,pipeline=huffman,pack",
        "abs:1,pipeline=rans,predictor=interpolate", "mode=lossless,pipeline=fixedlength,fill=9"}) {
    kompakt_options options = kompakt_options_default();
    require(kompakt_options_set_text(&options, text) == KOMPAKT_OK, "a text of options is refused");
    std::vector<unsigned> given(KOMPAKT_H5Z_MAX_WORDS);
    given.resize(kompakt_h5z_words(&options, given.data()));
    for (Dtype const dtype : {Dtype::f32, Dtype::f64, Dtype::i16}) {
      unsigned long long const extents[] = {10, 12, 14};
      hdf5::Words const words =
          hdf5::completed(hdf5::words_of(given), {dtype}, extents, std::nullopt);
      hdf5::ChunkCoding const coding = hdf5::coding_of(words);
      Bytes values(coding.shape.bytes());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::byte>(i * i >> 9 & 0x3f);
      }
      result.push_back(input_of(words, codec.compress(coding, values.data())));
    }
  }
  return result;
}

void repair(Bytes&) {}

}  // namespace kompakt::fuzz
