#ifndef KOMPAKT_STREAM_HPP
#define KOMPAKT_STREAM_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <kompakt/choice_record.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/io.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/options.hpp>
#include <kompakt/prediction.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kompakt {

/// Whether values are coded as numbers of another type, to be rounded: integers, f16 and bf16 within a bound.
KOKKOS_INLINE_FUNCTION constexpr bool are_rounded(Dtype dtype, ErrorBound::Mode mode) {
  return !is_number(dtype) && mode != ErrorBound::Mode::lossless;
}
/// Whether integers of a type may be no numbers of f64, so that a bound holds for a whole field or not at all: parts of it would
/// differ.
constexpr bool may_be_too_large(Dtype dtype, ErrorBound const& bound) {
  return are_rounded(dtype, bound.mode) && is_integer(dtype) && size_of(dtype) == 8;
}

namespace impl {

/// The type as which the values of a field are coded. Within a bound values of 16 bits and less are coded in f32, which holds all of
/// them, and larger integers in f64, which holds those up to 2^53. Values without loss, and numbers, stay what they are.
KOKKOS_INLINE_FUNCTION constexpr Dtype coded_type(Dtype dtype, ErrorBound::Mode mode) {
  if (!are_rounded(dtype, mode)) return dtype;
  return size_of(dtype) <= 2 ? Dtype::f32 : Dtype::f64;
}
constexpr FieldShape with_coded_type(FieldShape shape, ErrorBound::Mode mode) {
  shape.dtype = coded_type(shape.dtype, mode);
  return shape;
}

}  // namespace impl

/// Place of the field of a stream in a larger one that is stored part by part. A stream of a whole field
/// begins at 0 and has the extents of the whole.
struct FramePart {
  std::array<std::size_t, max_rank>
      origin{};  ///< of the part's first value, in the order of indices
  std::array<std::size_t, max_rank> total{};  ///< extents of the whole; 0: not yet known

  static constexpr FramePart whole(FieldShape const& shape) {
    FramePart part;
    for (int i = 0; i < shape.rank; ++i) part.total[i] = shape.extents[i];
    return part;
  }
  friend bool operator==(FramePart const&, FramePart const&) = default;
};

/// Which codebook a stream of the pipeline huffman has.
struct CodebookInfo {
  int radius =
      0;  ///< Options::radius; 0: there is no codebook, by the pipeline or as the field has no values
  int dictionary = 0;  ///< id of the dictionary, 0 for a codebook that was made for the field
  bool symbols_only = false;   ///< each value has a code, masks and quads have none
  std::array<int, 3> books{};  ///< of a dictionary: numbers of the books of symbols, masks, quads;
                               ///< of symbols only: the last two are 0
  std::size_t bytes = 0;       ///< of its section

  friend bool operator==(CodebookInfo const&, CodebookInfo const&) = default;
};

/// Header of a stream.
struct StreamInfo {
  int version = 0;
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  ChoiceRecord reason{};  ///< why choose() took the pipeline, if it did
  FieldShape shape{};     ///< extents of the part, if the stream is a part
  FramePart part{};       ///< place in the larger field
  ErrorBound bound{};     ///< as the user asked
  double abs_bound =
      0;  ///< the resolved bound, of integers a whole number, of complex numbers the one of each part; 0 for a constant field or
          ///< lossless; of pwr, times |x|
  std::optional<Prediction> prediction = Prediction{};  ///< none: of frames that differ in it
  int axis = 0;  ///< the index that is coded as the fastest, an entry of the extents
  int second_axis =
      -1;  ///< the index that is coded next, and the one behind it; -1: the next one in memory
  int third_axis = -1;
  ValueSteps steps = ValueSteps::none();  ///< that values are made of; not automatic
  bool constant = false;                  ///< every value that is not an exception is the same one
  CodebookInfo codebook{};
  std::uint64_t exceptions =
      0;  ///< values stored bit for bit inside coded tiles; SZ and cuSZ: unpredictable values
  std::optional<double> fill;  ///< the fill value, whose places are masked, if there is one
  Limits limits{};             ///< that no value leaves which lay between them
  std::uint64_t chunks = 0;    ///< units that can be decoded alone
  bool checksum = false;
  bool packed = false;    ///< its chunks were packed (Options::pack), and that made it smaller
  std::size_t bytes = 0;  ///< of the whole stream

  /// The bound that every value keeps: absolute, relative to it, or lossless.
  ErrorBound resolved() const { return impl::resolved_bound(bound.mode, abs_bound); }
  /// Predictor in words: "constant", "mixed" if frames differ in it, or as
  /// to_string(Prediction).
  char const* predictor_word() const noexcept;
  bool is_part() const { return part != FramePart::whole(shape); }
};

