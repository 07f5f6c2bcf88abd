#ifndef KOMPAKT_CONTAINER_HEADER_HPP
#define KOMPAKT_CONTAINER_HEADER_HPP

#include <Kokkos_BitManipulation.hpp>
#include <container/format.hpp>
#include <core/checksum.hpp>
#include <core/lattice.hpp>
#include <cstring>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>

// What lies in front of a stream's chunk index, as one struct that host and device read and write by the same two
// functions. They judge nothing: container/reader.hpp does, on the host.

namespace kompakt::impl {

/// A section as the table of a stream has it.
struct Section {
  std::size_t offset = 0, bytes = 0;
  std::uint32_t checksum = 0;
  bool present = false;

  KOKKOS_FORCEINLINE_FUNCTION constexpr bool lies_within(std::size_t size) const {
    return offset % section_alignment == 0 && offset <= size && bytes <= size - offset;
  }
};

/// The first section of each id that this library knows.
class SectionTable {
 public:
  KOKKOS_FORCEINLINE_FUNCTION constexpr Section const& operator[](SectionId id) const {
    return m_sections[static_cast<std::uint32_t>(id) - 1];
  }
  /// Notes an entry of a stream's table, unless the id is not known or is noted already.
  KOKKOS_FORCEINLINE_FUNCTION constexpr void note(std::uint32_t id, Section const& section) {
    if (id - 1 < max_sections && !m_sections[id - 1].present) m_sections[id - 1] = section;
  }
  /// Puts a section in the place of the one of this id.
  constexpr void replace(SectionId id, Section const& section) {
    m_sections[static_cast<std::uint32_t>(id) - 1] = section;
  }

 private:
  Section m_sections[max_sections]{};
};

/// What a header says that is known before its field is looked at.
struct HeaderAsked {
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  PredictionMethod method = PredictionMethod::lorenzo;
  bool checksum = true;    ///< of every chunk
  bool has_parts = false;  ///< FieldSource::has_parts
  ErrorBound bound{};      ///< as it was stated
  FieldShape shape{};
  IndexOrder coded{};  ///< of its indices
  Limits limits{};     ///< values of the field's type, or none
  /// Only without loss; not automatic. Of values that are rounded to 16 bits, which have none, the offset is the bound that they keep:
  /// a member of its own made decoders on CUDA up to 9 % slower.
  ValueSteps steps = ValueSteps::none();
  std::uint64_t reason_bits = 0;  ///< ChoiceRecord::bits() of a choice

  /// As which values are coded.
  KOKKOS_INLINE_FUNCTION constexpr Dtype coded_type() const {
    return impl::coded_type(shape.dtype, bound.mode);
  }
  /// The field as its values are coded.
  constexpr FieldShape coded_values() const { return with_coded_type(shape, bound.mode); }
  KOKKOS_INLINE_FUNCTION constexpr bool has_rounded_values() const {
    return are_rounded(shape.dtype, bound.mode);
  }
  /// Whether the bound of values does not follow from the one that their numbers keep.
  KOKKOS_INLINE_FUNCTION constexpr bool has_kept_bound() const {
    return is_half(shape.dtype) && has_rounded_values() && bound.mode != ErrorBound::Mode::pwr;
  }
  /// This bound; numbers keep HeaderFound::abs_bound.
  KOKKOS_INLINE_FUNCTION constexpr double kept_bound() const { return steps.offset; }

