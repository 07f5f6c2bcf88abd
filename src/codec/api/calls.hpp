#ifndef KOMPAKT_API_CALLS_HPP
#define KOMPAKT_API_CALLS_HPP

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <api/checks.hpp>
#include <api/chunk.hpp>
#include <api/workspace_use.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/batch.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/slab_reader.hpp>
#include <kompakt/threads.hpp>
#include <limits>
#include <memory>
#include <pipeline/batch.hpp>
#include <pipeline/choice.hpp>
#include <pipeline/compress.hpp>
#include <pipeline/decompress.hpp>
#include <pipeline/decompress_batch.hpp>
#include <pipeline/opened_stream.hpp>
#include <pipeline/range_of_field.hpp>
#include <pipeline/slab_queue.hpp>

// The doors: what the templates of include/kompakt call. Each checks its arguments, turns what goes wrong into an Error
// and goes on to the roads of src/codec/pipeline. Included only where it is instantiated for an execution space.

namespace kompakt::impl {

/// Calls body(), which runs kernels on exec, with all of its threads and in the floating-point environment that they have; whatever it
/// throws leaves as an Error.
template <class Exec, class Body>
auto run_on(Exec const& exec, char const* where, Body const& body) {
  return translate_exceptions(where, [&] {
    AllThreads const threads(exec);
    FpEnvironment const environment;
    return body();
  });
}

inline void require_compression(FieldShape const& shape, Options const& options) {
  require_chosen(options);
  require_shape(shape);
  require_bound_for(shape.dtype, options);
  require_limits(shape.dtype, options);
  require_steps(shape.dtype, options);
  require_axis(shape, options);
}

inline void require_compression(FieldSource const& field, Options const& options) {
  require_compression(field.shape, options);
  if (field.has_parts) require_axis(shape_of_complex(field.shape), options);
}

/// Options for the values of a field, checked.
inline Options checked_options(FieldSource const& field, Options const& asked) {
  Options const options = valid_options_for_type(field.shape.dtype, asked);
  require_compression(field, options);
  return options;
}

template <class Tag, class Exec>
CompressCall<Exec> start_compress_by(Exec const& exec, FieldSource const& field,
                                     Options const& asked, ChoiceRecord const& reason,
                                     Workspace<Exec>& workspace, std::byte* stream,
                                     std::size_t capacity) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::compress");
  Options const options = named("compress", [&] {
    Options const checked = checked_options(field, asked);
    require_field(field);
    require_aligned(stream);
    require_reason(reason);
    return checked;
  });
  WorkspaceUse const use(&workspace, "compress");
  return use.start([&] {
    return run_on(exec, "compress", [&] {
      FieldSource known = field;
      Options const settled = options_for_rounding(exec, known, options, workspace);
      return start_compression<Tag>(exec, {known, settled, reason, stream, capacity}, workspace);
    });
  });
}
template <class Exec>
CompressCall<Exec> start_compress(Exec const& exec, FieldSource const& field,
                                  Options const& options, ChoiceRecord const& reason,
                                  Workspace<Exec>& workspace, std::byte* stream,
                                  std::size_t capacity) {
  return start_compress_by<backend_tag_t<Exec>>(exec, field, options, reason, workspace, stream,
                                                capacity);
}

template <class Exec>
StreamInfo finish_compress(CompressCall<Exec> const& call) {
  WorkspaceUse const use(call.workspace, "compress");
  use.require_last(call, "compress");
  return translate_exceptions("compress", [&] {
    if (!call.has_ended) call.exec.fence("kompakt::compress: header");
    return result_of(call);
  });
}

/// with_all_fills() of a call that has ended. A batch does not wait for each of its calls: for 512 fields of 64³ values this took more
/// than half as long as all of their kernels.
template <class Exec>
std::optional<Options> all_fills_of(CompressCall<Exec> const& call, Options const& options) {
  std::optional<FillValue> const fills = several_fills(call);
  if (!fills) return {};
  Options all = options;
  all.fill = *fills;
  return all;
}

