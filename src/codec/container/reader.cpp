#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <coder/table.hpp>
#include <container/reader.hpp>
#include <numeric>
#include <predictor/table.hpp>
#include <string>
#include <vector>

namespace kompakt::impl {

std::string fault_of_part(FieldShape const& shape, FramePart const& part) {
  FieldShape whole = shape;
  for (int i = 0; i < shape.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    std::uint64_t const extent = shape.extents[axis], origin = part.origin[axis],
                        total = part.total[axis];
    whole.extents[axis] = std::max(total, extent);
    // What is not yet known is no smaller than what is here.
    std::uint64_t const most = total > 0 ? total : max_field_values;
    if (origin > most || extent > most - origin) {
      return std::to_string(extent) + " values begin at " + std::to_string(origin) +
             " along index " + std::to_string(i) + ", which has an extent of " +
             std::to_string(total);
    }
  }
  return is_countable(whole) ? "" : "the extents' product does not fit in 60 bits";
}

namespace {

[[noreturn]] void fail(Status status, std::string const& what, std::string_view advice = {}) {
  throw Error(status, what, advice);
}

[[noreturn]] void fail_unknown(char const* what, std::uint64_t number) {
  fail(Status::unsupported_version,
       std::string("the stream has ") + what + " " + std::to_string(number) +
           ", which this library does not know",
       "update kompakt");
}

template <class E>
void require_known(E value, int last, char const* what) {
  auto const number = static_cast<std::uint64_t>(value);
  if (number > static_cast<std::uint64_t>(last)) fail_unknown(what, number);
}

void check_identity(std::span<std::byte const> front) {
  constexpr std::size_t magic_bytes = 8;
  std::uint64_t magic = 0;
  if (front.size() >= magic_bytes) std::memcpy(&magic, front.data(), magic_bytes);
  if (magic != format_magic) {
    fail(Status::bad_magic, "these bytes are not a kompakt stream (the first eight differ)");
  }
  if (front.size() < header_bytes) {
    fail(Status::corrupt, "the stream ends inside its header, after " +
                              std::to_string(front.size()) + " bytes; it is truncated");
  }
}

void check_version(Header const& h) {
  if (h.version == format_version) return;
  fail(Status::unsupported_version,
       "the stream has format version " + std::to_string(h.version) +
           ", this library reads version 1",
       "update kompakt");
}

// Header and section table; the checksum's own member counts as 0.
void check_table(std::span<std::byte const> front) {
  std::size_t const table_end = table_end_of(front.data());
  if (table_end > front.size()) {
    fail(Status::corrupt, "the stream ends inside its section table; it is truncated");
  }
  std::vector<std::byte> copy(front.begin(),
                              front.begin() + static_cast<std::ptrdiff_t>(table_end));
  std::uint32_t stored;
  std::memcpy(&stored, copy.data() + at::checksum, sizeof(stored));
  put(copy.data() + at::checksum, 0, 4);
  if (checksum_bytes(copy.data(), table_end, 0) != stored) {
    fail(Status::corrupt, "the checksum of the header does not match; the stream was altered");
  }
}

void check_coding(Header const& h) {
  if ((h.features & ~feature::known) != 0) {
    fail(Status::unsupported_version,
         "the stream needs features " + std::to_string(h.features & ~feature::known) +
             ", which this library does not know",
         "update kompakt");
  }
  CoderRow const* const coder = row_of(h.pipeline);
  if (coder == nullptr) fail_unknown("pipeline", static_cast<std::uint64_t>(h.pipeline));
  require_known(h.variant, variant_count - 1, "variant");
  if (!has_variant(h.pipeline, h.variant)) {
    fail(Status::corrupt, std::string("the stream has variant ") + to_string(h.variant) +
                              ", which is not one of " + to_string(h.pipeline));
  }
  require_known(h.shape.dtype, static_cast<int>(Dtype::c64) - 1, "value type");
  require_known(h.bound.mode, bound_mode_count - 1, "bound mode");
  require_known(h.tile_shape, tile_shapes - 1, "tile shape");
  if (row_of(h.method) == nullptr) {
    fail_unknown("predictor", static_cast<std::uint64_t>(h.method));
  }
  if (!go_together(h.pipeline, h.variant, h.method)) {
    fail(Status::corrupt, "the stream has the predictor " + std::string(row_of(h.method)->word) +
                              ", whose residuals " + to_string(h.pipeline) + " does not code");
  }
}

// A width of bins is a positive number of the values' type.
bool is_width(Header const& h) {
  double const width =
      h.shape.dtype == Dtype::f32
          ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(h.constant_bits)))
          : std::bit_cast<double>(h.constant_bits);
  bool const is_of_type = h.shape.dtype != Dtype::f32 || h.constant_bits >> 32 == 0;
  return is_of_type && width > 0 && std::isfinite(width);
}

