#ifndef KOMPAKT_STREAM_READER_HPP
#define KOMPAKT_STREAM_READER_HPP

#include <Kokkos_Core.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/stream.hpp>
#include <memory>

namespace kompakt {

namespace impl {

template <class Exec>
struct OpenedStream;  // src/codec/pipeline/opened_stream.hpp

template <class Exec>
std::shared_ptr<OpenedStream<Exec> const> open_stream(Exec const& exec,
                                                      StreamSource<Exec> const& stream);
template <class Exec>
StreamInfo info_of(OpenedStream<Exec> const& opened);
template <class Exec>
void check_chunks(Exec const& exec, OpenedStream<Exec> const& opened);

}  // namespace impl

/// A stream whose header has been read and checked once, to be decoded part by part without the host: tile by tile in
/// the kernels of a user (device.hpp), or slab by slab (slab_reader.hpp). A handle; copies share what it holds, a few
/// hundred bytes and the tables of a codebook.
///
/// Nothing of the stream is trusted: what lies behind the header is judged where it is decoded, so that damage is told
/// there and never leads outside of the stream.
template <class Exec>
class StreamReader {
 public:
  /// Reads the header, with one fence of exec, and enqueues on exec what makes the tables of a codebook.
  /// \param stream  bytes in exec's memory, 16-byte aligned, exactly one stream; or a stream object. It must live, and
  ///                stay as it is, as long as anything reads it
  /// \throws Error bad_magic, unsupported_version or corrupt for a damaged header; bad_argument for a stream that cannot be
  ///         decoded part by part: a packed one, one of `interpolate`, whose tiles need others, or of integers; device
  ///         if there is no memory
  StreamReader(Exec const& exec, impl::StreamArgument<Exec> const& stream)
      : m_opened(impl::open_stream(exec, stream)), m_info(impl::info_of(*m_opened)) {}

  /// Header of the stream.
  StreamInfo const& info() const noexcept { return m_info; }

  /// Judges index and checksums of all chunks, with one fence of exec. Reads the stream once.
  /// \throws Error corrupt if something does not match
  void check(Exec const& exec) const { impl::check_chunks(exec, *m_opened); }

  // What follows is for the library.
  impl::OpenedStream<Exec> const& opened() const noexcept { return *m_opened; }

 private:
  std::shared_ptr<impl::OpenedStream<Exec> const> m_opened;
  StreamInfo m_info;
};

}  // namespace kompakt

#endif
