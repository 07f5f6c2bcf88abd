#ifndef KOMPAKT_PIPELINE_DECODE_CALL_HPP
#define KOMPAKT_PIPELINE_DECODE_CALL_HPP

#include <algorithm>
#include <container/copy_bytes.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <cstring>
#include <kompakt/pending.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dense_field.hpp>
#include <pipeline/index_order.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/region.hpp>
#include <vector>

// Where the arguments of a decompression come from and where its memory lies.

namespace kompakt::impl {

/// Largest radius of a stream that is decoded before its header is known.
inline constexpr int speculative_radius = Options{}.radius;

inline StreamCoding coding_of(Header const& header) {
  return {header.pipeline, header.variant, header.method};
}
inline int radius_of(Header const& header) { return info_of(header).codebook.radius; }

/// The header with its bound as kernels in an environment take it.
inline Header within(FpEnvironment const& environment, Header header) {
  header.abs_bound = environment.inside(header.abs_bound);
  return header;
}

inline DecodeResult* cleared(DecodeResult* result) {
  result->clear();
  return result;
}

/// The checked header of a call's stream, whose first bytes `front` holds.
template <class Exec>
Header checked_header(DecompressCall<Exec> const& call, std::byte const* front) {
  std::size_t const bytes = front_bytes(call.memory_bytes);
  Header const header = read_header({front, bytes}, call.exact ? call.memory_bytes : 0);
  if (header.bytes > call.memory_bytes) {
    throw Error(Status::corrupt, "the header gives a size of " + std::to_string(header.bytes) +
                                     " bytes, but there are " + std::to_string(call.memory_bytes));
  }
  if (call.chunk != nullptr) {
    if (has_levels(header.method)) {
      throw Error(Status::bad_argument, "chunks of a stream with levels cannot be decoded alone",
                  "take a region");
    }
    require_chunk(*call.chunk, static_cast<std::uint64_t>(header.chunks()));
  }
  return header;
}

/// The header of a call's stream, read and checked now; waits for it.
template <class Exec>
Header fetch_header(DecompressCall<Exec> const& call) {
  std::size_t const bytes = front_bytes(call.memory_bytes);
  std::byte* const front = call.workspace->readback_bytes(inspect_bytes);
  copy_out(call.exec, front, call.stream, bytes);
  call.exec.fence("kompakt::decompress: header");
  return checked_header(call, front);
}

/// Memory of a decompression of a whole field or one chunk.
template <class Exec, class T>
struct DecodeMemory {
  std::byte* coder_scratch;
  std::size_t coder_scratch_bytes;
  LevelParts levels;
  DecodeResult* result;
  DenseCopy<Exec> copy;

  /// \param shape   in whose order, and with the type as which, values are decoded
  /// \param method  of the stream's predictor
  /// \param has_limits  whether decoded values are moved to limits, which takes all of them as numbers
  void place(std::size_t scratch_bytes, FieldShape const& shape, DecompressCall<Exec> const& call,
             CallMemory& memory, PredictionMethod method, bool has_limits = true) {
    place(scratch_bytes, shape, call.field, memory, method, call.chunk == nullptr, has_limits);
  }
  void place(std::size_t scratch_bytes, FieldShape const& shape, FieldTarget const& field,
             CallMemory& memory, PredictionMethod method, bool has_copy = true,
             bool has_limits = true) {
    coder_scratch = memory.scratch.take<std::byte>(scratch_bytes);
    coder_scratch_bytes = scratch_bytes;
    levels = whole_levels(method, fold_shape(shape), memory.scratch);
    result = memory.readback.take<DecodeResult>();
    FieldShape as_stored = shape;
    as_stored.dtype = field.shape.dtype;
    if (has_copy) {
      copy.place({nullptr, as_stored, field.strides}, field.access, shape.dtype, memory, false,
                 !has_limits);
    }
  }
  /// Where integers are decoded to as they lie in the field; none: values are decoded to values().
  /// \param coded  as which they are coded
  void* narrow(DecompressCall<Exec> const& call, Dtype coded) const {
    Dtype const stored = call.field.shape.dtype;
    bool const are_others = is_narrow(stored) || are_converted(stored, coded);
    bool const has_words = copy.values != nullptr || call.chunk != nullptr;
    return has_words || !are_others ? nullptr : call.field.data;
  }
  /// Where values are decoded to as kernels take them.
  T* values(DecompressCall<Exec> const& call) const {
    return copy.values == nullptr ? static_cast<T*>(call.field.data)
                                  : reinterpret_cast<T*>(copy.values);
  }
  /// Enqueues their way to the field, if there is one that kernels can go.
  void enqueue_move(DecompressCall<Exec> const& call, FieldShape const& shape,
                    T const* from) const {
    if (copy.values == nullptr || call.field.access == FieldAccess::staged) return;
    move_values(call.exec, from, shape, call.field, copy.buffers);
  }
};

/// Host memory of a decompression of one chunk: its number, and its values behind what DecodeMemory takes.
struct ChunkMemory {
  std::int64_t* number;
  std::byte* values;

  /// Of a value, whether there is a bound or not.
  static std::size_t max_bytes(Dtype dtype) {
    return std::max(coded_bytes(dtype), coded_bytes(coded_type(dtype, ErrorBound::Mode::abs)));
  }
  void place(FieldShape const& shape, Carver& readback) {
    readback.take<DecodeResult>();
    number = readback.take<std::int64_t>();
    values =
        readback.take<std::byte>(std::size_t{chunk_tiles} * tile_values * max_bytes(shape.dtype));
  }
};

/// Memory of a decompression of a region: the list of its chunks, also on the host, and values of those that are
/// decoded at a time.
template <class Exec, class T>
struct RegionMemory {
  std::byte* coder_scratch;
  std::size_t coder_scratch_bytes;
  std::uint32_t* lattices;  ///< of the levels above that of the field
  std::int64_t* list;
  T* values;
  DecodeResult* result;
  std::int64_t* host_list;
  DenseCopy<Exec> copy;

