#ifndef KOMPAKT_FIELD_STREAM_HPP
#define KOMPAKT_FIELD_STREAM_HPP

#include <iosfwd>
#include <kompakt/any_codec.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/spaces.hpp>
#include <kompakt/stream.hpp>
#include <vector>

// Single fields in streams of bytes of C++, among whatever else is there: what serializers of other libraries call.

namespace kompakt {

namespace impl {

/// Implementation of a FieldStreams, with execution space and types known only at run time.
class AnyFieldStreams {
 public:
  explicit AnyFieldStreams(AnyCodec codec) : m_codec(std::move(codec)) {}
  StreamInfo write(std::ostream& out, FieldSource const& field, Options const& options);
  StreamInfo read(std::istream& in, FieldTarget const& field);

 private:
  AnyCodec m_codec;
  std::vector<std::byte> m_stream;
};

}  // namespace impl

/// Writes Views to a std::ostream and reads them from a std::istream. It keeps its buffers between calls; one thread
/// uses it.
template <SupportedSpace Exec>
class FieldStreams {
 public:
  explicit FieldStreams(Exec const& exec) : m_work(AnyCodec(exec)) {}

  /// Writes a field: how many bytes its stream has, in 8 bytes, and the stream.
  /// \throws Error io if `out` fails; as compress()
  /// \note waits for the instance
  template <FieldLike F>
  StreamInfo write(std::ostream& out, F const& view, Options const& options) {
    return m_work.write(out, impl::whole_source_of<Exec>(view), options);
  }
  /// Reads what write() has written, and nothing behind it. Safe on untrusted bytes.
  /// \param view  of its type and extents
  /// \throws Error io if `in` fails or ends before; as decompress()
  template <FieldLike F>
  StreamInfo read(std::istream& in, F const& view) {
    return m_work.read(in, impl::whole_target_of<Exec>(view));
  }

 private:
  impl::AnyFieldStreams m_work;
};

}  // namespace kompakt

#endif