template <class Exec>
std::optional<Options> with_all_fills(CompressCall<Exec> const& call, Options const& options) {
  if (!call.asked.bound.needs_range() || !may_find_more(call.fill)) return {};
  return run_on(call.exec, "compress", [&] {
    call.exec.fence("kompakt::compress: header");
    call.has_ended = true;
    return all_fills_of(call, options);
  });
}

template <class Exec>
WorkspaceSizes compress_sizes(FieldSource const& field, Options const& options) {
  Options const valid =
      named("compress_workspace", [&] { return checked_options(field, options); });
  WorkspaceSizes const sizes = compression_sizes<backend_tag_t<Exec>, Exec>(
      {field, valid, {}, nullptr, std::numeric_limits<std::size_t>::max()});
  Dtype const dtype = field.shape.dtype;
  bool const finds_range = are_rounded(dtype, valid.bound.mode) && field.shape.size() > 0 &&
                           (may_be_too_large(dtype, valid.bound) || is_half(dtype) ||
                            (valid.bound.needs_range() && valid.range == 0));
  return finds_range ? max(sizes, range_sizes<Exec>(field, valid.fill)) : sizes;
}

inline void require_batch(std::span<BatchItem const> items, Options const& options) {
  validate(options);
  require_chosen(options);
  for (BatchItem const& item : items) {
    require_compression(item.field, options_of(item, options));
  }
}

template <class Exec>
std::vector<CompressCall<Exec>> start_batch(Exec const& exec, std::span<BatchItem const> items,
                                            Options const& options, Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::compress_batch");
  named("compress_batch", [&] {
    require_batch(items, options);
    for (BatchItem const& item : items) {
      require_field(item.field);
      require_aligned(item.stream);
      require_reason(item.reason);
    }
  });
  WorkspaceUse const use(&workspace, "compress_batch");
  use.forget();
  return run_on(exec, "compress_batch", [&] {
    auto const start = [&](std::span<BatchItem const> of) {
      return start_compressions<backend_tag_t<Exec>>(exec, of, options, workspace);
    };
    if (std::ranges::none_of(items, has_rounded_values)) return start(items);
    return start(settled_items(exec, items, options, workspace));
  });
}

template <class Exec>
void wait_for_batch(std::span<CompressCall<Exec> const> calls) {
  if (calls.empty()) return;
  translate_exceptions("compress_batch", [&] {
    calls[0].exec.fence("kompakt::compress_batch: headers");
    for (CompressCall<Exec> const& call : calls) {
      require_capacity(call.result->stream_bytes, call.capacity_bytes);
    }
  });
}
template <class Exec>
StreamInfo finish_of_batch(CompressCall<Exec> const& call) {
  return translate_exceptions("compress_batch", [&] { return result_of(call); });
}

template <class Exec>
std::vector<StreamInfo> results_of_batch(std::span<CompressCall<Exec> const> calls,
                                         std::span<BatchItem const> items, Options const& options) {
  wait_for_batch(calls);
  std::vector<StreamInfo> infos;
  infos.reserve(calls.size());
  std::optional<Workspace<Exec>> memory;  // the batch's own has the results of all calls
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CompressCall<Exec> const& call = calls[i];
    BatchItem const& item = items[i];
    auto const all = run_on(call.exec, "compress_batch",
                            [&] { return all_fills_of(call, options_of(item, options)); });
    if (all && !memory) memory.emplace(call.exec);
    infos.push_back(
        !all ? finish_of_batch(call)
             : finish_compress(start_compress(call.exec, item.field, *all, item.reason, *memory,
                                              item.stream, item.capacity_bytes)));
  }
  return infos;
}

template <class Exec>
WorkspaceSizes batch_sizes(std::span<BatchItem const> items, Options const& options) {
  named("compress_batch_workspace", [&] { require_batch(items, options); });
  WorkspaceSizes sizes = Batch<backend_tag_t<Exec>, Exec>(items, options).sizes();
  for (BatchItem const& item : items) {
    bool const may_look = has_rounded_values(item) && item.field.shape.size() > 0;
    if (may_look) sizes = max(sizes, range_sizes<Exec>(item.field, options.fill));
  }
  return sizes;
}

