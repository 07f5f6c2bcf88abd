#ifndef KOMPAKT_PIPELINE_DECOMPRESS_HPP
#define KOMPAKT_PIPELINE_DECOMPRESS_HPP

#include <core/fp_environment.hpp>
#include <kompakt/pending.hpp>
#include <packing/unpack.hpp>
#include <pipeline/decode_call.hpp>
#include <pipeline/dense_field.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/region.hpp>
#include <pipeline/value_limits.hpp>
#include <span>

// The road of a decompression, from checked arguments to enqueued kernels. A backend whose bodies can decodes before
// the host has seen the header; what it leaves, and what others have, is decoded once the header is known.

namespace kompakt::impl {

/// The steps of a decompression of a stream whose header is known: of all chunks, or of those of a list.
template <class Kernels, class Exec, class T>
void decompress_values(Exec const& exec, DecodeArgs<T> const& args) {
  Kernels::prepare(exec, args);  // what the coder looks up, from its section
  Kernels::decode(exec, args);   // the values
}

/// A decompression of a whole field, or of one chunk, by the header; where its kernels will report.
template <class Tag, class T, class Exec>
DecodeResult* start_whole(DecompressCall<Exec> const& call, Header const& header) {
  return with_kernels<Tag, Exec, T>(coding_of(header), [&]<class Kernels>(TypeTag<Kernels>) {
    DecodeMemory<Exec, T> memory;
    place_in(*call.workspace, call.exec, [&](CallMemory& m) {
      std::size_t const values = call.chunk == nullptr ? header.shape.size() : 0;
      memory.place(Kernels::decode_scratch_bytes(radius_of(header), values), header.shape, call, m,
                   header.method, header.extra.limits > 0);
    });
    T* const values = memory.values(call);
    {
      FpEnvironment const environment;
      DecodeArgs<T> args =
          decode_args(within(environment, header), call.stream, values, cleared(memory.result));
      args.narrow = memory.narrow(call, header.shape.dtype);
      args.stored = call.field.shape.dtype;
      args.coder_scratch = memory.coder_scratch;
      args.coder_scratch_bytes = memory.coder_scratch_bytes;
      args.levels = memory.levels;
      args.chunks = call.chunk;
      args.listed = 1;
      decompress_values<Kernels>(call.exec, args);
      auto const size = static_cast<std::int64_t>(
          call.chunk == nullptr ? header.shape.size() : std::size_t{chunk_tiles} * tile_values);
      move_to_limits(call.exec, within(environment, header), values, size);
    }
    memory.enqueue_move(call, header.shape, values);
    return memory.result;
  });
}

/// A decompression of a region that is neither empty nor all of the field: the chunks that it touches are decoded side
/// by side into the workspace, some at a time, and what of them lies in the region is moved to where it belongs.
template <class Tag, class T, class Exec>
DecodeResult* start_region(DecompressCall<Exec> const& call, Header const& header,
                           Box const& region, RegionChunks const& touched) {
  return with_kernels<Tag, Exec, T>(coding_of(header), [&]<class Kernels>(TypeTag<Kernels>) {
    RegionMemory<Exec, T> memory;
    place_in(*call.workspace, call.exec, [&](CallMemory& m) {
      memory.place(Kernels::decode_scratch_bytes(radius_of(header), touched.places_at_a_time()),
                   touched, call, header.shape.dtype, m);
    });
    auto const* const list = memory.upload(call.exec, touched.numbers);
    RegionTarget<Exec, T> const target(call, header, region, memory);
    FpEnvironment const environment;
    DecodeArgs<T> args = decode_args(within(environment, header), call.stream, memory.values,
                                     cleared(memory.result));
    args.coder_scratch = memory.coder_scratch;
    args.coder_scratch_bytes = memory.coder_scratch_bytes;
    args.levels = touched.parts.in(memory.lattices);
    args.chunks = list;
    std::copy(std::begin(touched.above), std::end(touched.above), args.listed_above);
    std::size_t const count = touched.numbers.size(), step = touched.at_a_time();
    args.listed = static_cast<std::int64_t>(count - touched.count_above());
    Kernels::prepare(call.exec, args);
    for (std::size_t first = touched.count_above(); first < count; first += step) {
      args.chunks = list + first;
      args.listed = static_cast<std::int64_t>(std::min(step, count - first));
      Kernels::decode(call.exec, args);
      move_to_limits(call.exec, within(environment, header), memory.values,
                     args.listed * static_cast<std::int64_t>(touched.chunk_places()));
      target.take(args);
    }
    memory.enqueue_move(call, header.shape.dtype);
    return memory.result;
  });
}

/// Decodes before the host has seen the header, by the kernels that the last stream of the workspace took; none if
/// there are no bodies that can.
template <class Tag, class T, class Exec>
DecodeResult* start_speculative(DecompressCall<Exec> const& call) {
  StreamCoding const coding = call.workspace->coding();
  return with_kernels<Tag, Exec, T>(coding, [&]<class Kernels>(TypeTag<Kernels>) -> DecodeResult* {
    if constexpr (!Kernels::is_speculative) {
      return nullptr;
    } else {
      FieldShape const& shape = call.field.shape;
      DecodeMemory<Exec, T> memory;
      place_in(*call.workspace, call.exec, [&](CallMemory& m) {
        memory.place(Kernels::decode_scratch_bytes(speculative_radius, shape.size()), shape, call,
                     m, coding.method);
      });
      T* const values = memory.values(call);
      Kernels::decode_speculative(
          call.exec, speculative_args(call, coding, Kernels::variants, values, memory));
      memory.enqueue_move(call, shape, values);
      return memory.result;
    }
  });
}

/// The stream as its coder wrote it in the place of the call's, with the chunks of a list at least; what its header says.
template <class Exec>
Header unpacked(DecompressCall<Exec>& call, Header const& header,
                std::span<std::int64_t const> list) {
  if (!header.is_packed()) return header;
  PlainStream const plain = unpack(call.exec, *call.workspace, call.stream, header, list);
  call.stream = plain.data;
  return plain.header;
}

/// A decompression whose header is known and whose field is still to be compared with it.
template <class Tag, class Exec>
DecompressCall<Exec> start_with_header(DecompressCall<Exec> call, Header const& header) {
  call.field = parts_as_stored(header.shape, header.has_parts, call.field);
  require_same_field("the stream holds ", header.shape, call.field.shape);
  call.workspace->expect(coding_of(header));
  call.info = info_of(header);
  call.knows_header = true;
  if (header.shape.size() == 0) return call;
  call.field = coded_field(header.shape, header.coded, call.field);
  Header const plain =
      coded_header(unpacked(call, header, std::span(call.chunk, call.chunk == nullptr ? 0 : 1)));
  call.result = with_word_type(plain.shape.dtype,
                               [&]<class T>(T) { return start_whole<Tag, T>(call, plain); });
  return call;
}

/// A decompression whose arguments have been checked, but for what finish() does.
template <class Tag, class Exec>
DecompressCall<Exec> start_decompression(DecompressCall<Exec> call) {
  if constexpr (decodes_speculatively<Tag>) {
    FieldShape const& shape = call.field.shape;
    if (shape.size() > 0 && is_decoded_speculatively(shape.dtype)) {
      call.result = with_word_type(call.field.shape.dtype,
                                   [&]<class T>(T) { return start_speculative<Tag, T>(call); });
    }
    if (call.result != nullptr) return call;
  }
  return start_with_header<Tag>(call, fetch_header(call));
}

/// A decompression of a region whose arguments have been checked, but for what finish() does.
template <class Tag, class Exec>
DecompressCall<Exec> start_region_decompression(DecompressCall<Exec> call, Box region) {
  Header const header = fetch_header(call);
  region = box_of_values(header, region);
  require_region(header.shape, region);
  call.field = parts_as_stored(header.shape, header.has_parts, call.field);
  require_region_view(header.shape, region, call.field.shape);
  if (region.is_all_of(header.shape)) return start_with_header<Tag>(call, header);
  call.info = info_of(header);
  call.knows_header = true;
  if (region.is_empty()) return call;
  RegionChunks const touched = touched_chunks(header, region);
  call.field = coded_field(header.shape, header.coded, call.field);
  Header const plain = coded_header(unpacked(call, header, touched.numbers));
  Box const box = coded_box(header.shape, header.coded, region);
  call.result = with_word_type(plain.shape.dtype, [&]<class T>(T) {
    return start_region<Tag, T>(call, plain, box, touched);
  });
  return call;
}

template <class Tag, class Exec>
StreamInfo finish_decompression(DecompressCall<Exec> const& call);

/// Judges the stream of a decompression that has been waited for; decodes it now if no body could take it as it came.
template <class Tag, class Exec>
StreamInfo judge_decompression(DecompressCall<Exec> const& call) {
  if (call.result == nullptr) return call.info;
  if (call.knows_header) {
    require_decoded(call);
    fetch_values(call, decoded_shape(call));
    return call.info;
  }
  bool const decoded = call.result->decoded != 0;
  DecodeFault const fault = call.result->worst();
  call.result->clear();  // for the next launch of a graph
  Header const header = checked_header(call, call.result->front);
  if (!decoded || !has_parts_as_stored(header.shape, header.has_parts, call.field)) {
    // Read again: a compression that was still to be finished may have packed the stream meanwhile.
    return finish_decompression<Tag>(start_with_header<Tag>(call, fetch_header(call)));
  }
  call.workspace->expect(coding_of(header));
  require_sound(fault);
  fetch_values(call, header.shape);
  return info_of(header);
}

template <class Tag, class Exec>
StreamInfo finish_decompression(DecompressCall<Exec> const& call) {
  if (call.result != nullptr) call.exec.fence("kompakt::decompress: status");
  return judge_decompression<Tag>(call);
}

/// What a decompression takes of a workspace.
/// \param stored  shape of the stream's field, with the type as which it is coded
/// \param field   type, extents and strides of where it goes
template <class Tag, class Exec>
WorkspaceSizes decompression_sizes(FieldShape const& stored, FieldTarget const& field,
                                   StreamCoding const& coding, int radius) {
  if (field.shape.size() == 0) {
    return sizes_of([](CallMemory& memory) { memory.readback.take<std::byte>(inspect_bytes); });
  }
  return with_word_type(stored.dtype, [&]<class T>(T) {
    return with_kernels<Tag, Exec, T>(coding, [&]<class Kernels>(TypeTag<Kernels>) {
      DecodeMemory<Exec, T> memory;
      auto const sizes = [&](FieldShape const& shape, int of_radius) {
        return sizes_of([&](CallMemory& m) {
          memory.place(Kernels::decode_scratch_bytes(of_radius, shape.size()), shape, field, m,
                       coding.method);
        });
      };
      // The host reads the header, unless kernels do.
      WorkspaceSizes most = sizes(stored, radius);
      if constexpr (Kernels::is_speculative) {
        most = max(most, sizes(field.shape, speculative_radius));
      } else {
        most.readback = std::max(most.readback, inspect_bytes);
      }
      return most;
    });
  });
}

}  // namespace kompakt::impl

#endif
