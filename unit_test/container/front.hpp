#ifndef KOMPAKT_UNIT_TEST_CONTAINER_FRONT_HPP
#define KOMPAKT_UNIT_TEST_CONTAINER_FRONT_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <coder/huffman/codebook.hpp>
#include <container/reader.hpp>
#include <functional>
#include <kompakt/error.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace kompakt {

/// For GoogleTest's messages.
inline void PrintTo(Status status, std::ostream* out) { *out << to_string(status); }

}  // namespace kompakt

namespace kompakt::test {

/// What the codebook of 704 bytes begins with that lists every symbol.
inline impl::huffman::CodebookHead codebook_head() {
  impl::huffman::CodebookHead head;
  head.radius = impl::huffman::default_radius;
  head.first_symbol = 1;
  head.symbols = 2 * impl::huffman::default_radius - 1;
  return head;
}
/// The sections of a stream of a pipeline that not all have.
inline impl::ExtraBytes extra_of(Pipeline pipeline) {
  return {0, pipeline == Pipeline::huffman ? codebook_head().section_bytes() : 0};
}

/// Bytes of a stream whose header can be bent, member by member, and made to look sound again.
class Front {
 public:
  explicit Front(impl::Header const& fields)
      : m_layout(fields.layout()),
        m_rank(fields.shape.rank),
        m_bytes(m_layout.payload + fields.payload_bytes, std::byte{0x5a}) {
    impl::write_header(fields, m_bytes.data());
    std::size_t const end_of_index = m_layout.index + m_layout.index_bytes;
    std::fill(m_bytes.begin() + static_cast<std::ptrdiff_t>(end_of_index),
              m_bytes.begin() + static_cast<std::ptrdiff_t>(m_layout.payload), std::byte{0});
    if (fields.extra.coder > 0) put(m_layout.coder, codebook_head().word(), 8);
  }

  std::vector<std::byte> const& bytes() const { return m_bytes; }
  impl::StreamLayout const& layout() const { return m_layout; }
  std::size_t shape_bytes() const { return impl::shape_section_bytes(m_rank); }

  Front& put(std::size_t offset, std::uint64_t value, int count) {
    impl::put(m_bytes.data() + offset, value, count);
    return *this;
  }
  Front& flip(std::size_t bit) {
    m_bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    return *this;
  }
  Front& resize(std::size_t bytes) {
    m_bytes.resize(bytes);
    return *this;
  }

  enum class Member : std::size_t { id = 0, checksum = 4, offset = 8, bytes = 16 };
  static std::size_t entry(int section, Member member) {
    return impl::header_bytes + static_cast<std::size_t>(section) * impl::section_entry_bytes +
           static_cast<std::size_t>(member);
  }
  /// Position of one of the three numbers of an axis: extent, origin, extent of the whole.
  std::size_t axis(int index, int number) const {
    return m_layout.shape + 8 + 24 * static_cast<std::size_t>(index) +
           8 * static_cast<std::size_t>(number);
  }

  /// Makes both checksums right again, so that what follows is what refuses the stream.
  Front& repair(int sections = impl::section_count) {
    put(entry(0, Member::checksum),
        impl::checksum_bytes(m_bytes.data() + m_layout.shape, shape_bytes(),
                             static_cast<std::uint32_t>(impl::SectionId::shape)),
        4);
    put(impl::at::checksum, 0, 4);
    std::size_t const table_end =
        impl::header_bytes + static_cast<std::size_t>(sections) * impl::section_entry_bytes;
    return put(impl::at::checksum, impl::checksum_bytes(m_bytes.data(), table_end, 0), 4);
  }

  StreamInfo read_info() const { return impl::info_of(read()); }
  impl::Header read() const { return impl::read_header(m_bytes, m_bytes.size()); }
  /// What read_header() ends with; ok if it accepts.
  Status status() const {
    return status_of([this] { read(); });
  }
  /// What the Error says; empty if the header is accepted.
  std::string refusal() const {
    try {
      read();
    } catch (Error const& e) {
      return e.what();
    }
    return "";
  }
  static Status status_of(std::function<void()> const& call) {
    try {
      call();
    } catch (Error const& e) {
      EXPECT_TRUE(e.where().empty() || e.where() == "inspect") << e.what();
      return e.status();
    }
    return Status::ok;
  }

 private:
  impl::StreamLayout m_layout;
  int m_rank;
  std::vector<std::byte> m_bytes;
};

/// A header in which every member differs from its default.
inline impl::Header example_fields() {
  impl::Header h;
  h.variant = Variant::outlier;
  h.shape.dtype = Dtype::f64;
  h.shape.order = Order::first_fastest;
  h.shape.rank = 3;
  h.shape.extents = {100, 50, 20};
  h.reason_bits = 0x801102401;  // for ratio; 8, 4 and 2
  h.bound = ErrorBound::relative_to_range(1e-3);
  h.tile_shape = TileShape::brick;
  h.abs_bound = 0.25;
  h.constant = true;
  h.constant_bits = 0x0123456789abcdef;
  h.exceptions = 77;
  h.payload_bytes = 4096;
  return h;
}

}  // namespace kompakt::test

#endif
