#ifndef KOMPAKT_ANY_CODEC_HPP
#define KOMPAKT_ANY_CODEC_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/box.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/options.hpp>
#include <kompakt/spaces.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kompakt {

/// Which memory a field or a stream lies in.
enum class MemoryOf : std::uint8_t {
  host = 0,   ///< memory of host code; it is copied to and from a device
  space = 1,  ///< memory of kernels of the codec's space; the same memory for a space of the host
};

/// The calls of the library with all types known only at run time: execution space, value type, rank, strides and
/// memory. It is for bindings of other languages, plugins and programs. The calls have the results, errors and
/// bytes of the templates with the same names. A moved-from codec can only be assigned to or destroyed.
///
/// Every call returns after completion. Nothing is timed; callers can use fence(). A codec keeps workspace and buffers
/// between calls, which only grow. One thread at a time may use it, and it must be destroyed before Kokkos is
/// finalised. Memory in the space needs the alignment of the templates, 16 bytes for streams.
/// In host memory streams need no alignment, and fields need the alignment of their values.
///
/// Host memory and a space of a device: a field travels through two pinned buffers of up to 4 MiB into or out of a
/// copy that the workspace has there; a stream is copied as it is. A call that fails has written nothing to it.
class AnyCodec {
 public:
  /// On the default instance of a space.
  /// \throws Error device if this build lacks the space, or if Kokkos is not initialised
  explicit AnyCodec(Space space = default_space());
  /// On the default instance of a space that is named as parse_space() takes it; empty for the default space.
  /// \throws Error as above, bad_argument for a word that is not known
  explicit AnyCodec(std::string_view space) : AnyCodec(parse_space(space)) {}
  /// Enqueues all kernels and copies on an instance of the caller, and keeps a copy of this instance.
  template <SupportedSpace Exec>
  explicit AnyCodec(Exec const& exec) : AnyCodec(space_of<Exec>, &exec) {}
  ~AnyCodec();
  AnyCodec(AnyCodec&&) noexcept;
  AnyCodec& operator=(AnyCodec&&) noexcept;

  Space space() const noexcept;
  /// Waits until the instance has done all that was enqueued on it, by anybody.
  /// \throws Error device if something of it failed
  void fence() const;
  /// Bytes that it holds in the memory of the space, workspace and buffers.
  std::size_t capacity_bytes() const noexcept;

  /// Compresses a field. Options with a goal are first completed by choose(), and the stream stores its reason.
  /// \param stream  destination; max_compressed_bytes() is always enough
  /// \param reason  why choose() took these options; stored in the stream
  /// \returns the header; the stream is the first `bytes` bytes of `stream`
  /// \throws Error bad_argument for a field or an option that cannot be used, buffer_too_small, device
  StreamInfo compress(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                      std::span<std::byte> stream, MemoryOf stream_in,
                      ChoiceRecord const& reason = {});

  /// Compresses many fields, each into its own stream.
  /// \param bounds   one for each field; empty: all fields have the bound of the options
  /// \param streams  one for each field, as the stream of compress()
  /// \param reason   why choose() took these options; stored in every stream
  /// \returns the headers, in the order of the fields
  /// \throws Error as compress(), and bad_argument if there are not as many bounds or streams as fields
  std::vector<StreamInfo> compress_batch(std::span<ConstStridedData const> fields,
                                         MemoryOf fields_in, std::span<ErrorBound const> bounds,
                                         Options const& options,
                                         std::span<std::span<std::byte> const> streams,
                                         MemoryOf streams_in, ChoiceRecord const& reason = {});

  /// Decompresses a stream from anywhere, or a box of its field; nothing in it is trusted.
  /// \param stream  exactly one; for a box also the result of read_region()
  /// \param field   of the stream's value type and extents, or of the extents of the box, in any order and with any strides
  /// \param box     one number for each index of the stream's field; none: the whole field. Only the chunks that it touches are
  ///                decoded
  /// \returns the header
  /// \throws Error bad_magic, unsupported_version or corrupt for a damaged stream, type_mismatch if type or
  ///         extents differ, bad_argument also for a box that does not lie in the field, device
  StreamInfo decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                        StridedData const& field, MemoryOf field_in,
                        std::optional<Box> const& box = {});

  /// Decompresses the field of a stream or sequence, or a box of it, frame by frame, with additional memory for one frame.
  /// \param frames  at the first frame; read to the end. For a box, only the chunks that it touches are read; of a pipe all are
  /// \param field   of the type and extents of the whole, or of the box
  /// \param box     one number for each index of the whole; none: all of it
  /// \returns the combined header of the frames
  /// \throws Error as decompress() of a stream and FrameReader; what has been written to the field by then stays
  StreamInfo decompress(FrameReader& frames, StridedData const& field, MemoryOf field_in,
                        std::optional<Box> const& box = {});

  /// Finds the range that a bound relative to it is resolved with, and the fill value.
  /// \throws Error bad_argument for a field that cannot be used, device
  FieldRange field_range(ConstStridedData const& field, MemoryOf field_in, FillValue const& fill);

  /// Chooses pipeline, variant and predictor for a goal by compressing a sample.
  /// \throws Error as compress()
  Choice choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                Goal goal);

  /// Compares two fields of the same type, extents and order, with any strides.
  /// \param bound  to check: absolute, or relative to each value, such as StreamInfo::resolved()
  /// \throws Error type_mismatch if they are not the same, bad_argument for another bound and for
  ///         integers of 2^53 or more, device
  ErrorStats error_stats(ConstStridedData const& original, MemoryOf original_in,
                         ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                         ErrorBound const& bound);
  /// Compares two fields as error_stats() does, with more numbers and what `options` asks for.
  Metrics metrics(ConstStridedData const& original, MemoryOf original_in,
                  ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                  ErrorBound const& bound, MetricsOptions const& options = {});

 private:
  StreamInfo decompress_box(FrameReader& frames, Box const& box, StridedData const& region,
                            MemoryOf region_in);

  class Calls;
  template <class Exec>
  class CallsOn;
  /// \param instance  of the space, or none for the default one
  AnyCodec(Space space, void const* instance);

  std::unique_ptr<Calls> m_calls;
};

namespace impl {

/// A field as AnyCodec takes it: it finds the parts of complex numbers itself. What takes the parts for numbers of their own gives
/// each the bound of the whole.
template <class Exec, FieldLike F>
FieldSource whole_source_of(F const& field) {
  return {whole_values<ConstStridedData>(field), source_of<Exec>(field).access};
}
template <class Exec, FieldLike F>
FieldTarget whole_target_of(F const& field) {
  return {whole_values<StridedData>(field), target_of<Exec>(field).access};
}

}  // namespace impl

}  // namespace kompakt

#endif