void check_bound(Header const& h) {
  double const kept = h.has_kept_bound() ? h.kept_bound() : 0;
  if (!(h.abs_bound >= 0 && kept >= 0) || !std::isfinite(h.abs_bound + kept)) {
    fail(Status::corrupt, "the stored bound is not a number >= 0");
  }
  bool const relative = h.bound.mode == ErrorBound::Mode::pwr;
  if (relative && !(h.abs_bound > 0 && h.abs_bound < 1)) {
    fail(Status::corrupt,
         "the stored bound, which is relative to each value, is not between 0 and 1");
  }
  bool const lossless = h.bound.mode == ErrorBound::Mode::lossless;
  if (!is_number(h.shape.dtype) && lossless && h.has_fill) {
    fail(Status::corrupt, std::string("the stream has a fill value for ") +
                              to_string(h.shape.dtype) + " without loss, which masks none");
  }
  if (says_width(h) != h.has_width() || (h.has_width() && !is_width(h))) {
    fail(Status::corrupt, "the stored width of bins does not fit the bound");
  }
  // Of values that are coded as numbers of another type it would be taken for a width there.
  if (h.constant_bits != 0 && !h.constant && !h.has_reference() && !h.has_width()) {
    fail(Status::corrupt, "the header has a constant that nothing uses");
  }
  if (h.steps.kind != ValueSteps::Kind::none && !(lossless && are_usable(h.steps, h.shape.dtype))) {
    fail(Status::corrupt, "the stored steps of values do not fit a lossless stream of " +
                              std::string(to_string(h.shape.dtype)));
  }
  if (lossless && (h.abs_bound != 0 || !row_of(h.pipeline)->lossless || h.constant)) {
    fail(Status::corrupt,
         "the header of a lossless stream has a bound, a constant or a pipeline "
         "whose codes are too short");
  }
}

void check_length(Header const& h, std::size_t stream_bytes) {
  if (stream_bytes == 0 || h.bytes == stream_bytes) return;
  fail(Status::corrupt, "the header gives a size of " + std::to_string(h.bytes) +
                            " bytes, but there are " + std::to_string(stream_bytes) +
                            (stream_bytes < h.bytes ? "; the stream is truncated" : ""));
}

std::string name_of(SectionId id) {
  return "section " + std::to_string(static_cast<std::uint32_t>(id));
}

// The sections that must be there. One of a coder or predictor that has none is refused: layouts count its bytes, of which
// nobody else would ask whether they lie inside the stream.
std::vector<SectionId> needed_sections(Header const& h) {
  std::vector<SectionId> needed{SectionId::shape, SectionId::chunk_index, SectionId::payload};
  bool const has_values = h.shape.size() > 0;
  auto const take = [&](SectionId id, bool is_needed) {
    if (is_needed) needed.push_back(id);
    bool const counts = id == SectionId::coder || id == SectionId::predictor;
    if (is_needed || !counts || h.sections[id].bytes == 0) return;
    fail(Status::corrupt, name_of(id) + " has bytes, but this stream has no such section");
  };
  take(SectionId::coder, has_values && !row_of(h.pipeline)->section.empty());
  take(SectionId::predictor, has_values && row_of(h.method)->section_bytes != nullptr);
  take(SectionId::fill, h.has_fill);
  take(SectionId::packing, h.is_packed());
  take(SectionId::limits, h.extra.limits > 0);
  return needed;
}