  /// Whether the lattice of the field's levels is counted from a place of a LogScale, which the header has for a constant.
  KOKKOS_INLINE_FUNCTION constexpr bool has_reference() const {
    return has_levels(method) && bound.mode == ErrorBound::Mode::pwr;
  }
};

/// What the kernels of a compression find out.
struct HeaderFound {
  TileShape tile_shape = TileShape::chain;
  bool constant = false, has_fill = false;
  /// Of float in the low half. In place of the constant also the place that a lattice of magnitudes is counted from, and the width of
  /// bins if it is not twice the bound.
  std::uint64_t constant_bits = 0, fill_bits = 0;
  /// Resolved, of relative bins times the value; for values that are rounded the bound of the numbers that they are coded as.
  double abs_bound = 0;
  std::uint64_t exceptions = 0;
  std::size_t payload_bytes = 0;
  ExtraBytes extra{};
  std::uint32_t predictor_checksum = 0, coder_checksum = 0, packing_checksum = 0;
  std::uint64_t coder_head = 0;  ///< the first bytes of the coder's section
};

/// All that write_header() writes.
struct HeaderFields : HeaderAsked, HeaderFound {
  KOKKOS_INLINE_FUNCTION constexpr Extents3 extents() const { return fold_shape(shape, coded); }
  KOKKOS_INLINE_FUNCTION constexpr std::int64_t chunks() const {
    return shape.size() == 0 ? 0 : chunk_count(method, tile_shape, extents());
  }
  Prediction prediction() const { return {method, tile_shape}; }
  /// What every value keeps: absolute, relative to it, or lossless.
  KOKKOS_INLINE_FUNCTION constexpr ErrorBound resolved() const {
    return resolved_bound(bound.mode, abs_bound);
  }
  /// Whether bins have a width of their own.
  KOKKOS_INLINE_FUNCTION constexpr bool has_width() const {
    bool const may_have =
        bound.mode == ErrorBound::Mode::abs || bound.mode == ErrorBound::Mode::r2r;
    return may_have && !constant && constant_bits != 0 && is_number(shape.dtype) &&
           !has_levels(method);
  }
  /// What the members of bound and constant hold (Header::take_steps()).
  KOKKOS_INLINE_FUNCTION constexpr double stored_bound() const {
    if (has_kept_bound() && !constant) return kept_bound();
    return steps.any() ? steps.offset : abs_bound;
  }
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t stored_constant() const {
    if (has_kept_bound()) {
      auto const numbers = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(abs_bound));
      return constant_bits | std::uint64_t{numbers} << 32;
    }
    return steps.any() ? Kokkos::bit_cast<std::uint64_t>(steps.step) : constant_bits;
  }
  /// Where write_header() puts the sections.
  KOKKOS_INLINE_FUNCTION constexpr StreamLayout layout() const {
    return {shape.rank, chunks(), extra, has_fill};
  }
};

/// What parse_header() reads: also where the sections of the stream lie.
struct Header : HeaderFields {
  FramePart part{};
  int version = 0;             ///< of the format; 0: these bytes are no stream
  std::size_t bytes = 0;       ///< of the whole stream
  std::uint32_t features = 0;  ///< as they were read
  SectionTable sections{};

  /// Without loss bound and constant have nothing to say: they hold offset and step, if values are steps.
  KOKKOS_INLINE_FUNCTION void take_steps() {
    auto const kind = features >> feature::steps_shift & 7u;
    if (kind == 0 || kind == feature::width_of_bins) return;
    steps = {static_cast<ValueSteps::Kind>(kind), Kokkos::bit_cast<double>(constant_bits),
             abs_bound};
    constant_bits = 0;
    abs_bound = 0;
  }
  /// The bound of numbers of f32 that are rounded to 16 bits lies beside the constant.
  KOKKOS_INLINE_FUNCTION void take_kept_bound() {
    if (!has_kept_bound()) return;
    steps.offset = abs_bound;
    auto const numbers = static_cast<std::uint32_t>(constant_bits >> 32);
    abs_bound = static_cast<double>(Kokkos::bit_cast<float>(numbers));
    constant_bits &= 0xffffffffu;
  }

  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_packed() const {
    return (features & feature::packed) != 0;
  }
};

/// Whether values of a type can be made of steps, so that no operation leaves what numbers hold.
KOKKOS_INLINE_FUNCTION constexpr bool are_usable(ValueSteps const& steps, Dtype dtype) {
  constexpr double most = std::numeric_limits<double>::max();
  double const step = steps.step, offset = steps.offset;
  if (!is_number(dtype) || !(step > 0 && step <= most && offset >= -most && offset <= most)) {
    return false;
  }
  switch (steps.kind) {
    case ValueSteps::Kind::multiples:
    case ValueSteps::Kind::rounded:
    case ValueSteps::Kind::quotients: return true;
    case ValueSteps::Kind::bits:
      return step <= (dtype == Dtype::f32 ? 22 : 51) && step == static_cast<int>(step) &&
             offset == 0;
    default: return false;
  }
}

