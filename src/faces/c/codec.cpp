#include "arguments.hpp"
#include "context.hpp"
#include "convert.hpp"
#include <kompakt/compress.hpp>
#include <vector>

// Compressing, decompressing, and what is asked of fields and streams.

using namespace kompakt;
using namespace kompakt::c;

kompakt_status kompakt_validate_options(kompakt_options const* options) {
  return call("kompakt_validate_options",
              [&] { validate(options_of(&required("options", options)).options); });
}

kompakt_status kompakt_max_compressed_bytes(kompakt_field const* field,
                                            kompakt_options const* options, uint64_t* bytes) {
  return call("kompakt_max_compressed_bytes", [&] {
    Array const array = array_of_field("field", field);
    Options const wanted = options_of(options).options;
    required("bytes", bytes) = max_compressed_bytes(array.shape, wanted);
  });
}

kompakt_status kompakt_inspect(void const* stream, uint64_t bytes, kompakt_info* info) {
  return call("kompakt_inspect", [&] {
    auto const result = required_result("info", info);
    result.set(to_c(inspect(bytes_of<std::byte const>("stream", stream, bytes))));
  });
}

kompakt_status kompakt_mark_part(void* stream, uint64_t bytes, uint64_t const* origin,
                                 uint64_t const* total, kompakt_info* info) {
  return call("kompakt_mark_part", [&] {
    Result const result("info", info);
    auto const all = bytes_of<std::byte>("stream", stream, bytes);
    auto const rank = static_cast<std::size_t>(inspect(all).shape.rank);
    FramePart part;
    std::copy_n(&required("origin", origin), rank, part.origin.begin());
    std::copy_n(&required("total", total), rank, part.total.begin());
    result.set(to_c(mark_part(all, part)));
  });
}

kompakt_status kompakt_compress(kompakt_context* context, kompakt_field const* field,
                                void const* values, kompakt_options const* options, void* stream,
                                uint64_t capacity, kompakt_memory stream_in, kompakt_info* info) {
  return call("kompakt_compress", [&] {
    AnyCodec& codec = required("context", context).codec;
    Array const array = array_of_field("field", field);
    ReasonedOptions const wanted = options_of(options);
    auto const to = bytes_of<std::byte>("stream", stream, capacity);
    MemoryOf const to_in = memory_of({"stream_in"}, stream_in);
    auto const result = required_result("info", info);
    result.set(
        to_c(codec.compress(array.at(values), array.in, wanted.options, to, to_in, wanted.reason)));
  });
}

namespace {

/// The fields of a batch, which lie in the same memory.
struct Fields {
  std::vector<ConstStridedData> data;
  MemoryOf in = MemoryOf::host;
};

Fields fields_of(std::uint64_t count, kompakt_field const* fields, void const* const* values) {
  Fields result;
  auto const pointers = array_of("values", values, count);
  if (count > 0) require_size("fields", required("fields", fields));
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    std::string const name = "fields[" + std::to_string(i) + "]";
    kompakt_field const* const field = element(fields, i);
    Array const array = array_of_field(name.c_str(), field);
    if (i == 0) result.in = array.in;
    if (array.in != result.in || field->struct_size != fields->struct_size) {
      refuse(name + " has another memory or struct_size than fields[0]");
    }
    result.data.push_back(array.at(pointers[i]));
  }
  return result;
}

std::vector<std::span<std::byte>> streams_of(std::uint64_t count, void* const* streams,
                                             std::uint64_t const* capacities) {
  auto const pointers = array_of("streams", streams, count);
  auto const bytes = array_of("capacities", capacities, count);
  std::vector<std::span<std::byte>> result;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    std::string const name = "streams[" + std::to_string(i) + "]";
    result.push_back(bytes_of<std::byte>(name.c_str(), pointers[i], bytes[i]));
  }
  return result;
}

std::vector<ErrorBound> bounds_of(std::uint64_t count, kompakt_bound const* bounds) {
  std::vector<ErrorBound> result;
  for (std::size_t i = 0; bounds != nullptr && i < count; ++i) {
    std::string const name = "bounds[" + std::to_string(i) + "]";
    result.push_back(bound_of(name.c_str(), bounds[i]));
  }
  return result;
}

std::vector<Result<kompakt_info>> results_of(std::uint64_t count, kompakt_info* infos) {
  std::vector<Result<kompakt_info>> result;
  for (std::size_t i = 0; i < count; ++i) {
    std::string const name = "infos[" + std::to_string(i) + "]";
    kompakt_info* const info = element(infos, i);
    result.push_back(required_result(name.c_str(), info));
    if (info->struct_size != infos->struct_size) {
      refuse(name + " has another struct_size than infos[0]");
    }
  }
  return result;
}

}  // namespace