// Each lies inside the stream, behind the table and apart from the others.
void check_sections(Header const& h, std::size_t table_end) {
  std::vector<SectionId> needed = needed_sections(h);
  for (SectionId const id : needed) {
    if (!h.sections[id].present) fail(Status::corrupt, name_of(id) + " is missing");
    if (!h.sections[id].lies_within(h.bytes)) {
      fail(Status::corrupt, name_of(id) + " does not lie inside the stream");
    }
  }
  auto const place = [&](SectionId id) {
    return std::pair(h.sections[id].offset, h.sections[id].bytes);
  };
  std::sort(needed.begin(), needed.end(),
            [&](SectionId a, SectionId b) { return place(a) < place(b); });
  std::size_t end = table_end;
  for (SectionId const id : needed) {
    Section const& section = h.sections[id];
    if (section.bytes > 0 && section.offset < end) {
      fail(Status::corrupt, name_of(id) + " overlaps another one or the section table");
    }
    end = std::max(end, section.offset + section.bytes);
  }
}

// In the front what belongs to no section, whether this library knows it or not, is zero: no checksum covers it.
void check_padding(std::span<std::byte const> front, Header const& h, std::size_t table_end) {
  std::vector<std::pair<std::size_t, std::size_t>> parts{{0, table_end}};  // begin, end
  for (std::size_t entry = header_bytes; entry < table_end; entry += section_entry_bytes) {
    std::size_t place[2];  // offset, bytes
    std::memcpy(place, front.data() + entry + 8, sizeof(place));
    parts.emplace_back(place[0], place[0] + std::min(place[1], ~place[0]));
  }
  std::sort(parts.begin(), parts.end());
  std::size_t const limit = std::min({front.size(), h.bytes, inspect_bytes});
  std::size_t covered = 0;
  for (auto const& [begin, end] : parts) {
    for (; covered < std::min(begin, limit); ++covered) {
      if (front[covered] == std::byte{0}) continue;
      fail(Status::corrupt, "byte " + std::to_string(covered) +
                                " lies between sections and is not zero; the stream was altered");
    }
    covered = std::max(covered, end);
  }
}

// Bytes of a section that must lie in the front match their checksum.
void check_checksum(std::span<std::byte const> front, Header const& h, SectionId id,
                    char const* what) {
  Section const& s = h.sections[id];
  if (!s.lies_within(front.size())) {
    fail(Status::corrupt, std::string("the stream ends inside ") + what + "; it is truncated");
  }
  std::uint32_t const sum = s.bytes % 4 != 0 ? ~s.checksum
                                             : checksum_bytes(front.data() + s.offset, s.bytes,
                                                              static_cast<std::uint32_t>(id));
  if (sum == s.checksum) return;
  fail(Status::corrupt,
       std::string("the checksum of ") + what + " does not match; the stream was altered");
}

void check_shape(std::span<std::byte const> front, Header const& h) {
  if (!h.sections[SectionId::shape].present) {
    fail(Status::corrupt, name_of(SectionId::shape) + " is missing");
  }
  check_checksum(front, h, SectionId::shape, "the shape");
  FieldShape const& shape = h.shape;
  if (shape.rank < 1 || shape.rank > max_rank ||
      h.sections[SectionId::shape].bytes != shape_section_bytes(shape.rank)) {
    fail(Status::corrupt, "the shape section is damaged (rank " + std::to_string(shape.rank) + ")");
  }
  std::size_t const parts = part_axis(shape);
  if (h.has_parts && (!is_number(shape.dtype) || shape.rank < 2 || shape.extents[parts] != 2 ||
                      h.part.origin[parts] != 0 || h.part.total[parts] > 2)) {
    fail(Status::corrupt,
         "the header says that the values are parts of complex numbers, but its "
         "slowest index does not tell two of them");
  }
  // No axis counts the index of the parts, which is the slowest. Of one index there is no second
  // one, and 0 names none.
  int const indices = shape.rank - (h.has_parts ? 1 : 0);
  auto const exists = [&](int number, int before) {
    return number == 0 || number + before < indices;
  };
  if (!exists(h.coded.lead, 0) || !exists(h.coded.second, 1) || !exists(h.coded.third, 2)) {
    fail(Status::corrupt, "the stream codes indices first that a field of rank " +
                              std::to_string(indices) + " does not have");
  }
  if (!ChoiceRecord::from_bits(h.reason_bits)) {
    fail(Status::corrupt, "the stored reason for the pipeline is damaged");
  }
  if (std::string const fault = fault_of_part(shape, h.part); !fault.empty()) {
    fail(Status::corrupt, "by the header " + fault);
  }
}