namespace detail {

/// The first bytes of a stream, of any alignment on a host.
struct FrontBytes {
  std::byte const* bytes;
  std::size_t size;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(std::size_t at) const {
    std::uint64_t word = 0;
    KOKKOS_IF_ON_HOST((std::memcpy(&word, bytes + at, sizeof(word));))
    KOKKOS_IF_ON_DEVICE((word = *reinterpret_cast<std::uint64_t const*>(bytes + at);))
    return word;
  }
  /// A member of the header of `count` bytes.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t member(std::size_t at, int count) const {
    return word(at / 8 * 8) >> (at % 8 * 8) & ((std::uint64_t{1} << (8 * count)) - 1);
  }
};

/// Notes the i-th entry of the section table, unless the front ends before it.
KOKKOS_FORCEINLINE_FUNCTION void parse_section(FrontBytes const& front, std::size_t i, Header& h) {
  std::size_t const entry = header_bytes + i * section_entry_bytes;
  if (entry + section_entry_bytes > front.size) return;
  std::uint64_t const first = front.word(entry);
  h.sections.note(static_cast<std::uint32_t>(first),
                  {front.word(entry + 8), front.word(entry + 16),
                   static_cast<std::uint32_t>(first >> 32), true});
}

/// Reads the shape section if it is one and lies in the front; leaves the extents alone if it does not.
KOKKOS_INLINE_FUNCTION void parse_shape(FrontBytes const& front, Header& h) {
  Section const& section = h.sections[SectionId::shape];
  h.shape.rank = 0;
  if (!section.lies_within(front.size) || section.bytes < 8) return;
  std::uint64_t const head = front.word(section.offset);
  h.shape.rank = static_cast<int>(head & 0xf);
  h.shape.order = static_cast<Order>(head >> shape_head_at::order & 1);
  h.coded.lead = static_cast<std::int16_t>(head >> shape_head_at::lead & 0xf);
  h.coded.second = static_cast<std::int8_t>(head >> shape_head_at::second & 7);
  h.coded.third = static_cast<std::int8_t>(head >> shape_head_at::third & 0xf);
  h.reason_bits = head >> shape_head_at::reason;
  if (h.shape.rank > max_rank || section.bytes != shape_section_bytes(h.shape.rank)) return;
  for (int i = 0; i < h.shape.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    std::size_t const at = section.offset + 8 + 24 * axis;
    h.shape.extents[axis] = front.word(at);
    h.part.origin[axis] = front.word(at + 8);
    h.part.total[axis] = front.word(at + 16);
  }
}

}  // namespace detail

/// Where the section table of a stream ends; at least header_bytes of it.
inline std::size_t table_end_of(std::byte const* stream) {
  return header_bytes + std::to_integer<std::size_t>(stream[at::sections]) * section_entry_bytes;
}

/// Reads what the front of a stream says, sound or not; numbers that name nothing stay what they are. By one
/// thread.
/// \param stream  `size` bytes, at least header_bytes: all of the stream or its first inspect_bytes; aligned to 8 on
///                a device
/// \param h       on a device better in shared memory: what one thread keeps in local memory takes a sector a word,
///                and in a full grid went to the second cache and back (15 us of a call's 210)
KOKKOS_INLINE_FUNCTION void parse_header(std::byte const* stream, std::size_t size, Header& h) {
  detail::FrontBytes const front{stream, size};
  h = Header{};
  bool const is_stream = front.word(at::magic) == format_magic;
  h.version = is_stream ? static_cast<int>(front.member(at::version, 2)) : 0;
  h.pipeline = static_cast<Pipeline>(front.member(at::pipeline, 1));
  h.shape.dtype = static_cast<Dtype>(front.member(at::dtype, 1));
  h.bound.mode = static_cast<ErrorBound::Mode>(front.member(at::mode, 1));
  h.variant = static_cast<Variant>(front.member(at::variant, 1));
  auto const tiling = front.member(at::tiling, 1);
  h.tile_shape = static_cast<TileShape>(tiling & tile_shape_mask);
  h.method = static_cast<PredictionMethod>(tiling >> predictor_shift);
  h.features = static_cast<std::uint32_t>(front.member(at::features, 4));
  h.checksum = (h.features & feature::chunk_checksum) != 0;
  h.constant = (h.features & feature::constant) != 0;
  h.has_fill = (h.features & feature::fill) != 0;
  KOKKOS_IF_ON_HOST((h.has_parts = (h.features & feature::parts) != 0;))
  h.bytes = front.word(at::bytes);
  h.abs_bound = Kokkos::bit_cast<double>(front.word(at::abs_bound));
  h.bound.value = Kokkos::bit_cast<double>(front.word(at::bound_value));
  h.exceptions = front.word(at::exceptions);
  h.constant_bits = front.word(at::constant);
  h.take_steps();
  // A device decodes no such stream before a host has looked at it.
  KOKKOS_IF_ON_HOST((h.take_kept_bound();))
  auto const sections = static_cast<std::size_t>(front.member(at::sections, 1));
  for (std::size_t i = 0; i < sections; ++i) detail::parse_section(front, i, h);
  detail::parse_shape(front, h);
  Section const &predictor = h.sections[SectionId::predictor],
                &coder = h.sections[SectionId::coder], &fill = h.sections[SectionId::fill],
                &packing = h.sections[SectionId::packing], &limits = h.sections[SectionId::limits];
  h.payload_bytes = h.sections[SectionId::payload].bytes;
  bool const has_limits = (h.features & feature::limits) != 0;
  h.extra = {predictor.bytes, coder.bytes, h.is_packed() ? packing.bytes : 0,
             has_limits ? limits_section_bytes : 0};
  h.packing_checksum = packing.checksum;
  h.predictor_checksum = predictor.checksum;
  h.coder_checksum = coder.checksum;
  if (coder.bytes >= 8 && Section{coder.offset, 8}.lies_within(size)) {
    h.coder_head = front.word(coder.offset);
  }
  if (fill.bytes == fill_section_bytes && fill.lies_within(size)) {
    h.fill_bits = front.word(fill.offset);
  }
  if (has_limits && limits.bytes == limits_section_bytes && limits.lies_within(size)) {
    h.limits = {Kokkos::bit_cast<double>(front.word(limits.offset)),
                Kokkos::bit_cast<double>(front.word(limits.offset + 8))};
  }
}

