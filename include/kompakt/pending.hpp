#ifndef KOMPAKT_PENDING_HPP
#define KOMPAKT_PENDING_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/workspace.hpp>
#include <optional>

namespace kompakt {

namespace impl {

struct EncodeResult;
struct DecodeResult;

// What has been enqueued and what its end needs to know.
template <class Exec>
struct CompressCall {
  Exec exec;
  EncodeResult const* result = nullptr;  // in memory that both sides reach
  StreamInfo asked{};                    // what of the header was known beforehand
  std::size_t capacity_bytes = 0;
  std::byte* stream = nullptr;           // to pack at the end; null: it stays as it is
  Workspace<Exec>* workspace = nullptr;  // then
  std::optional<FieldSource> field{};    // to say what is wrong with it
  FillValue fill{};
  mutable bool has_ended = false;  // somebody has waited for it
};
template <class Exec>
struct DecompressCall {
  Exec exec;
  std::byte const* stream = nullptr;
  std::size_t memory_bytes = 0;  // of the stream, or of memory that begins with one
  bool exact = true;             // which of both
  Workspace<Exec>* workspace = nullptr;
  FieldTarget field{};                  // staged: it is written by the end
  std::int64_t const* chunk = nullptr;  // or the one to decode, into a field of 4096 values
  DecodeResult* result = nullptr;       // none: nothing is left to do
  bool knows_header = false;         // info is what it says; what is left is to wait and to judge
  StreamInfo info{};                 // then, and if nothing is left to do
  char const* where = "decompress";  // the public function that began it
};

template <class Exec>
StreamInfo finish_compress(CompressCall<Exec> const& call);
template <class Exec>
StreamInfo finish_decompress(DecompressCall<Exec> const& call);

}  // namespace impl

/// A compression that compress_async() has enqueued. Field, stream and workspace must live, and the
/// workspace may serve no other call, until finish() has returned.
template <class Exec>
class [[nodiscard]] PendingCompression {
 public:
  explicit PendingCompression(impl::CompressCall<Exec> const& call,
                              CompressedStream<typename Exec::memory_space>* out = nullptr)
      : m_call(call), m_out(out) {}

  /// Waits for the instance. May be called once for each time the call has run: again after every
  /// launch of a graph into which it was captured.
  /// \returns what the header of the stream says
  /// \throws Error buffer_too_small if the stream did not fit, device if a kernel failed
  StreamInfo finish() {
    StreamInfo const info = impl::finish_compress(m_call);
    if (m_out != nullptr) m_out->set_info(info);
    return info;
  }
  impl::CompressCall<Exec> const& call() const { return m_call; }

 private:
  impl::CompressCall<Exec> m_call;
  CompressedStream<typename Exec::memory_space>* m_out;
};

/// A decompression that decompress_async() has enqueued. Field, stream and workspace must live, and the workspace may serve no other
/// call, until finish() has returned; the values are valid then.
template <class Exec>
class [[nodiscard]] PendingDecompression {
 public:
  explicit PendingDecompression(impl::DecompressCall<Exec> const& call) : m_call(call) {}

  /// Waits for the instance and judges the stream; decodes it now if the device could not take it as
  /// it came (see decompress_async()). May be called again after every launch of a graph, and for a box once.
  /// \returns what the header of the stream says
  /// \throws Error as decompress(); of a box, corrupt for damage in the chunks that it touches, or in the codebook
  StreamInfo finish() { return impl::finish_decompress(m_call); }

 private:
  impl::DecompressCall<Exec> m_call;
};

}  // namespace kompakt

#endif
