#ifndef KOMPAKT_PIPELINE_COMPRESS_HPP
#define KOMPAKT_PIPELINE_COMPRESS_HPP

#include <algorithm>
#include <container/copy_bytes.hpp>
#include <container/header.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/pending.hpp>
#include <optional>
#include <packing/pack.hpp>
#include <pipeline/dense_field.hpp>
#include <pipeline/encode_call.hpp>
#include <pipeline/field_operations.hpp>
#include <pipeline/hide_fills.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/near_fills.hpp>
#include <pipeline/range_of_field.hpp>
#include <pipeline/value_limits.hpp>
#include <span>
#include <vector>

// The road of a compression, from checked arguments to enqueued kernels. src/codec/api checks at the door and comes here; the
// steps are pages of their own.

namespace kompakt::impl {

/// The steps of a compression by these Kernels.
template <class Kernels, class Exec, class T>
void compress_values(Exec const& exec, EncodeArgs<T> args) {
  if (!Kernels::supports(args)) return compress_values<typename Kernels::Generic>(exec, args);
  resolve(typename Kernels::Tag{}, exec,
          args);                 // fill value; range or PSNR; from the bound the quantizer
  hide_near_fills(exec, args);   // values that must not come back as a fill value
  settle_limits(exec, args);     // values that no decoder may move
  Kernels::prepare(exec, args);  // sections; from a sample the shape of tiles
  Kernels::encode(exec, args);   // records, index, header
}

/// The steps of several compressions, which share launches where backend and coder can.
template <class Kernels, class Exec, class T>
void compress_values(Exec const& exec, std::span<EncodeArgs<T> const> calls, BatchMemory& memory) {
  if constexpr (Kernels::shares_launches_of_batch) {
    auto const may_share = [](EncodeArgs<T> const& args) {
      return Kernels::supports(args) && !args.asked.limits.any() && near_fills(args).count == 0;
    };
    if (std::all_of(calls.begin(), calls.end(), may_share)) {
      resolve_batch(typename Kernels::Tag{}, exec, calls, memory);
      return Kernels::encode_batch(exec, calls, memory);
    }
  }
  for (EncodeArgs<T> const& args : calls) compress_values<Kernels>(exec, args);
}

/// What is left to do for a request whose kernels are on their way.
template <class Exec>
CompressCall<Exec> call_of(Exec const& exec, EncodeResult const* result,
                           EncodeRequest const& request, Workspace<Exec>& workspace) {
  return {exec,
          result,
          info_of({{request.asked, {}}}),
          request.capacity,
          request.pack ? request.stream : nullptr,
          &workspace,
          request.field,
          request.fill};
}

/// A compression of one field: memory, values side by side, the steps.
/// \tparam Tag  of the backend: that of Exec, or generic_tag
template <class Tag, class T, class Exec>
CompressCall<Exec> start_values(Exec const& exec, EncodeRequest const& request,
                                Workspace<Exec>& workspace) {
  return with_kernels<Tag, Exec, T>(request.coding(), [&]<class Kernels>(TypeTag<Kernels>) {
    EncodeArgs<T> args = encode_args<T>(request);
    DenseCopy<Exec> copy;
    WorkspaceSizes at_the_end;
    at_the_end.packing = packing_bytes_of(args, request);
    workspace.require(at_the_end);
    place_in(workspace, exec,
             [&](CallMemory& memory) { place_call<Kernels>(args, request, copy, memory); });
    args.persistent_bytes = workspace.persistent_capacity();
    bring_values(exec, request.field, copy, args);
    args.watched.join(settle_fills(exec, request, copy, args));
    FpEnvironment const environment;  // a backend may turn the bound into factors here
    args.bound.value = environment.inside(args.bound.value);
    compress_values<Kernels>(exec, args);
    return call_of(exec, args.result, request, workspace);
  });
}

/// A stream of a field without values: nothing but its header and the end of an empty index.
template <class Exec>
CompressCall<Exec> start_empty(Exec const& exec, EncodeRequest const& request,
                               std::byte* readback) {
  Carver memory(readback);
  EmptyStream const empty = place_empty(memory);
  write_empty(request, empty);
  copy_in(exec, request.stream, empty.bytes, empty.result->stream_bytes);
  return {exec, empty.result, info_of({{request.asked, {}}}), request.capacity};
}

/// A compression whose arguments have been checked.
template <class Tag, class Exec>
CompressCall<Exec> start_compression(Exec const& exec, EncodeRequest const& request,
                                     Workspace<Exec>& workspace) {
  FieldShape const& shape = request.asked.shape;
  if (shape.size() == 0) {
    return start_empty(exec, request, workspace.readback_bytes(carved_bytes(place_empty)));
  }
  return with_word_type(request.asked.coded_type(),
                        [&]<class T>(T) { return start_values<Tag, T>(exec, request, workspace); });
}

/// What that takes of a workspace.
template <class Tag, class Exec>
WorkspaceSizes compression_sizes(EncodeRequest const& request) {
  FieldShape const& shape = request.asked.shape;
  if (shape.size() == 0) {
    return sizes_of([](CallMemory& memory) { place_empty(memory.readback); });
  }
  return with_word_type(request.asked.coded_type(), [&]<class T>(T) {
    return with_kernels<Tag, Exec, T>(request.coding(), [&]<class Kernels>(TypeTag<Kernels>) {
      EncodeArgs<T> args = encode_args<T>(request);
      DenseCopy<Exec> copy;
      WorkspaceSizes sizes =
          sizes_of([&](CallMemory& memory) { place_call<Kernels>(args, request, copy, memory); });
      sizes.packing = packing_bytes_of(args, request);
      return sizes;
    });
  });
}

/// The header of a stream that a call has written.
template <class Exec>
Header header_of(CompressCall<Exec> const& call) {
  Header header{{asked_of(call.asked), call.result->found}};
  header.version = format_version;
  header.bytes = call.result->stream_bytes;
  header.part = FramePart::whole(header.shape);
  return header;
}

/// Looks closer at the range of a call that has run. In memory of its own: the workspace has what the call left there.
template <class Exec>
FieldRange range_of_call(CompressCall<Exec> const& call) {
  Workspace<Exec> memory(call.exec);
  return range_of_field(call.exec, *call.field, call.fill, memory);
}

/// All fill values of the field, where a call that has run may have found one of several in its range. In memory of its own, too.
template <class Exec>
std::optional<FillValue> several_fills(CompressCall<Exec> const& call) {
  EncodeResult const& result = *call.result;
  if (!may_find_more(call.fill) || !result.has_range) return {};
  FieldSource const& field = *call.field;
  FieldRange const range{true, result.min, result.max, info_of(header_of(call)).fill, {}};
  Dtype const coded = coded_type(field.shape.dtype, call.asked.bound.mode);
  bool const is_at_hand = is_taken_in_place<Exec>(field, field.access, coded);
  return with_word_type(coded, [&]<class T>(T) -> std::optional<FillValue> {
    auto const* const values = static_cast<T const*>(field.data);
    auto const size = static_cast<std::int64_t>(field.shape.size());
    FillValue const known = range.fill ? call.fill.with(*range.fill) : call.fill;
    auto const fills = with_conventional_ends<T>(known, range, field.shape.dtype, result.is_spread);
    if (!fills && !range.fill) return {};
    if (!fills && is_at_hand && !may_have_another_fill(call.exec, values, size, range)) return {};
    Workspace<Exec> memory(call.exec);
    auto const all =
        search_fills<T>(call.exec, range_request(field, fills.value_or(known)), memory);
    return all ? all : fills;
  });
}

/// Refuses a range that a few values make.
/// \throws Error bad_argument
template <class Exec>
void require_range_of_values(CompressCall<Exec> const& call) {
  FieldRange const range = range_of_call(call);
  require_range_of_values(range);
  bool const is_narrower = range.min > call.result->min || range.max < call.result->max;
  if (is_narrower) refuse_further_fills(range);
}

/// The last step of a call that has run, and what it came to.
template <class Exec>
StreamInfo result_of(CompressCall<Exec> const& call) {
  require_capacity(call.result->stream_bytes, call.capacity_bytes);
  if (call.result->is_spread) require_range_of_values(call);
  Header header = header_of(call);
  if (call.stream != nullptr) pack(call.exec, *call.workspace, call.stream, header);
  return info_of(header);
}

}  // namespace kompakt::impl

#endif
