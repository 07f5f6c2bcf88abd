#ifndef KOMPAKT_PIPELINE_ENCODE_CALL_HPP
#define KOMPAKT_PIPELINE_ENCODE_CALL_HPP

#include <algorithm>
#include <cmath>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <cstring>
#include <kompakt/pending.hpp>
#include <packing/pack.hpp>
#include <pipeline/dense_field.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/index_order.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/resolve.hpp>

// From what a user asks for to the arguments of kernels, and where those lie in a workspace.

namespace kompakt::impl {

/// What a compression shall do.
struct EncodeRequest {
  FieldSource field;  ///< its indices in the order in which they are coded
  HeaderAsked asked;
  ErrorBound bound;      ///< of `asked`; of complex numbers the one of each part
  double range;          ///< Options::range
  double magnitude;      ///< Options::magnitude
  ValueLattice lattice;  ///< of Options::steps
  FillValue fill;
  Predictor predictor;
  int radius;
  bool pack;
  std::byte* stream;
  std::size_t capacity;
  std::uint32_t shapes = 0;  ///< of tiles, a bit each; 0: all that the predictor may have
  bool knows_fills = false;  ///< whether all fill values that make a range are declared

  EncodeRequest(FieldSource const& source, Options const& options, ChoiceRecord const& reason,
                std::byte* to, std::size_t capacity_bytes)
      : field(source),
        range(options.range),
        magnitude(options.magnitude),
        lattice(lattice_of(options.steps)),
        fill(options.fill),
        predictor(options.predictor),
        radius(options.radius),
        pack(options.pack),
        stream(to),
        capacity(capacity_bytes) {
    asked.pipeline = pipeline_of(options);
    asked.variant = stored_variant(options);
    asked.method = method_of(options.predictor);
    asked.checksum = options.checksum;
    asked.bound = options.bound;
    asked.shape = source.shape;
    asked.has_parts = source.has_parts;
    bound = source.has_parts ? bound_of_parts(options.bound) : options.bound;
    asked.coded = order_of(source.shape, options, source.has_parts);
    field = coded_field(source.shape, asked.coded, source);
    asked.reason_bits = reason.bits();
    if (!is_number(asked.coded_type())) fill = FillValue::none();  // all values have bins
    fill = fill_of_type(fill, source.shape.dtype);
    asked.steps = steps_of(options, source.shape.dtype);
    if (asked.has_kept_bound()) {
      ErrorBound const kept = bound_with_range(asked.shape.dtype, bound, range);
      if (!kept.needs_range()) asked.steps.offset = kept.value;
    }
    bool const may_move =
        options.bound.mode != ErrorBound::Mode::lossless && asked.shape.size() > 0;
    if (may_move) asked.limits = limits_of_type(options.limits, asked.shape.dtype);
  }
  StreamCoding coding() const { return {asked.pipeline, asked.variant, asked.method}; }
  /// Whether fill values beside the masked one are to be kept from quantising; without loss all values come back.
  bool hides_fills() const {
    return fill.mode != FillValue::Mode::none && fill.others_count > 0 &&
           asked.bound.mode != ErrorBound::Mode::lossless;
  }
  /// Whether values may have to be kept from it, which takes a copy.
  bool may_hide_values() const { return hides_fills() || asked.limits.any(); }
};

/// Whether a list has every value of conventions that values of a type can be. Faces declare them all to have them looked for; where some
/// lack, somebody has declared the others.
template <class T>
bool are_conventions(FillList<T> const& others, Dtype dtype) {
  return std::ranges::all_of(conventional_fills, [&](double convention) {
    auto const value = static_cast<T>(convention);
    return !has_number(dtype, static_cast<double>(value)) || others.find(value) < others.count;
  });
}

/// Fill values that no other value may come back as, whether the field has them or not. Those of conventions are only worth that if they
/// are found, unless somebody has declared them.
template <class T>
FillList<T> watched_fills(FillValue const& declared, Limits const& limits, Dtype dtype) {
  FillList<T> watched;
  if (declared.mode == FillValue::Mode::none) return watched;
  bool const are_sure = declared.mode == FillValue::Mode::value;
  if (are_sure) watched.add(static_cast<T>(declared.value));
  FillList<T> const others = FillList<T>::of(declared);
  bool const are_looked_for = !are_sure && are_conventions(others, dtype);
  for (int i = 0; i < others.count; ++i) {
    bool const is_moved_to = is_limit(limits, static_cast<double>(others.value(i)));
    bool const is_declared = !are_looked_for || !is_conventional_fill(others.value(i));
    if (is_declared || is_moved_to) watched.add(others.value(i));
  }
  return watched;
}

/// The arguments of a request, all but values and memory.
/// \throws Error bad_argument if one call cannot take so many chunks, buffer_too_small if not even the longest front
///         fits
template <class T>
EncodeArgs<T> encode_args(EncodeRequest const& request) {
  [[maybe_unused]] FpEnvironment const environment;  // 1e20 is the same float under any rounding
  EncodeArgs<T> args{};
  args.extents = fold_shape(request.asked.shape, request.asked.coded);
  args.asked = request.asked;
  args.range = request.range;
  Dtype const dtype = request.asked.shape.dtype;
  ErrorBound const bound = bound_with_range(dtype, request.bound, request.range);
  args.bound = bound_of_numbers(dtype, bound, request.field.largest);
  if (args.may_choose_width()) {
    args.magnitude = request.magnitude;
    args.lattice = request.lattice;
  }
  FillValue const& fill = request.fill;
  bool const is_given = fill.mode == FillValue::Mode::value;
  if (is_given) args.given_fill = {true, static_cast<T>(fill.value)};
  args.watched = watched_fills<T>(fill, args.asked.limits, dtype);
  args.detects_fill = is_given ? std::isnan(fill.value) : fill.mode == FillValue::Mode::automatic;
  args.judges_range = fill.mode != FillValue::Mode::none && request.range == 0;
  args.radius = request.radius;
  args.shapes = request.shapes != 0 ? request.shapes : shapes_for(args.extents, request.predictor);
  std::int64_t const chunks = args.max_chunks();
  require_chunk_count(request.asked.method, chunks);
  args.predictor_bytes = predictor_bytes(request.asked.method, args.extents);
  CoderRow const& coder = *row_of(request.asked.pipeline);
  args.has_coder_section = !coder.section.empty();
  args.stream = request.stream;
  args.capacity = request.capacity;
  require_capacity(args.longest_layout(chunks, max_section_bytes(coder, args.radius)).payload,
                   args.capacity);
  return args;
}

/// Whether numbers can be made of values of another type tile by tile: nothing but tiles, and runs in which a fill value is looked for, reads
/// the field.
template <class T>
bool converts_by_tiles(EncodeArgs<T> const& args, EncodeRequest const& request) {
  return args.asked.has_rounded_values() && !request.may_hide_values() &&
         !has_levels(args.asked.method) && !args.bound.needs_range();
}

/// Where the arguments of a call lie.
template <class Kernels, class T>
void place_scratch(EncodeArgs<T>& args, Carver& scratch) {
  args.state = scratch.take<EncodeState<T>>();
  args.fill_runs = scratch.take<FillSample<T>>(args.detects_fill ? sample_runs : 0);
  bool const may_have_words = args.detects_fill && args.asked.has_rounded_values();
  args.run_values =
      scratch.take<T>(may_have_words ? std::size_t{sample_runs} * fill_run_values(false) : 0);
  args.outside = scratch.take<OutsideLimits>();
  args.chunk_words = scratch.take<std::uint32_t>(static_cast<std::size_t>(args.max_chunks()));
  args.levels = whole_levels(args.asked.method, args.extents, scratch);
  Kernels::carve(args, scratch);
}

/// All memory of a call that is alone in a workspace.
template <class Kernels, class T, class Exec>
void place_call(EncodeArgs<T>& args, EncodeRequest const& request, DenseCopy<Exec>& copy,
                CallMemory& memory) {
  place_scratch<Kernels>(args, memory.scratch);
  args.persistent = memory.persistent.take<std::byte>(
      persistent_bytes(typename Kernels::Tag{}, args.max_turns()));
  args.result = memory.readback.take<EncodeResult>();
  copy.place(request.field, request.field.access, request.asked.coded_type(), memory,
             request.may_hide_values(), converts_by_tiles(args, request));
  args.spare = reinterpret_cast<T*>(copy.without_fills);
}

/// What packing its stream takes of a workspace, at most.
template <class T>
std::size_t packing_bytes_of(EncodeArgs<T> const& args, EncodeRequest const& request) {
  if (!request.pack) return 0;
  CoderRow const& coder = *row_of(request.asked.pipeline);
  return packing_bytes(request.asked.coded_values(), args.max_chunks(),
                       args.predictor_bytes + max_section_bytes(coder, args.radius));
}

/// Host memory of a stream without values.
struct EmptyStream {
  EncodeResult* result;
  std::byte* bytes;
};
inline constexpr auto place_empty = [](Carver& memory) {
  return EmptyStream{memory.take<EncodeResult>(),
                     memory.take<std::byte>(StreamLayout(max_rank, 0).payload)};
};

/// Writes such a stream and what the call comes to.
inline void write_empty(EncodeRequest const& request, EmptyStream const& empty) {
  HeaderFields h{request.asked, {}};
  h.constant = h.bound.needs_range();
  (h.has_kept_bound() ? h.steps.offset : h.abs_bound) = h.constant ? 0 : h.bound.value;
  std::size_t const bytes = h.layout().payload;
  require_capacity(bytes, request.capacity);
  std::fill_n(empty.bytes, bytes, std::byte{0});
  write_header(h, empty.bytes);
  *empty.result = {h, bytes, false, false, 0, 0};
}

}  // namespace kompakt::impl

#endif