template <class Exec>
void require_target(DecompressCall<Exec> const& call) {
  named(call.where, [&] {
    require_target(static_cast<StridedData const&>(call.field));
    require_aligned(call.stream);
  });
}

/// \param start  returns the call that it has started
template <class Exec, class Start>
DecompressCall<Exec> start_profiled(DecompressCall<Exec> const& call, char const* name,
                                    Start const& start) {
  Kokkos::Profiling::ScopedRegion const region(name);
  require_target(call);
  WorkspaceUse const use(call.workspace, call.where);
  return use.start([&] { return run_on(call.exec, call.where, start); });
}
template <class Tag, class Exec>
DecompressCall<Exec> start_decompress_by(DecompressCall<Exec> const& call) {
  return start_profiled(call, "kompakt::decompress",
                        [&] { return start_decompression<Tag>(call); });
}
template <class Exec>
DecompressCall<Exec> start_decompress(DecompressCall<Exec> const& call,
                                      std::optional<Box> const& box) {
  using Tag = backend_tag_t<Exec>;
  if (!box) return start_decompress_by<Tag>(call);
  return start_profiled(call, "kompakt::decompress: box",
                        [&] { return start_region_decompression<Tag>(call, *box); });
}

template <class Exec>
StreamInfo finish_decompress(DecompressCall<Exec> const& call) {
  WorkspaceUse const use(call.workspace, call.where);
  use.require_last(call, call.where);
  return run_on(call.exec, call.where,
                [&] { return finish_decompression<backend_tag_t<Exec>>(call); });
}

template <class Exec>
void start_decompress_batch(Exec const& exec, Workspace<Exec>& workspace,
                            std::span<BatchedDecompression<Exec>> batch) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::decompress_batch");
  for (auto const& [call, coding] : batch) {
    require_target(call);
  }
  WorkspaceUse const use(&workspace, "decompress_batch");
  use.forget();
  run_on(exec, "decompress_batch",
         [&] { start_decompressions<backend_tag_t<Exec>>(exec, workspace, batch); });
}

template <class Exec>
std::vector<StreamInfo> finish_decompress_batch(std::span<BatchedDecompression<Exec> const> batch) {
  if (batch.empty()) return {};
  return run_on(batch[0].call.exec, "decompress_batch",
                [&] { return finish_decompressions<backend_tag_t<Exec>>(batch); });
}

template <class Exec>
WorkspaceSizes decompress_sizes(FieldShape const& values, Options const& options,
                                FieldTarget const& given) {
  Options const valid = valid_options_for_type(values.dtype, options);
  FieldShape const stored = shape_of_parts(values);
  FieldTarget const field = parts_as_stored(stored, is_complex(values.dtype), given);
  named("decompress_workspace", [&] {
    require_shape(field.shape);
    require_same_field("the stream holds ", stored, field.shape);
    require_axis(values, valid);
  });
  StreamCoding const coding{pipeline_of(valid), stored_variant(valid), method_of(valid.predictor)};
  IndexOrder const coded = order_of(stored, valid, is_complex(values.dtype));
  Extents3 const extents = fold_shape(stored, coded);
  std::int64_t const chunks =
      stored.size() == 0 ? 0
                         : max_chunks(coding.method, shapes_for(extents, valid.predictor), extents);
  named("decompress_workspace", [&] { require_chunk_count(coding.method, chunks); });
  WorkspaceSizes sizes = decompression_sizes<backend_tag_t<Exec>, Exec>(
      coded_shape(with_coded_type(stored, valid.bound.mode), coded),
      coded_field(stored, coded, field), coding, valid.radius);
  if (valid.pack && stored.size() > 0) {
    sizes.packing = unpacking_bytes(with_coded_type(stored, valid.bound.mode), chunks,
                                    {predictor_bytes(coding.method, extents),
                                     max_section_bytes(*row_of(coding.pipeline), valid.radius)});
  }
  return sizes;
}

