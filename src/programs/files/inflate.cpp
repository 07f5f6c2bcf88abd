#include "byte_source.hpp"
#include "library.hpp"
#include <algorithm>
#include <kompakt/error.hpp>
#include <limits>
#include <utility>
#include <vector>
#include <zlib.h>

namespace kompakt::files {

namespace {

/// Functions of zlib under their names.
struct Zlib {
  Library m_library{KOMPAKT_ZLIB_LIBRARY, "zlib"};
  decltype(::inflateInit2_)* const inflateInit2_ =
      m_library.find<decltype(::inflateInit2_)>("inflateInit2_");
  decltype(::inflate)* const inflate = m_library.find<decltype(::inflate)>("inflate");
  decltype(::inflateReset)* const inflateReset =
      m_library.find<decltype(::inflateReset)>("inflateReset");
  decltype(::inflateEnd)* const inflateEnd = m_library.find<decltype(::inflateEnd)>("inflateEnd");
};

Zlib const& zlib() {
  static Zlib const functions;
  return functions;
}

class InflatedSource final : public ByteSource {
 public:
  InflatedSource(InputFile file, std::string label)
      : m_file(std::move(file)), m_label(std::move(label)) {
    require(zlib().inflateInit2_(&m_stream, -MAX_WBITS, ZLIB_VERSION, sizeof(m_stream)) == Z_OK);
  }
  ~InflatedSource() override { zlib().inflateEnd(&m_stream); }

  void rewind() override {
    require(zlib().inflateReset(&m_stream) == Z_OK);
    m_stream.avail_in = 0;
    m_file.seek(0);
    m_is_at_end = false;
  }
  std::size_t read(std::span<std::byte> to) override {
    std::size_t filled = 0;
    while (filled < to.size() && !m_is_at_end) filled += read_some(to.subspan(filled));
    return filled;
  }

 private:
  std::size_t read_some(std::span<std::byte> to) {
    constexpr std::size_t max_at_once = std::size_t{1} << 30;
    if (m_stream.avail_in == 0) {
      m_stream.avail_in = static_cast<uInt>(m_file.read(m_input));
      m_stream.next_in = reinterpret_cast<Bytef*>(m_input.data());
    }
    std::size_t const room = std::min(to.size(), max_at_once);
    m_stream.next_out = reinterpret_cast<Bytef*>(to.data());
    m_stream.avail_out = static_cast<uInt>(room);
    int const status = zlib().inflate(&m_stream, Z_NO_FLUSH);
    m_is_at_end = status == Z_STREAM_END;
    require(status == Z_OK || m_is_at_end);  // also where the input ends early: Z_BUF_ERROR
    return room - m_stream.avail_out;
  }

  void require(bool holds) const {
    if (holds) return;
    throw Error(Status::corrupt, "'" + m_label + "' is damaged: it cannot be inflated",
                "copy the file again");
  }

  InputFile m_file;
  std::string m_label;
  std::vector<std::byte> m_input = std::vector<std::byte>(std::size_t{1} << 16);
  z_stream m_stream{};
  bool m_is_at_end = false;
};

}  // namespace

bool has_inflate() noexcept { return true; }

std::unique_ptr<ByteSource> read_inflated(InputFile file, std::string label) {
  return std::make_unique<InflatedSource>(std::move(file), std::move(label));
}

}  // namespace kompakt::files