// No stream that is written has more, and no call that decodes one has to ask again.
void check_chunks(Header const& h) {
  std::int64_t const chunks = h.chunks();
  if (fits_one_call(h.method, chunks)) return;
  fail(Status::corrupt, "the extents make " + std::to_string(chunks) +
                            " chunks, more than one call can take; the stream was altered");
}

// The minimal size of an index entry also bounds what a short stream can claim to decode to.
void check_index(Header const& h) {
  std::size_t const bytes = h.sections[SectionId::chunk_index].bytes,
                    needed = index_section_bytes(h.chunks(), h.is_packed());
  if (bytes == needed) return;
  fail(Status::corrupt, "the chunk index has " + std::to_string(bytes) + " bytes, but " +
                            std::to_string(h.chunks()) + " chunks need " + std::to_string(needed));
}

void check_packing(Header const& h) {
  if (!h.is_packed()) return;
  for (SectionId const id : {SectionId::coder, SectionId::predictor}) {
    Section const& section = h.sections[id];
    if (!section.present || section.bytes == 0 ||
        section.offset + section.bytes <= h.sections[SectionId::chunk_index].offset) {
      continue;
    }
    fail(Status::corrupt, name_of(id) + " of a packed stream lies behind its index");
  }
  std::size_t const bytes = h.extra.packing;
  if (bytes > 0 && bytes <= max_packing_bytes && bytes % section_alignment == 0 &&
      h.payload_bytes % word_bytes == 0 && h.shape.size() > 0) {
    return;
  }
  fail(Status::corrupt, "the stream is packed, but its packing section has " +
                            std::to_string(bytes) + " bytes and its payload " +
                            std::to_string(h.payload_bytes));
}

void check_coder_section(std::span<std::byte const> front, Header const& h) {
  CoderRow const& coder = *row_of(h.pipeline);
  if (coder.section.empty() || h.shape.size() == 0) return;
  Section const& section = h.sections[SectionId::coder];
  if (section.bytes < 8 || !Section{section.offset, 8}.lies_within(front.size())) {
    fail(Status::corrupt, "the " + std::string(coder.section) + " does not begin in the first " +
                              std::to_string(inspect_bytes) + " bytes of the stream");
  }
  StreamInfo ignored;
  if (coder.tell(h.coder_head, section.bytes, ignored)) return;
  fail(Status::corrupt, "the " + std::string(coder.section) + " of " +
                            std::to_string(section.bytes) +
                            " bytes does not begin like a section of this length");
}

void check_predictor_section(Header const& h) {
  PredictorRow const& predictor = *row_of(h.method);
  if (predictor.section_bytes == nullptr || h.shape.size() == 0) return;
  std::size_t const bytes = predictor.section_bytes(h.extents());
  if (h.extra.predictor == bytes) return;
  fail(Status::corrupt, "the section of the predictor " + std::string(predictor.word) + " has " +
                            std::to_string(h.extra.predictor) + " bytes instead of " +
                            std::to_string(bytes));
}

void check_fill(std::span<std::byte const> front, Header const& h) {
  if (!h.has_fill) return;
  Section const& section = h.sections[SectionId::fill];
  if (section.bytes != fill_section_bytes || !section.lies_within(front.size())) {
    fail(Status::corrupt, "the fill value does not lie in the first " +
                              std::to_string(inspect_bytes) + " bytes of the stream");
  }
  check_checksum(front, h, SectionId::fill, "the fill value");
  if (h.coded_type() == Dtype::f32 && h.fill_bits >> 32 != 0) {
    fail(Status::corrupt, "the fill value is not a value of f32");
  }
}