template <class Exec>
void const* decompress_chunk(Exec const& exec, std::byte const* stream, std::size_t stream_bytes,
                             Workspace<Exec>& workspace, FieldShape const& shape,
                             std::int64_t chunk) {
  require_chunk(chunk, std::numeric_limits<std::uint64_t>::max());  // the header knows how many
  ChunkMemory memory;
  auto const place = [&](Carver& carver) { memory.place(shape, carver); };
  Carver carver(workspace.readback_bytes(carved_bytes(place)));
  place(carver);
  *memory.number = chunk;
  DecompressCall<Exec> call{exec, stream,     stream_bytes,
                            true, &workspace, FieldTarget{FieldData{memory.values, shape}}};
  call.chunk = memory.number;
  finish_decompress(start_decompress(call));
  return memory.values;
}

template <class Exec>
Choice choose(Exec const& exec, FieldSource const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace, Options* measured) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose");
  Options const valid = named("choose", [&] {
    Options const checked = valid_options_for_type(field.shape.dtype, options);
    require_goal(goal);
    if (goal == Goal::speed) return checked;  // which looks at no field
    require_shape(field.shape);
    require_bound_for(field.shape.dtype, checked);
    require_limits(field.shape.dtype, checked);
    require_steps(field.shape.dtype, checked);
    require_axis(field.has_parts ? shape_of_complex(field.shape) : field.shape, checked);
    require_field(field);
    return checked;
  });
  WorkspaceUse const use(&workspace, "choose");
  use.forget();
  return run_on(exec, "choose",
                [&] { return choice_for(exec, field, valid, goal, workspace, measured); });
}

template <class Exec>
FieldRange field_range(Exec const& exec, FieldSource const& field, FillValue const& fill,
                       Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::field_range");
  named("field_range", [&] { require_field(field); });
  WorkspaceUse const use(&workspace, "field_range");
  use.forget();
  return run_on(exec, "field_range",
                [&] { return range_of_field(exec, field, fill, workspace, AskedOf::part); });
}

template <class Exec>
std::shared_ptr<OpenedStream<Exec> const> open_stream(Exec const& exec,
                                                      StreamSource<Exec> const& stream) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::open_stream");
  named("StreamReader", [&] { require_aligned(stream.data); });
  return run_on(exec, "StreamReader", [&] { return open_checked(exec, stream); });
}
template <class Exec>
StreamInfo info_of(OpenedStream<Exec> const& opened) {
  return info_of(opened.header);
}
template <class Exec>
void check_chunks(Exec const& exec, OpenedStream<Exec> const& opened) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::check_stream");
  run_on(exec, "StreamReader::check", [&] { check_all_chunks(exec, opened); });
}
template <class Exec, class T>
DecodeArgs<T> args_of_stream(OpenedStream<Exec> const& opened, T* field) {
  return opened.template args<T>(FpEnvironment(), field);
}

template <class Exec>
SlabPlan plan_slabs(OpenedStream<Exec> const& opened, FieldShape const& field,
                    SlabOptions const& options) {
  return plan_slabs_of(opened.header, field, options);
}
template <class Exec>
std::shared_ptr<SlabQueue<Exec>> make_slab_queue(OpenedStream<Exec> const& opened,
                                                 SlabPlan const& plan, void* ring) {
  return translate_exceptions(
      "SlabReader", [&] { return std::make_shared<SlabQueue<Exec>>(opened, plan, ring); });
}
template <class Exec>
void start_slabs(SlabQueue<Exec>& queue, Exec const& exec) {
  run_on(exec, "SlabReader", [&] { queue.start(exec); });
}
template <class Exec>
void decode_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab) {
  run_on(exec, "SlabReader", [&] { queue.decode(exec, slab); });
}
template <class Exec>
void await_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab) {
  run_on(exec, "SlabReader", [&] { queue.await(exec, slab); });
}
template <class Exec>
void release_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab) {
  run_on(exec, "SlabReader", [&] { queue.release(exec, slab); });
}
template <class Exec>
void finish_slabs(SlabQueue<Exec>& queue, Exec const& exec) {
  run_on(exec, "SlabReader", [&] { queue.finish(exec); });
}

}  // namespace kompakt::impl