  /// \param coded  the type as which values are decoded
  void place(std::size_t scratch_bytes, RegionChunks const& touched,
             DecompressCall<Exec> const& call, Dtype coded, CallMemory& memory) {
    std::size_t const chunks = touched.numbers.size();
    coder_scratch = memory.scratch.take<std::byte>(scratch_bytes);
    coder_scratch_bytes = scratch_bytes;
    lattices = memory.scratch.take<std::uint32_t>(touched.parts.places());
    list = memory.scratch.take<std::int64_t>(chunks);
    values = memory.scratch.take<T>(touched.places_at_a_time());
    result = memory.readback.take<DecodeResult>();
    bool const is_moved =
        call.field.access == FieldAccess::staged || are_converted(call.field.shape.dtype, coded);
    if (is_moved) copy.place(call.field, call.field.access, coded, memory);
    host_list = memory.readback.take<std::int64_t>(chunks);
  }
  /// Enqueues the way of values that wait in a dense copy to a field that kernels reach.
  void enqueue_move(DecompressCall<Exec> const& call, Dtype coded) const {
    if (copy.values == nullptr || call.field.access == FieldAccess::staged) return;
    FieldShape shape = call.field.shape;
    shape.dtype = coded;
    move_values(call.exec, reinterpret_cast<T const*>(copy.values), shape, call.field,
                copy.buffers);
  }
  /// The numbers in memory of Exec; on their way there.
  std::int64_t const* upload(Exec const& exec, std::vector<std::int64_t> const& chunks) const {
    std::copy(chunks.begin(), chunks.end(), host_list);
    using Host = Kokkos::View<std::int64_t const*, typename readback_space<Exec>::type,
                              Kokkos::MemoryUnmanaged>;
    using Device =
        Kokkos::View<std::int64_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec, Device(list, chunks.size()), Host(host_list, chunks.size()));
    return list;
  }
};

/// Where the values of a region go: to the field, or into the dense copy of a field that only the host reaches, or that has
/// integers of decoded numbers.
template <class Exec, class T>
class RegionTarget {
 public:
  RegionTarget(DecompressCall<Exec> const& call, Header const& header, Box const& region,
               RegionMemory<Exec, T> const& memory)
      : m_exec(call.exec),
        m_dense(memory.copy.values),
        m_data(call.field.data),
        m_dtype(call.field.shape.dtype),
        m_box(header.shape, m_dense == nullptr ? call.field.strides : strides_of(call.field.shape),
              region.begin.data(), region.end.data()) {}

  /// Takes what was decoded of the listed chunks.
  void take(DecodeArgs<T> const& args) const {
    if (m_dense != nullptr) return place_box(m_exec, args, m_box, reinterpret_cast<T*>(m_dense));
    with_narrow<T>(m_dtype, [&]<class Stored>(Stored) {
      place_box(m_exec, args, m_box, static_cast<Stored*>(m_data));
    });
  }

 private:
  Exec m_exec;
  std::byte* m_dense;
  void* m_data;
  Dtype m_dtype;
  StridedBox m_box;
};

/// A hope for a stream of the workspace's last coding in a field of the shape of the call's.
template <class T, class Exec>
SpeculativeArgs<T> speculative_args(DecompressCall<Exec> const& call, StreamCoding const& coding,
                                    std::uint32_t variants, T* values,
                                    DecodeMemory<Exec, T> const& memory) {
  SpeculativeArgs<T> args{};
  args.stream = call.stream;
  args.memory_bytes = call.memory_bytes;
  args.exact = call.exact;
  args.shape = call.field.shape;
  args.pipeline = coding.pipeline;
  args.variants = variants;
  args.method = coding.method;
  args.field = values;
  args.result = cleared(memory.result);
  args.coder_scratch = memory.coder_scratch;
  if (call.chunk != nullptr) args.only_chunk = *call.chunk;
  return args;
}

/// The shape in whose order, and with the type as which, values were decoded: of the stream, or of a region, which has fewer values.
template <class Exec>
FieldShape decoded_shape(DecompressCall<Exec> const& call) {
  FieldShape const stream = shape_of_parts(call.info.shape);
  IndexOrder const coded = order_of(stream, call.info, is_complex(call.info.shape.dtype));
  bool const is_region = call.field.shape.size() < stream.size();
  return with_coded_type(is_region ? call.field.shape : coded_shape(stream, coded),
                         call.info.bound.mode);
}

/// Fetches decoded values that only the host can move to the field; complete on return.
template <class Exec>
void fetch_values(DecompressCall<Exec> const& call, FieldShape const& shape) {
  if (call.field.access == FieldAccess::direct) return;
  with_word_type(shape.dtype, [&]<class T>(T) {
    DecodeMemory<Exec, T> memory;  // of scratch nothing is needed any more
    place_in(*call.workspace, call.exec,
             [&](CallMemory& m) { memory.place(0, shape, call, m, PredictionMethod::lorenzo); });
    move_values(call.exec, static_cast<T const*>(memory.values(call)), shape, call.field,
                memory.copy.buffers);
  });
}

/// Throws what was wrong with a decompression that has been waited for.
template <class Exec>
void require_decoded(DecompressCall<Exec> const& call) {
  DecodeFault const fault = call.result->worst();
  call.result->clear();  // for the next launch of a graph
  require_sound(fault);
}

}  // namespace kompakt::impl

#endif