void check_limits(std::span<std::byte const> front, Header const& h) {
  if (h.extra.limits == 0) return;
  Section const& section = h.sections[SectionId::limits];
  if (section.bytes != limits_section_bytes || !section.lies_within(front.size())) {
    fail(Status::corrupt, "the limits do not lie in the first " + std::to_string(inspect_bytes) +
                              " bytes of the stream");
  }
  check_checksum(front, h, SectionId::limits, "the limits");
  auto const is_value = [&](double limit) {
    return h.coded_type() == Dtype::f64 || std::isinf(limit) ||
           static_cast<double>(static_cast<float>(limit)) == limit;
  };
  Limits const& limits = h.limits;
  if (limits.lower <= limits.upper && limits.any() && is_value(limits.lower) &&
      is_value(limits.upper) && h.bound.mode != ErrorBound::Mode::lossless) {
    return;
  }
  fail(Status::corrupt, "the limits " + std::to_string(limits.lower) + " and " +
                            std::to_string(limits.upper) + " are not values of this stream's type");
}

// What follows from the extents of a field whose predictor has levels.
void check_levels(Header const& h) {
  if (!has_levels(h.method)) return;
  if (h.bound.mode == ErrorBound::Mode::lossless) {
    fail(Status::corrupt, "an interpolated field without loss");
  }
  if (h.shape.size() == 0 || h.tile_shape == level_shape(h.extents())) return;
  fail(Status::corrupt,
       "the levels of an interpolated field of these extents have another shape of "
       "tiles than " +
           std::to_string(static_cast<int>(h.tile_shape)));
}

}  // namespace

Header read_header(std::span<std::byte const> front, std::size_t stream_bytes) {
  check_identity(front);
  Header h;
  parse_header(front.data(), front.size(), h);
  check_version(h);
  check_table(front);
  check_coding(h);
  check_bound(h);
  check_length(h, stream_bytes);
  check_shape(front, h);
  check_sections(h, table_end_of(front.data()));
  check_padding(front, h, table_end_of(front.data()));
  check_chunks(h);
  check_levels(h);
  check_index(h);
  check_coder_section(front, h);
  check_predictor_section(h);
  check_fill(front, h);
  check_limits(front, h);
  check_packing(h);
  return h;
}

double fill_as_double(std::uint64_t bits, Dtype dtype) {
  return size_of(dtype) == 4
             ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
             : std::bit_cast<double>(bits);
}

namespace {

// What values keep by the bound that numbers keep.
double bound_of_values(Header const& h) {
  if (!h.has_rounded_values()) return h.abs_bound;
  if (h.has_kept_bound()) return h.kept_bound();
  return h.bound.mode == ErrorBound::Mode::pwr ? 2 * h.abs_bound : std::floor(h.abs_bound);
}

}  // namespace

StreamInfo info_of(Header const& h) {
  StreamInfo info;
  info.version = h.version;
  info.pipeline = h.pipeline;
  info.variant = h.variant;
  info.reason = ChoiceRecord::from_bits(h.reason_bits).value_or(ChoiceRecord());
  info.shape = h.shape;
  info.part = h.part;
  if (h.has_parts) {
    info.shape = shape_of_complex(h.shape);
    info.part = {without_part(h.shape, h.part.origin), without_part(h.shape, h.part.total)};
  }
  info.bound = h.bound;
  info.bound.is_default = false;  // it is the stream's
  info.abs_bound = bound_of_values(h);
  info.prediction = h.prediction();
  name_axes(info, axes_of(h.shape, h.coded, h.has_parts));
  info.constant = h.constant;
  info.exceptions = h.exceptions;
  info.limits = h.limits;
  if (h.steps.any()) info.steps = h.steps;
  if (h.has_fill) info.fill = fill_as_double(h.fill_bits, h.coded_type());
  info.chunks = static_cast<std::uint64_t>(h.chunks());
  info.checksum = h.checksum;
  info.packed = h.extra.packing > 0;
  info.bytes = h.bytes;
  CoderRow const& coder = *row_of(h.pipeline);
  if (!coder.section.empty() && h.extra.coder > 0) coder.tell(h.coder_head, h.extra.coder, info);
  return info;
}