/// Whether a device may decode a stream that no host has looked at: it holds a field of this shape, with its sections
/// where write_header() puts them, is not packed, and its values are coded as what they are. Checks only what keeps a decoder
/// inside the stream and decides whether it may write to the field; whoever relies on the outcome lets read_header() judge the
/// same bytes.
/// \param h             what parse_header() read of it
/// \param memory_bytes  length of the stream, or of memory that begins with it
/// \param exact         which of both
KOKKOS_INLINE_FUNCTION bool is_as_written(Header const& h, FieldShape const& shape,
                                          std::size_t memory_bytes, bool exact) {
  bool fits = h.version == format_version && h.shape.dtype == shape.dtype &&
              h.shape.rank == shape.rank && h.shape.order == shape.order && h.coded.is_natural() &&
              static_cast<int>(h.tile_shape) < tile_shapes && (h.features & ~feature::known) == 0 &&
              !h.has_rounded_values() && !h.is_packed() && h.bytes <= memory_bytes &&
              (!exact || h.bytes == memory_bytes);
  if (!fits) return false;
  for (int i = 0; i < shape.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    fits &= h.shape.extents[axis] == shape.extents[axis];
  }
  // No section of these can be longer than the stream, so that their sum does not wrap around.
  fits &= h.extra.predictor <= h.bytes && h.extra.coder <= h.bytes &&
          h.extra.predictor % section_alignment == 0 && h.extra.coder % section_alignment == 0;
  if (!fits) return false;
  StreamLayout const layout = h.layout();
  auto const lies = [&](SectionId id, std::size_t offset, std::size_t bytes) {
    Section const& section = h.sections[id];
    fits &= section.present && section.offset == offset && section.bytes == bytes;
  };
  lies(SectionId::shape, layout.shape, shape_section_bytes(shape.rank));
  lies(SectionId::chunk_index, layout.index, layout.index_bytes);
  lies(SectionId::payload, layout.payload, h.bytes - layout.payload);
  fits &= layout.payload <= h.bytes;
  if (h.extra.predictor > 0) lies(SectionId::predictor, layout.predictor, h.extra.predictor);
  if (h.extra.coder > 0) lies(SectionId::coder, layout.coder, h.extra.coder);
  fits &= h.has_fill == h.sections[SectionId::fill].present;
  if (h.has_fill) lies(SectionId::fill, layout.fill, fill_section_bytes);
  fits &= (h.extra.limits > 0) == h.sections[SectionId::limits].present;
  if (h.extra.limits > 0) lies(SectionId::limits, layout.limits, limits_section_bytes);
  return fits;
}