kompakt_status kompakt_compress_batch(kompakt_context* context, uint64_t count,
                                      kompakt_field const* fields, void const* const* values,
                                      kompakt_bound const* bounds, kompakt_options const* options,
                                      void* const* streams, uint64_t const* capacities,
                                      kompakt_memory streams_in, kompakt_info* infos) {
  return call("kompakt_compress_batch", [&] {
    AnyCodec& codec = required("context", context).codec;
    if (count == 0) return;
    Fields const from = fields_of(count, fields, values);
    auto const within = bounds_of(count, bounds);
    ReasonedOptions const wanted = options_of(options);
    auto const to = streams_of(count, streams, capacities);
    MemoryOf const to_in = memory_of({"streams_in"}, streams_in);
    required("infos", infos);
    auto const results = results_of(count, infos);
    auto const found =
        codec.compress_batch(from.data, from.in, within, wanted.options, to, to_in, wanted.reason);
    for (std::size_t i = 0; i < found.size(); ++i) results[i].set(to_c(found[i]));
  });
}

kompakt_status kompakt_decompress(kompakt_context* context, void const* stream, uint64_t bytes,
                                  kompakt_memory stream_in, kompakt_field const* field,
                                  void* values, kompakt_info* info) {
  return call("kompakt_decompress", [&] {
    AnyCodec& codec = required("context", context).codec;
    auto const from = bytes_of<std::byte const>("stream", stream, bytes);
    MemoryOf const from_in = memory_of({"stream_in"}, stream_in);
    Array const array = array_of_field("field", field);
    Result const result("info", info);
    result.set(to_c(codec.decompress(from, from_in, array.at(values), array.in)));
  });
}

kompakt_status kompakt_decompress_region(kompakt_context* context, void const* stream,
                                         uint64_t bytes, kompakt_memory stream_in,
                                         uint64_t const* begin, uint64_t const* end,
                                         kompakt_field const* region, void* values,
                                         kompakt_info* info) {
  return call("kompakt_decompress_region", [&] {
    AnyCodec& codec = required("context", context).codec;
    auto const from = bytes_of<std::byte const>("stream", stream, bytes);
    MemoryOf const from_in = memory_of({"stream_in"}, stream_in);
    Array const array = array_of_field("region", region);
    Box const box = box_of(begin, end, array.shape.rank);
    Result const result("info", info);
    result.set(to_c(codec.decompress(from, from_in, array.at(values), array.in, box)));
  });
}

kompakt_status kompakt_choose(kompakt_context* context, kompakt_field const* field,
                              void const* values, kompakt_goal goal, kompakt_options* options) {
  return call("kompakt_choose", [&] {
    AnyCodec& codec = required("context", context).codec;
    Array const array = array_of_field("field", field);
    Goal const wanted =
        enumerator<Goal>({"goal"}, goal, "kompakt_goal", KOMPAKT_GOAL_RATIO, KOMPAKT_GOAL_SMALLEST);
    Options const given = options_of(&required("options", options)).options;
    Choice const choice = codec.choose(array.at(values), array.in, given, wanted);
    kompakt_options chosen = read("options", options, kompakt_options_default());
    set(chosen, choice.options);
    chosen.reason = choice.reason.bits();
    write_back(options, chosen);
  });
}

kompakt_status kompakt_field_range(kompakt_context* context, kompakt_field const* field,
                                   void const* values, kompakt_options const* options,
                                   kompakt_range* range) {
  return call("kompakt_field_range", [&] {
    AnyCodec& codec = required("context", context).codec;
    Array const array = array_of_field("field", field);
    FillValue const fill = options_of(options).options.fill;
    auto const result = required_result("range", range);
    result.set(to_c(codec.field_range(array.at(values), array.in, fill)));
  });
}

kompakt_status kompakt_range_width(double min, double max, double* width) {
  return call("kompakt_range_width", [&] {
    double& result = required("width", width);
    result = range_between(min, max).width();
  });
}

kompakt_status kompakt_options_for_parts(kompakt_range const* whole, kompakt_options* options) {
  return call("kompakt_options_for_parts", [&] {
    FieldRange const range =
        range_of(read("whole", &required("whole", whole), kompakt_range_default()));
    Options const given = options_of(&required("options", options)).options;
    kompakt_options of_part = read("options", options, kompakt_options_default());
    set(of_part, options_for_parts(range, given));
    write_back(options, of_part);
  });
}

kompakt_status kompakt_compare(kompakt_context* context, kompakt_field const* original_field,
                               void const* original, kompakt_field const* reconstructed_field,
                               void const* reconstructed, kompakt_bound const* bound,
                               uint32_t groups, kompakt_quality* quality) {
  return call("kompakt_compare", [&] {
    AnyCodec& codec = required("context", context).codec;
    Array const a = array_of_field("original_field", original_field);
    Array const b = array_of_field("reconstructed_field", reconstructed_field);
    ErrorBound const within =
        bound == nullptr ? ErrorBound::absolute(0) : bound_of("bound", *bound);
    if (groups > KOMPAKT_QUALITY_ALL) {
      refuse("groups is " + std::to_string(groups),
             "join some of KOMPAKT_QUALITY_SSIM and so on by |");
    }
    auto const wants = [&](std::uint32_t group) { return (groups & group) != 0; };
    MetricsOptions const wanted{wants(KOMPAKT_QUALITY_SSIM), wants(KOMPAKT_QUALITY_AUTOCORRELATION),
                                wants(KOMPAKT_QUALITY_HISTOGRAM), wants(KOMPAKT_QUALITY_ENTROPY)};
    auto const result = required_result("quality", quality);
    result.set(
        to_c(codec.metrics(a.at(original), a.in, b.at(reconstructed), b.in, within, wanted)));
  });
}