namespace {

/// Indices of a field by how many run faster in memory, as far as they are not taken yet.
class IndicesLeft {
 public:
  explicit IndicesLeft(int rank) : m_count(rank) { std::iota(m_left.begin(), m_left.end(), 0); }
  /// Takes the index that so many of those that are left run faster than; -1 if there is none.
  int take(int before) {
    if (before >= m_count) return -1;
    auto const at = m_left.begin() + before;
    int const taken = *at;
    std::move(at + 1, m_left.begin() + m_count, at);
    --m_count;
    return taken;
  }
  /// How many of those that are left run faster than the first that is not among some numbers; 0 if there is none.
  int first_but(std::array<int, 3> const& named) const {
    auto const end = m_left.begin() + m_count;
    auto const found = std::find_if(
        m_left.begin(), end, [&](int faster) { return std::ranges::count(named, faster) == 0; });
    return found == end ? 0 : static_cast<int>(found - m_left.begin());
  }
  /// How many of those that are left run faster than one; 0 if that is not left, or of a field of lower rank.
  int before(int faster) const {
    auto const end = m_left.begin() + m_count, found = std::find(m_left.begin(), end, faster);
    return found == end ? 0 : static_cast<int>(found - m_left.begin());
  }

 private:
  std::array<int, max_rank> m_left{};
  int m_count;
};

}  // namespace

IndexOrder order_of(FieldShape const& shape, CodedAxes const& axes, bool has_parts) {
  if (shape.size() == 0) return {};
  std::array<int, 3> named{}, places{};
  std::ranges::transform(axes, named.begin(), [&](int axis) {
    return axis < 0 ? -1 : entry_of(shape, axis + entries_before_field(shape, has_parts));
  });
  IndicesLeft left(shape.rank);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = named[i] < 0 ? left.first_but(named) : left.before(named[i]);
    left.take(places[i]);
  }
  return {static_cast<std::int16_t>(places[0]), static_cast<std::int8_t>(places[1]),
          static_cast<std::int8_t>(places[2])};
}

std::vector<CodedAxes> axes_to_try(int rank) {
  std::vector<CodedAxes> all;
  for (int first = 0; first < rank; ++first) {
    all.push_back({first, -1, -1});
    for (int second = 0; rank > 3 && second < rank; ++second) {
      if (first != second) all.push_back({first, second, -1});
    }
  }
  return all;
}

std::string text_of_axes(CodedAxes const& axes) {
  auto const named = static_cast<std::size_t>(count_named(axes));
  std::string text = std::to_string(axes[0]);
  for (std::size_t i = 1; i < named; ++i) text.append(1, ':').append(std::to_string(axes[i]));
  return text;
}

CodedAxes axes_of(FieldShape const& shape, IndexOrder const& coded, bool has_parts) {
  IndicesLeft left(shape.rank);
  int const places[] = {coded.lead, coded.second, coded.third};
  int const named = coded.third != 0 ? 3 : coded.second != 0 ? 2 : 1;
  CodedAxes axes{-1, -1, -1};
  for (int i = 0; i < named; ++i) {
    int const faster = left.take(places[i]);
    if (faster < 0) break;
    axes[static_cast<std::size_t>(i)] =
        entry_of(shape, faster) - entries_before_field(shape, has_parts);
  }
  return axes;
}

HeaderAsked asked_of(StreamInfo const& info) {
  HeaderAsked asked;
  asked.pipeline = info.pipeline;
  asked.variant = info.variant;
  asked.method = info.prediction.value_or(Prediction{}).method;
  asked.checksum = info.checksum;
  asked.bound = info.bound;
  asked.shape = shape_of_parts(info.shape);
  asked.has_parts = is_complex(info.shape.dtype);
  asked.coded = order_of(asked.shape, named_axes(info), asked.has_parts);
  asked.limits = info.limits;
  asked.steps = info.steps;
  asked.reason_bits = info.reason.bits();
  if (asked.has_kept_bound()) asked.steps.offset = info.abs_bound;
  return asked;
}

}  // namespace kompakt::impl

namespace kompakt {

StreamInfo inspect(std::span<std::byte const> stream) {
  bool const all = stream.size() < impl::inspect_bytes;
  return impl::named(
      "inspect", [&] { return impl::info_of(impl::read_header(stream, all ? stream.size() : 0)); });
}

StreamInfo inspect_next(std::span<std::byte const> start) {
  if (start.size() < impl::header_bytes) return inspect(start);
  std::uint64_t bytes;
  std::memcpy(&bytes, start.data() + impl::at::bytes, sizeof(bytes));
  return inspect(start.first(std::min<std::uint64_t>(start.size(), bytes)));
}

}  // namespace kompakt