/// Stores `bytes` low bytes of `value`, little-endian.
KOKKOS_INLINE_FUNCTION void put(std::byte* out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

/// Checksum of `bytes` (a multiple of 4) bytes.
KOKKOS_INLINE_FUNCTION std::uint32_t checksum_bytes(std::byte const* bytes, std::size_t size,
                                                    std::uint32_t seed) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size / 4; ++i) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      word |= static_cast<std::uint32_t>(bytes[4 * i + b]) << (8 * b);
    }
    sum += checksum_word(word, static_cast<std::uint32_t>(i), seed);
  }
  return sum;
}

namespace detail {

inline constexpr std::size_t max_table_words =
    (header_bytes + max_sections * section_entry_bytes) / 8;

/// Header and section table as the 64-bit words that they lie in: with constant positions a device
/// keeps them in registers.
struct FrontWords {
  std::uint64_t word[max_table_words] = {};

  KOKKOS_FORCEINLINE_FUNCTION void put(std::size_t at, std::uint64_t value) {
    word[at / 8] |= value << (at % 8 * 8);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_section(int number, SectionId id, std::uint32_t checksum,
                                               std::size_t offset, std::size_t bytes) {
    std::size_t const entry = header_bytes + static_cast<std::size_t>(number) * section_entry_bytes;
    put(entry, static_cast<std::uint64_t>(id));
    put(entry + 4, checksum);
    put(entry + 8, offset);
    put(entry + 16, bytes);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t checksum(std::size_t words) const {
    std::uint32_t sum = 0;
    KOMPAKT_UNROLL
    for (std::uint32_t i = 0; i < max_table_words; ++i) {
      if (i < words) sum += checksum_of_pair(word[i], i, 0);
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t checksum_of_pair(std::uint64_t word,
                                                                    std::uint32_t number,
                                                                    std::uint32_t seed) {
    return checksum_word(static_cast<std::uint32_t>(word), 2 * number, seed) +
           checksum_word(static_cast<std::uint32_t>(word >> 32), 2 * number + 1, seed);
  }
};

/// Writes the shape section of a whole field; returns its checksum.
KOKKOS_INLINE_FUNCTION std::uint32_t write_shape(HeaderAsked const& asked, std::uint64_t* out) {
  constexpr auto seed = static_cast<std::uint32_t>(SectionId::shape);
  FieldShape const& shape = asked.shape;
  out[0] = shape_head(shape, asked.coded) | asked.reason_bits << shape_head_at::reason;
  std::uint32_t sum = FrontWords::checksum_of_pair(out[0], 0, seed);
  for (int i = 0; i < 3 * shape.rank; ++i) {
    // Extent, origin, extent of the whole: this stream is the whole field.
    std::uint64_t const word = i % 3 == 1 ? 0 : shape.extents[static_cast<std::size_t>(i / 3)];
    out[1 + i] = word;
    sum += FrontWords::checksum_of_pair(word, static_cast<std::uint32_t>(1 + i), seed);
  }
  return sum;
}

/// The words in front of the table of sections, all but the checksum of both.
KOKKOS_FORCEINLINE_FUNCTION void put_fields(HeaderFields const& h, StreamLayout const& layout,
                                            FrontWords& front) {
  front.put(at::magic, format_magic);
  front.put(at::version, format_version);
  front.put(at::pipeline, static_cast<std::uint64_t>(h.pipeline));
  front.put(at::dtype, static_cast<std::uint64_t>(h.shape.dtype));
  front.put(at::mode, static_cast<std::uint64_t>(h.bound.mode));
  front.put(at::variant, static_cast<std::uint64_t>(h.variant));
  front.put(at::tiling, static_cast<std::uint64_t>(h.tile_shape) |
                            static_cast<std::uint64_t>(h.method) << predictor_shift);
  front.put(at::sections, static_cast<std::uint64_t>(sections_with(h.extra, h.has_fill)));
  front.put(at::features,
            (h.checksum ? feature::chunk_checksum : 0) | (h.constant ? feature::constant : 0) |
                (h.has_fill ? feature::fill : 0) | (h.extra.packing > 0 ? feature::packed : 0) |
                (h.extra.limits > 0 ? feature::limits : 0) | (h.has_parts ? feature::parts : 0) |
                (h.has_width() ? feature::width_of_bins : static_cast<std::uint32_t>(h.steps.kind))
                    << feature::steps_shift);
  front.put(at::bytes, layout.payload + h.payload_bytes);
  front.put(at::abs_bound, Kokkos::bit_cast<std::uint64_t>(h.stored_bound()));
  front.put(at::bound_value, Kokkos::bit_cast<std::uint64_t>(h.bound.value));
  front.put(at::exceptions, h.exceptions);
  front.put(at::constant, h.stored_constant());
}

/// The table of sections.
/// \param shape_checksum  of the shape as it has been written
KOKKOS_FORCEINLINE_FUNCTION void put_table(HeaderFields const& h, StreamLayout const& layout,
                                           std::uint32_t shape_checksum, FrontWords& front) {
  front.put_section(0, SectionId::shape, shape_checksum, layout.shape,
                    shape_section_bytes(h.shape.rank));
  // The chunks' checksums cover index and payload: each is seeded with the chunk's number, so a
  // chunk that the index misplaces does not pass.
  front.put_section(1, SectionId::chunk_index, 0, layout.index, layout.index_bytes);
  front.put_section(2, SectionId::payload, 0, layout.payload, h.payload_bytes);
  if (h.extra.coder > 0) {
    front.put_section(section_count, SectionId::coder, h.coder_checksum, layout.coder,
                      h.extra.coder);
  }
  if (h.has_fill) {
    constexpr auto seed = static_cast<std::uint32_t>(SectionId::fill);
    front.put_section(sections_with({0, h.extra.coder}, false), SectionId::fill,
                      FrontWords::checksum_of_pair(h.fill_bits, 0, seed), layout.fill,
                      fill_section_bytes);
  }
  if (h.extra.predictor > 0) {
    front.put_section(sections_with({0, h.extra.coder}, h.has_fill), SectionId::predictor,
                      h.predictor_checksum, layout.predictor, h.extra.predictor);
  }
  if (h.extra.packing > 0) {
    front.put_section(sections_with({h.extra.predictor, h.extra.coder}, h.has_fill),
                      SectionId::packing, h.packing_checksum, layout.packing, h.extra.packing);
  }
  if (h.extra.limits > 0) {
    constexpr auto seed = static_cast<std::uint32_t>(SectionId::limits);
    front.put_section(
        sections_with({h.extra.predictor, h.extra.coder, h.extra.packing}, h.has_fill),
        SectionId::limits,
        FrontWords::checksum_of_pair(Kokkos::bit_cast<std::uint64_t>(h.limits.lower), 0, seed) +
            FrontWords::checksum_of_pair(Kokkos::bit_cast<std::uint64_t>(h.limits.upper), 1, seed),
        layout.limits, limits_section_bytes);
  }
}

}  // namespace detail

/// Writes everything in front of the chunk index but the sections of predictor, coder and packing: header, section table,
/// shape, fill value, limits; by one thread, member by member, padding zero.
/// \param out  StreamLayout::index bytes, aligned to 8
KOKKOS_INLINE_FUNCTION void write_header(HeaderFields const& h, std::byte* out) {
  StreamLayout const layout = h.layout();
  auto* const words = reinterpret_cast<std::uint64_t*>(out);
  std::size_t const table_words = layout.table_end / 8;
  for (std::size_t at = table_words; at < layout.shape / 8; ++at) words[at] = 0;
  std::uint32_t const shape_checksum = detail::write_shape(h, words + layout.shape / 8);
  std::size_t const shape_end = layout.shape + shape_section_bytes(h.shape.rank);
  for (std::size_t at = shape_end / 8; at < layout.predictor / 8; ++at) words[at] = 0;
  if (h.has_fill) words[layout.fill / 8] = h.fill_bits;
  if (h.extra.limits > 0) {
    words[layout.limits / 8] = Kokkos::bit_cast<std::uint64_t>(h.limits.lower);
    words[layout.limits / 8 + 1] = Kokkos::bit_cast<std::uint64_t>(h.limits.upper);
  }

  detail::FrontWords front;
  detail::put_fields(h, layout, front);
  detail::put_table(h, layout, shape_checksum, front);
  front.put(at::checksum, front.checksum(table_words));
  KOMPAKT_UNROLL
  for (std::size_t i = 0; i < detail::max_table_words; ++i) {
    if (i < table_words) words[i] = front.word[i];
  }
}

}  // namespace kompakt::impl

#endif
