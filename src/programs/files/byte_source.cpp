#include "byte_source.hpp"
#include <algorithm>
#include <array>
#include <kompakt/error.hpp>
#include <utility>

namespace kompakt::files {

namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(InputFile file) : m_file(std::move(file)) {}

  bool can_rewind() const override { return m_file.bytes().has_value(); }
  void rewind() override { m_file.seek(0); }
  std::size_t read(std::span<std::byte> to) override { return m_file.read(to); }

 private:
  InputFile m_file;
};

class PipeSource final : public ByteSource {
 public:
  PipeSource(std::vector<std::byte> front, InputFile pipe)
      : m_front(std::move(front)), m_pipe(std::move(pipe)) {}

  bool can_rewind() const override { return false; }
  void rewind() override { m_pipe.seek(0); }  // which refuses it
  std::size_t read(std::span<std::byte> to) override {
    std::size_t const count = std::min(m_front.size() - m_taken, to.size());
    std::copy_n(m_front.begin() + static_cast<std::ptrdiff_t>(m_taken), count, to.begin());
    m_taken += count;
    return count + m_pipe.read(to.subspan(count));
  }

 private:
  std::vector<std::byte> m_front;
  InputFile m_pipe;
  std::size_t m_taken = 0;
};

// The sum of zip and gzip: the polynomial 0x04c11db7, bits reversed.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
    table[i] = sum;
  }
  return table;
}();

class CheckedSource final : public ByteSource {
 public:
  CheckedSource(std::unique_ptr<ByteSource> source, std::uint64_t bytes, std::uint32_t crc,
                std::string label)
      : m_source(std::move(source)), m_bytes(bytes), m_crc(crc), m_label(std::move(label)) {}

  bool can_rewind() const override { return m_source->can_rewind(); }
  void rewind() override {
    m_source->rewind();
    m_sum = ~std::uint32_t{0};
    m_read = 0;
  }
  std::size_t read(std::span<std::byte> to) override {
    std::size_t const count = m_source->read(to);
    for (std::byte const byte : to.first(count)) {
      m_sum = (m_sum >> 8) ^ crc_table[(m_sum ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    }
    m_read += count;
    bool const is_short = count < to.size() && m_read < m_bytes;
    if (is_short || m_read > m_bytes || (m_read == m_bytes && ~m_sum != m_crc)) {
      throw Error(Status::corrupt, "'" + m_label + "' is damaged: its checksum does not match",
                  "copy the file again");
    }
    return count;
  }

 private:
  std::unique_ptr<ByteSource> m_source;
  std::uint64_t m_bytes, m_read = 0;
  std::uint32_t m_crc, m_sum = ~std::uint32_t{0};
  std::string m_label;
};

}  // namespace

std::unique_ptr<ByteSource> read_bytes(InputFile file) {
  return std::make_unique<FileSource>(std::move(file));
}

std::unique_ptr<ByteSource> read_behind(std::vector<std::byte> front, InputFile pipe) {
  return std::make_unique<PipeSource>(std::move(front), std::move(pipe));
}

std::unique_ptr<ByteSource> checked(std::unique_ptr<ByteSource> source, std::uint64_t bytes,
                                    std::uint32_t crc, std::string label) {
  return std::make_unique<CheckedSource>(std::move(source), bytes, crc, std::move(label));
}

}  // namespace kompakt::files
