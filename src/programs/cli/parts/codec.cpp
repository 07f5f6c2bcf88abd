#include "codec.hpp"
#include <chrono>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <new>
#include <string>

namespace kompakt::cli {

namespace {

/// Seconds that call() takes.
template <class Call>
double seconds(AnyCodec const& codec, Call const& call) {
  codec.fence();
  auto const begin = std::chrono::steady_clock::now();
  call();
  codec.fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Compressor::Compressor(Space space, Options const& options, ChoiceRecord const& reason)
    : m_codec(space), m_options(options), m_reason(reason), m_field(space), m_stream(space) {}

Compressor::Result Compressor::compress(FieldShape const& shape, std::span<std::byte const> field) {
  m_turn = 1 - m_turn;
  bool const on_host = is_on_host(m_codec.space());
  std::size_t const most = max_compressed_bytes(shape, m_options);
  auto const values = on_host ? field : m_field.copy_of(field);
  auto const out = on_host ? m_host[m_turn].room(most) : m_stream.room(most);
  StreamInfo info;
  double const elapsed_s = seconds(m_codec, [&] {
    info = m_codec.compress(ConstFieldData(values.data(), shape), MemoryOf::space, m_options, out,
                            MemoryOf::space, m_reason);
  });
  if (on_host) return {out.first(info.bytes), info, elapsed_s};
  std::span<std::byte> const stream = m_host[m_turn].room(info.bytes);
  m_stream.copy_to(stream);
  return {stream, info, elapsed_s};
}

FieldRange Compressor::range_of(FieldShape const& shape, std::span<std::byte const> field,
                                FillValue const& fills) {
  return m_codec.field_range(ConstFieldData(field.data(), shape), MemoryOf::host, fills);
}

Decompressor::Decompressor(Space space) : m_codec(space), m_field(space), m_stream(space) {}

double Decompressor::decompress(std::span<std::byte const> stream, std::optional<Box> const& region,
                                FieldShape const& shape, std::span<std::byte> field) {
  bool const on_host = is_on_host(m_codec.space());
  auto const input = on_host ? stream : m_stream.copy_of(stream);
  auto const values = on_host ? field : m_field.room(field.size());
  FieldData const target{values.data(), shape};
  double const elapsed_s = seconds(m_codec, [&] {
    if (region) {
      m_codec.decompress(input, MemoryOf::space, target, MemoryOf::space, *region);
    } else {
      m_codec.decompress(input, MemoryOf::space, target, MemoryOf::space);
    }
  });
  if (!on_host) m_field.copy_to(field);
  return elapsed_s;
}

void make_room(std::vector<std::byte>& memory, std::size_t bytes, std::string const& what) {
  if (bytes > memory.capacity())
    memory = {};  // first, so that old and new never exist side by side
  try {
    if (bytes > memory.max_size()) throw std::bad_alloc();
    memory.resize(bytes);
  } catch (std::bad_alloc const&) {
    throw Error(Status::device,
                "no memory for the " + std::to_string(bytes) + " bytes of the " + what,
                "take a part of the field with 'kompakt extract', or a machine with more memory");
  }
}

std::vector<std::byte> decompress_stream(AnyCodec& codec, std::span<std::byte const> stream,
                                         StreamInfo const& info) {
  std::vector<std::byte> field;
  make_room(field, info.shape.bytes(), "field");
  codec.decompress(stream, MemoryOf::host, FieldData{field.data(), info.shape}, MemoryOf::host);
  return field;
}

std::vector<std::byte> extract_region(AnyCodec& codec, std::span<std::byte const> stream,
                                      FieldShape const& shape, Box const& region) {
  std::vector<std::byte> field;
  make_room(field, shape.bytes(), "region");
  codec.decompress(stream, MemoryOf::host, FieldData{field.data(), shape}, MemoryOf::host, region);
  return field;
}

}  // namespace kompakt::cli
