#include "compare_parts.hpp"
#include "compare_values.hpp"
#include <cli/parts/codec.hpp>
#include <cli/parts/field_input.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/fill.hpp>
#include <cli/parts/partial_decode.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/slabs.hpp>
#include <cli/parts/stages.hpp>
#include <cstddef>
#include <filesystem>
#include <kompakt/error.hpp>
#include <system_error>
#include <utility>
#include <vector>

namespace kompakt::cli {

namespace {

constexpr int fields = 2;  // the original and what became of it

/// A part of the stream with the values that it shall stand for.
struct ComparedPart {
  StreamInfo frame;  ///< that it is of
  DecompressionStep step;
  std::vector<std::byte> original;
};

/// Compares parts one after the other, in memory that it keeps.
class PartComparer {
 public:
  /// \param bound  of all parts; none: each its own, by its frame
  /// \param fills  that are left out beside the one of each frame
  PartComparer(Space space, std::string label, std::optional<ErrorBound> bound, FillValue fills)
      : m_codec(space),
        m_decompressor(space),
        m_label(std::move(label)),
        m_bound(bound),
        m_fills(fills) {}

  /// Adds the part behind those before. Values that are left out of all metrics become NaN.
  void add(ComparedPart& part, Comparison& sum) {
    FieldShape shape = part.step.shape;
    make_room(m_restored, shape.bytes(), "field");
    naming(m_label, [&] {
      m_decompressor.decompress(part.step.bytes(), part.step.region, shape, m_restored);
    });
    ErrorBound const checked = m_bound.value_or(part.frame.resolved());
    if (are_compared_as_numbers(shape.dtype, checked.mode)) {
      make_numbers(shape, part.original, m_restored);
    }
    FillValue fills = m_fills;
    if (part.frame.fill) add_fill(fills, *part.frame.fill);
    ChangedFills const changed = mark_changed_fills(fills, shape.dtype, part.original, m_restored);
    sum.changed.became_missing += changed.became_missing;
    sum.changed.lost += changed.lost;
    sum.fill_values += leave_out_fills(fills, shape.dtype, part.original, m_restored);
    Metrics const stats = compare_values(m_codec, shape, part.original, m_restored, checked, {});
    if (sum.metrics.first_violation < 0) {
      sum.first = first_violation(stats, checked, shape, part.original, m_restored, changed);
    }
    cli::add(sum.metrics, stats);
  }

 private:
  AnyCodec m_codec;
  Decompressor m_decompressor;
  std::string m_label;
  std::optional<ErrorBound> m_bound;
  FillValue m_fills;
  std::vector<std::byte> m_restored;
};

void require_no_metrics(CompareArguments const& arguments, StreamSource const& source) {
  if (!arguments.metrics) return;
  throw Error(Status::bad_argument,
              "--metrics: '" + source.label() +
                  "' has several frames, and SSIM and its like need the whole field; "
                  "decompress it and compare the raw fields");
}

}  // namespace

bool is_compared_in_parts(CompareArguments const& arguments, StreamSource const& source) {
  if (!source.file && !source.archive) return false;  // a pipe
  std::uint64_t const memory_bytes = memory_for(arguments.memory.given(), Space::serial).bytes;
  try {
    FrameReader reader(source);
    if (!reader.next()) return false;
    if (reader.frame().is_part()) return true;
    return !arguments.metrics && bytes_as_a_whole(reader.frame(), fields) > memory_bytes;
  } catch (Error const&) {
    return false;  // whatever is wrong is found, and told, when it is read
  }
}

Comparison compare_in_parts(CompareArguments const& arguments, StreamSource const& source,
                            ExecChoice const& exec) {
  require_no_metrics(arguments, source);
  StreamInfo const whole = scan_frames(source).whole();
  Comparison sum;
  sum.info = whole;
  sum.shape = whole.shape;
  FieldInput const input = open_original(arguments, whole.shape);
  sum.original = input.variable;
  std::optional<ErrorBound> const bound = bound_for(arguments, input);
  files::FieldReader& original = *input.reader;
  FrameReader frames(source);
  KokkosSession const kokkos(exec);
  std::uint64_t const memory_bytes = memory_for(arguments.memory.given(), exec.space).bytes;
  FillValue const fills = fills_of(arguments, input, whole);
  sum.checked = resolve_bound(arguments.bound, bound, whole, [&] {
    return range_of(original, Slabs(sum.shape, Options{}, memory_bytes), exec.space, fills);
  });
  StepReader steps(source, frames, memory_bytes, fields);
  // Frames that reach a PSNR have bounds of their own.
  PartComparer comparer(exec.space, source.label(), bound ? std::optional(sum.checked) : bound,
                        fills);
  ComparedPart parts[2];
  auto const read = [&](std::uint64_t k) {
    ComparedPart& part = parts[k % 2];
    if (!steps.read(part.step)) return false;
    part.frame = frames.frame();
    read_slab(original, part.step.shape, part.original);
    return true;
  };
  during("comparing", sum.shape.bytes() + whole.bytes, Progress::Shows::read, [&] {
    in_stages(
        read, [&](std::uint64_t k) { comparer.add(parts[k % 2], sum); }, [](std::uint64_t) {});
  });
  if (are_compared_as_numbers(sum.shape.dtype, sum.checked.mode)) {
    sum.shape.dtype = type_of_numbers(sum.shape.dtype);
  }
  return sum;
}

}  // namespace kompakt::cli
