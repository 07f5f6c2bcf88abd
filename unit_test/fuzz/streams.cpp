#include "target.hpp"

#include <Kokkos_Core.hpp>
#include <archive/blocks.hpp>
#include <archive/record_bytes.hpp>
#include <cmath>
#include <container/format.hpp>
#include <container/header.hpp>
#include <cstring>
#include <kompakt/any_codec.hpp>
#include <kompakt/option_keys.hpp>
#include <memory>

namespace kompakt::fuzz {

namespace {

// Kokkos has ended before what is static does: these stay.
AnyCodec& codec_of(Space space) {
  static AnyCodec& serial = *new AnyCodec(Space::serial);
  static AnyCodec& other = *new AnyCodec(default_space());
  return space == Space::serial ? serial : other;
}

/// A smooth field with some noise, as values of a type.
template <class T>
Bytes make_values(std::size_t count) {
  Bytes bytes(count * sizeof(T));
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double const noise = static_cast<double>(state >> 40) / (1 << 24);
    double const value = 90 * std::sin(0.05 * static_cast<double>(i)) + noise;
    auto const stored = i % 97 == 0 ? static_cast<T>(120) : static_cast<T>(value);
    std::memcpy(bytes.data() + i * sizeof(T), &stored, sizeof(T));
  }
  return bytes;
}
Bytes values_of(FieldShape const& shape) {
  switch (shape.dtype) {
    case Dtype::f64: return make_values<double>(shape.size());
    case Dtype::i8: return make_values<std::int8_t>(shape.size());
    case Dtype::i16: return make_values<std::int16_t>(shape.size());
    default: return make_values<float>(shape.size());
  }
}

Bytes compressed(Bytes const& values, FieldShape const& shape, Options const& options) {
  Bytes stream(max_compressed_bytes(shape, options));
  StreamInfo const info = codec_of(Space::serial)
                              .compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                        options, stream, MemoryOf::host);
  stream.resize(info.bytes);
  return stream;
}
Bytes compressed(FieldShape const& shape, std::string const& text) {
  Options options;
  set(options, text);
  return compressed(values_of(shape), shape, options);
}

void set_number(Bytes& bytes, std::size_t at, std::uint64_t value, int count) {
  impl::put(bytes.data() + at, value, count);
}
std::uint64_t number_at(Bytes const& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, count);
  return value;
}

std::vector<Bytes> streams_of(std::vector<FieldShape> const& shapes) {
  std::vector<std::string> const methods{
      "pipeline=fixedlength",
      "pipeline=bitshuffle,predictor=tile",
      "pipeline=bitshuffle,variant=fz",
      "pipeline=bitshuffle,predictor=interpolate",
      "pipeline=huffman,predictor=tile",
      "pipeline=huffman,variant=dictionary,predictor=interpolate",
      "pipeline=rans,predictor=tile",
      "pipeline=rans,predictor=interpolate",
      "pipeline=fixedlength,mode=lossless"};
  std::vector<Bytes> result;
  for (FieldShape const& shape : shapes) {
    for (std::string const& method : methods) {
      bool const is_lossless = method.find("lossless") != std::string::npos;
      for (std::string const more : {"", ",pack", ",checksum=0", ",checksum=0,fill=120"}) {
        // Of integers without loss no fill value is masked.
        if (is_lossless && more.find("fill") != std::string::npos) continue;
        result.push_back(compressed(shape, (is_lossless ? "" : "r2r:1e-2,") + method + more));
      }
    }
  }
  return result;
}

}  // namespace

std::vector<Bytes> stream_seeds() {
  auto const last = Order::last_fastest;
  return streams_of({{Dtype::f32, last, 1, {2100}},
                     {Dtype::f64, Order::first_fastest, 2, {37, 41}},
                     {Dtype::f32, last, 3, {9, 17, 20}},
                     {Dtype::i16, last, 2, {40, 50}},
                     {Dtype::i8, last, 1, {3000}}});
}

std::vector<Bytes> small_stream_seeds() {
  auto const last = Order::last_fastest;
  return streams_of({{Dtype::f64, last, 1, {1}}, {Dtype::f32, last, 3, {4, 1, 3}}});
}

Bytes long_stream_seed() {
  FieldShape shape;
  shape.dtype = Dtype::u32;
  shape.rank = 1;
  shape.extents[0] = 20000;
  Bytes values(shape.bytes());
  std::uint32_t state = 1;
  for (std::byte& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<std::byte>(state >> 24);
  }
  return compressed(values, shape, Options{ErrorBound::lossless()});
}