/// The doors for an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE_CALLS(EXEC)                                                           \
  template CompressCall<EXEC> start_compress(EXEC const&, FieldSource const&, Options const&,     \
                                             ChoiceRecord const&, Workspace<EXEC>&, std::byte*,   \
                                             std::size_t);                                        \
  template StreamInfo finish_compress(CompressCall<EXEC> const&);                                 \
  template std::optional<Options> with_all_fills(CompressCall<EXEC> const&, Options const&);      \
  template WorkspaceSizes compress_sizes<EXEC>(FieldSource const&, Options const&);               \
  template std::vector<CompressCall<EXEC>> start_batch(EXEC const&, std::span<BatchItem const>,   \
                                                       Options const&, Workspace<EXEC>&);         \
  template void wait_for_batch(std::span<CompressCall<EXEC> const>);                              \
  template StreamInfo finish_of_batch(CompressCall<EXEC> const&);                                 \
  template std::vector<StreamInfo> results_of_batch(std::span<CompressCall<EXEC> const>,          \
                                                    std::span<BatchItem const>, Options const&);  \
  template WorkspaceSizes batch_sizes<EXEC>(std::span<BatchItem const>, Options const&);          \
  template DecompressCall<EXEC> start_decompress(DecompressCall<EXEC> const&,                     \
                                                 std::optional<Box> const&);                      \
  template StreamInfo finish_decompress(DecompressCall<EXEC> const&);                             \
  template void start_decompress_batch(EXEC const&, Workspace<EXEC>&,                             \
                                       std::span<BatchedDecompression<EXEC>>);                    \
  template std::vector<StreamInfo> finish_decompress_batch(                                       \
      std::span<BatchedDecompression<EXEC> const>);                                               \
  template WorkspaceSizes decompress_sizes<EXEC>(FieldShape const&, Options const&,               \
                                                 FieldTarget const&);                             \
  template void const* decompress_chunk(EXEC const&, std::byte const*, std::size_t,               \
                                        Workspace<EXEC>&, FieldShape const&, std::int64_t);       \
  template FieldRange field_range(EXEC const&, FieldSource const&, FillValue const&,              \
                                  Workspace<EXEC>&);                                              \
  template Choice choose(EXEC const&, FieldSource const&, Options const&, Goal, Workspace<EXEC>&, \
                         Options*);                                                               \
  template std::shared_ptr<OpenedStream<EXEC> const> open_stream(EXEC const&,                     \
                                                                 StreamSource<EXEC> const&);      \
  template StreamInfo info_of(OpenedStream<EXEC> const&);                                         \
  template void check_chunks(EXEC const&, OpenedStream<EXEC> const&);                             \
  template DecodeArgs<float> args_of_stream(OpenedStream<EXEC> const&, float*);                   \
  template DecodeArgs<double> args_of_stream(OpenedStream<EXEC> const&, double*);                 \
  template SlabPlan plan_slabs(OpenedStream<EXEC> const&, FieldShape const&, SlabOptions const&); \
  template std::shared_ptr<SlabQueue<EXEC>> make_slab_queue(OpenedStream<EXEC> const&,            \
                                                            SlabPlan const&, void*);              \
  template void start_slabs(SlabQueue<EXEC>&, EXEC const&);                                       \
  template void decode_slab(SlabQueue<EXEC>&, EXEC const&, std::int64_t);                         \
  template void await_slab(SlabQueue<EXEC>&, EXEC const&, std::int64_t);                          \
  template void release_slab(SlabQueue<EXEC>&, EXEC const&, std::int64_t);                        \
  template void finish_slabs(SlabQueue<EXEC>&, EXEC const&);

#endif