/// Reads and checks header, section table and shape of a stream in host memory. Safe on untrusted
/// bytes: every number is checked before use, nothing behind the shape is touched.
/// \param stream  at least the first 1 KiB of a stream, or all of it
/// \throws Error bad_magic, unsupported_version, corrupt
StreamInfo inspect(std::span<std::byte const> stream);

/// inspect() where other bytes may follow the stream, however short it is, as in a sequence of frames.
/// \param start  the next 1 KiB, or all that is left
/// \throws Error as inspect()
StreamInfo inspect_next(std::span<std::byte const> start);

/// Makes a stream that compress() has written one of a part of a larger field: rewrites origins, totals and
/// the two checksums over them, nothing else.
/// \param stream  all of it, in host memory
/// \returns what its header says then
/// \throws Error as inspect(); bad_argument if the part does not fit into the whole
StreamInfo mark_part(std::span<std::byte> stream, FramePart const& part);

/// Bytes of a stream in the memory of MemSpace, with a copy of what its header says on the host.
/// Grow-only: used again for fields that are not larger, it allocates nothing.
template <class MemSpace>
class CompressedStream {
 public:
  using bytes_type = Kokkos::View<std::byte*, MemSpace>;

  /// \param capacity_bytes  memory to allocate now; compress() grows it when it needs more
  explicit CompressedStream(std::size_t capacity_bytes = 0) { reserve(capacity_bytes); }

  /// A stream from host memory (a file, a message), copied into MemSpace.
  /// \throws Error as inspect(); corrupt if there are more or fewer bytes than the stream has; bad_argument for a
  ///         sequence of frames: each frame is a stream by itself
  static CompressedStream from_host(std::span<std::byte const> stream) {
    StreamInfo const info = inspect(stream);
    if (info.bytes < stream.size() && info.is_part()) {
      throw Error(Status::bad_argument, "CompressedStream",
                  "these " + std::to_string(stream.size()) + " bytes begin with a frame of " +
                      std::to_string(info.bytes) + ", which is a part of a larger field",
                  "pass the frames one by one");
    }
    if (info.bytes != stream.size()) {
      throw Error(Status::corrupt, "CompressedStream",
                  "the header gives a size of " + std::to_string(info.bytes) +
                      " bytes, but there are " + std::to_string(stream.size()),
                  "");
    }
    CompressedStream result(stream.size());
    Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const source(
        stream.data(), stream.size());
    result.set_info(info);
    Kokkos::deep_copy(result.bytes(), source);
    return result;
  }

  /// Valid when the call that wrote the stream has returned.
  StreamInfo const& info() const { return m_info; }
  /// Exactly info().bytes long; contents change with the next call that writes the stream.
  bytes_type bytes() const {
    return Kokkos::subview(m_bytes, std::make_pair(std::size_t{0}, m_info.bytes));
  }
  std::size_t capacity_bytes() const { return m_bytes.extent(0); }

  /// A copy of the bytes in host memory: for a file, a message.
  /// \note waits for everything that has been enqueued on MemSpace's device
  std::vector<std::byte> to_host() const {
    std::vector<std::byte> host(m_info.bytes);
    Kokkos::deep_copy(Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          host.data(), host.size()),
                      bytes());
    return host;
  }
  /// Writes the stream to a file, as write_file() does.
  /// \throws Error io
  void save(std::filesystem::path const& path, Overwrite overwrite = Overwrite::no) const {
    write_file(path, to_host(), overwrite);
  }
  /// The stream of a file.
  /// \throws Error as read_file() and from_host()
  static CompressedStream load(std::filesystem::path const& path) {
    return from_host(read_file(path));
  }

  /// Makes room for `capacity_bytes`; the old contents are lost when memory is moved.
  /// \throws Error device if there is no memory
  void reserve(std::size_t capacity_bytes) {
    if (capacity_bytes <= m_bytes.extent(0)) return;
    m_info = StreamInfo{};
    impl::grow_bytes(m_bytes, capacity_bytes, "kompakt::stream::bytes");
  }
  std::byte* data() const { return m_bytes.data(); }
  void set_info(StreamInfo const& info) {
    m_info = info;
    expect({info.pipeline, info.variant, info.prediction.value_or(Prediction{}).method});
  }
  /// Coding of the stream that is here or that an unfinished call is about to write.
  impl::StreamCoding coding() const { return m_coding; }
  void expect(impl::StreamCoding coding) { m_coding = coding; }

 private:
  bytes_type m_bytes;
  StreamInfo m_info{};
  impl::StreamCoding m_coding{};
};

}  // namespace kompakt

#endif