void take_stream(std::span<std::byte const> stream) {
  StreamInfo info;
  if (!succeeds([&] { info = inspect(stream); })) return;
  std::size_t const values = info.shape.size();
  if (values > max_values) return;
  std::size_t const bytes = size_of(info.shape.dtype);
  // In memory of exactly these sizes, so that a sanitizer sees an access beyond.
  std::unique_ptr<std::byte[]> const copy(new std::byte[stream.size()]);
  std::memcpy(copy.get(), stream.data(), stream.size());
  std::span<std::byte const> const own(copy.get(), stream.size());
  Choices choose(stream);
  AnyCodec& codec = codec_of(choose.below(4) == 0 ? default_space() : Space::serial);

  std::unique_ptr<std::byte[]> const whole(new std::byte[values * bytes]);
  bool const is_sound = succeeds([&] {
    codec.decompress(own, MemoryOf::host, FieldData{whole.get(), info.shape}, MemoryOf::host);
  });

  Box box;
  box.rank = info.shape.rank;
  FieldShape part = info.shape;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    std::size_t const extent = info.shape.extents[i];
    box.begin[i] = choose.below(extent + 1);
    box.end[i] = box.begin[i] + choose.below(extent - box.begin[i] + 1);
    part.extents[i] = box.end[i] - box.begin[i];
  }
  std::unique_ptr<std::byte[]> const region(new std::byte[part.size() * bytes]);
  bool const region_is_sound = succeeds([&] {
    codec.decompress(own, MemoryOf::host, FieldData{region.get(), part}, MemoryOf::host, box);
  });
  if (!is_sound) return;
  require(region_is_sound, "a box of a sound stream is refused");
  auto const whole_strides = strides_of(info.shape), part_strides = strides_of(part);
  for (std::size_t n = 0; n < part.size(); ++n) {
    std::size_t rest = n;
    std::int64_t from = 0, to = 0;
    for (std::size_t i = static_cast<std::size_t>(box.rank); i-- > 0;) {
      std::size_t const at = rest % part.extents[i];
      rest /= part.extents[i];
      from += static_cast<std::int64_t>(box.begin[i] + at) * whole_strides[i];
      to += static_cast<std::int64_t>(at) * part_strides[i];
    }
    require(std::memcmp(whole.get() + static_cast<std::size_t>(from) * bytes,
                        region.get() + static_cast<std::size_t>(to) * bytes, bytes) == 0,
            "a box is not the same part of the whole");
  }
}

void repair_stream(Bytes& bytes, std::size_t begin) {
  if (bytes.size() < begin + impl::header_bytes) return;
  std::size_t const room = bytes.size() - begin;
  std::size_t const sections = number_at(bytes, begin + impl::at::sections, 1);
  std::size_t const table_end = impl::header_bytes + sections * impl::section_entry_bytes;
  if (table_end > room) return;
  for (std::size_t i = 0; i < sections; ++i) {
    std::size_t const entry = begin + impl::header_bytes + i * impl::section_entry_bytes;
    auto const id = static_cast<std::uint32_t>(number_at(bytes, entry, 4));
    std::size_t const offset = number_at(bytes, entry + 8, 8),
                      size = number_at(bytes, entry + 16, 8);
    bool const has_one = id != static_cast<std::uint32_t>(impl::SectionId::chunk_index) &&
                         id != static_cast<std::uint32_t>(impl::SectionId::payload);
    if (!has_one || offset > room || size > room - offset) continue;
    set_number(bytes, entry + 4, impl::checksum_bytes(bytes.data() + begin + offset, size, id), 4);
  }
  set_number(bytes, begin + impl::at::checksum, 0, 4);
  set_number(bytes, begin + impl::at::checksum,
             impl::checksum_bytes(bytes.data() + begin, table_end, 0), 4);
}

void repair_archive(std::span<std::byte> bytes) {
  // Where blocks begin and how long they are, they say themselves. An index may have copies of bundles inside: these come first.
  for (std::size_t at = bytes.size() / impl::record_alignment * impl::record_alignment;
       at >= impl::record_alignment;) {
    at -= impl::record_alignment;
    std::span<std::byte const> const rest(bytes.data() + at, bytes.size() - at);
    if (rest.size() < impl::block_header_bytes) continue;
    std::uint64_t const place = impl::ByteReader(rest.subspan(16)).number(8);
    auto const block = impl::read_block_header(rest, place, place + rest.size());
    if (!block) continue;
    constexpr std::size_t checksum = 12;
    impl::put(bytes.data() + at + checksum, 0, 4);
    impl::put(bytes.data() + at + checksum,
              impl::checksum_bytes(bytes.data() + at, static_cast<std::size_t>(block->bytes),
                                   static_cast<std::uint32_t>(block->kind)),
              4);
  }
}

}  // namespace kompakt::fuzz
