#include "target.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <kompakt/kompakt.h>
#include <memory>
#include <string_view>

// The C interface on a stream, on structures and on texts from anywhere. The first byte of an input says which of these it is.

namespace kompakt::fuzz {

namespace {

enum Kind : unsigned { stream_kind, options_kind, field_kind, text_kind, kinds };

constexpr std::byte guard{0x5c};
constexpr std::size_t guard_bytes = 64;

/// Host memory of some length with guards behind it.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes) : m_bytes(bytes + guard_bytes, guard) {}
  void* data() { return m_bytes.data(); }
  void check() const {
    require(std::all_of(m_bytes.end() - guard_bytes, m_bytes.end(),
                        [](std::byte byte) { return byte == guard; }),
            "something was written behind the values");
  }

 private:
  Bytes m_bytes;
};

bool is_ok(kompakt_status status, std::initializer_list<kompakt_status> refusals) {
  if (status == KOMPAKT_OK) return true;
  if (std::find(refusals.begin(), refusals.end(), status) == refusals.end()) {
    std::fprintf(stderr, "status %d: %s\n", status, kompakt_last_message());
  }
  require(std::find(refusals.begin(), refusals.end(), status) != refusals.end(),
          "a call returns a status that its comment does not list");
  require(kompakt_last_message()[0] != '\0', "a call fails without a message");
  require(std::string_view(kompakt_status_string(status)) != "unknown status", "no status");
  return false;
}

kompakt_context* context() {
  static kompakt_context* const made = [] {
    kompakt_context* result = nullptr;
    require(kompakt_context_create(KOMPAKT_SPACE_SERIAL, nullptr, &result) == KOMPAKT_OK,
            "no context");
    return result;
  }();
  return made;
}

constexpr std::initializer_list<kompakt_status> no_stream{
    KOMPAKT_BAD_MAGIC, KOMPAKT_UNSUPPORTED_VERSION, KOMPAKT_CORRUPT};

void take_stream_by_c(std::span<std::byte const> given) {
  Bytes stream(given.begin(), given.end());
  kompakt_info info = kompakt_info_default();
  std::size_t const start = std::min<std::size_t>(stream.size(), 1024);
  bool const starts = is_ok(kompakt_inspect(stream.data(), start, &info), no_stream);
  bool const is_stream = is_ok(kompakt_inspect(stream.data(), stream.size(), &info), no_stream);
  require(starts || !is_stream || start < stream.size(), "a start is refused, the whole is not");
  if (!is_stream) return;
  require(info.rank >= 1 && info.rank <= KOMPAKT_MAX_RANK, "a rank that no field has");
  kompakt_field field = kompakt_field_of(info.dtype, info.rank, info.extents);
  field.order = info.order;
  std::uint64_t count = 1;
  for (std::int32_t i = 0; i < info.rank; ++i) {
    if (info.extents[i] > max_values) return;
    count *= info.extents[i];
    if (count > max_values) return;
  }
  constexpr std::size_t most_bytes_of_a_value = 16;
  GuardedMemory values(count * most_bytes_of_a_value);
  bool const is_sound = is_ok(kompakt_decompress(context(), stream.data(), stream.size(),
                                                 KOMPAKT_HOST, &field, values.data(), &info),
                              no_stream);
  values.check();

  // A box, which may lie outside.
  Choices choose(given);
  std::uint64_t begin[KOMPAKT_MAX_RANK] = {}, end[KOMPAKT_MAX_RANK] = {};
  kompakt_field part = field;
  bool is_inside = true;
  for (std::int32_t i = 0; i < info.rank; ++i) {
    std::uint64_t const extent = info.extents[i];
    begin[i] = choose.below(extent + 1);
    end[i] = begin[i] + choose.below(extent - begin[i] + 1);
    if (choose.below(16) == 0) end[i] = extent + 1 + choose.below(3);
    is_inside &= end[i] <= extent;
    part.extents[i] = end[i] - begin[i];
  }
  GuardedMemory region((count + 1) * 256 * most_bytes_of_a_value);
  kompakt_status const status =
      kompakt_decompress_region(context(), stream.data(), stream.size(), KOMPAKT_HOST, begin, end,
                                &part, region.data(), nullptr);
  if (is_inside) {
    require(is_ok(status, no_stream) || !is_sound, "a box of a sound stream is refused");
  } else {
    require(!is_ok(status, {KOMPAKT_BAD_ARGUMENT, KOMPAKT_CORRUPT}), "a box outside is taken");
  }
  region.check();

  std::uint64_t const total[KOMPAKT_MAX_RANK] = {info.extents[0] + choose.below(4)};
  std::uint64_t const origin[KOMPAKT_MAX_RANK] = {choose.below(3)};
  if (is_ok(kompakt_mark_part(stream.data(), stream.size(), origin, total, &info),
            {KOMPAKT_BAD_ARGUMENT, KOMPAKT_CORRUPT})) {
    require(kompakt_inspect(stream.data(), stream.size(), &info) == KOMPAKT_OK,
            "what mark_part() has written is refused");
  }
}

/// A structure with members from anywhere, in memory that its size does not leave.
template <class Structure>
class AnyStructure {
 public:
  explicit AnyStructure(std::span<std::byte const> bytes) {
    std::memcpy(m_bytes.data(), bytes.data(), std::min(bytes.size(), m_bytes.size()));
    std::uint64_t size = 0;
    std::memcpy(&size, m_bytes.data(), sizeof(size));
    size %= m_bytes.size() + 1;
    std::memcpy(m_bytes.data(), &size, sizeof(size));
  }
  Structure* get() { return reinterpret_cast<Structure*>(m_bytes.data()); }

 private:
  alignas(Structure) std::array<std::byte, 2 * sizeof(Structure)> m_bytes{};
};

std::string text_of_options(kompakt_options const& options) {
  std::uint64_t length = 0;
  kompakt_status const none = kompakt_options_text(&options, nullptr, 0, &length);
  require(none == KOMPAKT_BUFFER_TOO_SMALL, "a text fits into no memory");
  std::string text(length + 1, 'x');
  require(kompakt_options_text(&options, text.data(), text.size(), &length) == KOMPAKT_OK,
          "options that are taken have no text");
  require(text[length] == '\0', "a text has no end");
  text.resize(length);
  return text;
}

void check_text(kompakt_options const& options) {
  std::string const text = text_of_options(options);
  kompakt_options again = kompakt_options_default();
  kompakt_status const status = kompakt_options_set_text(&again, text.c_str());
  std::string const read_back = status == KOMPAKT_OK ? text_of_options(again) : "nothing";
  if (read_back == text) return;
  std::fprintf(stderr, "'%s' reads back as %s\n", text.c_str(), read_back.c_str());
  require(false, "the text of options does not read back");
}

void take_options(std::span<std::byte const> bytes) {
  AnyStructure<kompakt_options> any(bytes);
  if (!is_ok(kompakt_validate_options(any.get()), {KOMPAKT_BAD_ARGUMENT})) return;
  std::int32_t names = 2;
  require(kompakt_options_names_method(any.get(), &names) == KOMPAKT_OK && names / 2 == 0,
          "options that are taken are refused");
  check_text(*any.get());
  std::uint64_t const extents[] = {100, 30};
  kompakt_field const field = kompakt_field_of(KOMPAKT_F32, 2, extents);
  std::uint64_t most = 0;
  is_ok(kompakt_max_compressed_bytes(&field, any.get(), &most), {KOMPAKT_BAD_ARGUMENT});
}

void take_field(std::span<std::byte const> bytes) {
  AnyStructure<kompakt_field> any(bytes);
  std::uint64_t most = 0;
  is_ok(kompakt_max_compressed_bytes(any.get(), nullptr, &most), {KOMPAKT_BAD_ARGUMENT});
}

/// A key and a word, each up to a zero, then a text.
void take_texts(std::span<std::byte const> bytes) {
  std::string const all(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  std::string const key(all.c_str()), rest = all.substr(std::min(all.size(), key.size() + 1));
  std::string const word(rest.c_str()), text = rest.substr(std::min(rest.size(), word.size() + 1));
  kompakt_options options = kompakt_options_default();
  if (is_ok(kompakt_options_set(&options, key.c_str(), word.c_str()), {KOMPAKT_BAD_ARGUMENT})) {
    require(kompakt_option_help(key.c_str(), nullptr) != nullptr, "a key without help");
    check_text(options);
  }
  double least = 0, most = 0;
  is_ok(kompakt_option_range(key.c_str(), &least, &most), {KOMPAKT_BAD_ARGUMENT});
  kompakt_option_help(key.c_str(), word.c_str());
  kompakt_option_word(key.c_str(), static_cast<std::int32_t>(rest.size()) - 5);
  kompakt_option_word_of(key.c_str(), static_cast<std::int32_t>(rest.size()) - 5);
  std::int32_t names = 0;
  bool const is_text =
      is_ok(kompakt_options_names_bound(text.c_str(), &names), {KOMPAKT_BAD_ARGUMENT});
  bool const is_set =
      is_ok(kompakt_options_set_text(&options, text.c_str()), {KOMPAKT_BAD_ARGUMENT});
  require(is_text || !is_set, "a text is taken that names no bound soundly");
  if (is_set) check_text(options);
}

template <class Structure>
Bytes structure_input(Kind kind, Structure const& structure) {
  Bytes bytes(1 + sizeof(structure));
  bytes[0] = static_cast<std::byte>(kind);
  std::memcpy(bytes.data() + 1, &structure, sizeof(structure));
  return bytes;
}

}  // namespace

void take(std::span<std::byte const> bytes) {
  if (bytes.empty()) return;
  auto const rest = bytes.subspan(1);
  switch (std::to_integer<unsigned>(bytes[0]) % kinds) {
    case stream_kind: return take_stream_by_c(rest);
    case options_kind: return take_options(rest);
    case field_kind: return take_field(rest);
    default: return take_texts(rest);
  }
}

std::vector<Bytes> seeds() {
  using namespace std::string_view_literals;
  std::vector<Bytes> result = stream_seeds();
  for (Bytes& seed : result) {
    seed.insert(seed.begin(), static_cast<std::byte>(stream_kind));
  }
  // As many of each of the other kinds, so that changes come to all.
  std::size_t const count = result.size() / 4;
  std::vector<std::string_view> const texts{
      "predictor=interpolate,pack"sv,  "r2r:1e-3,fill=1e20/-9999"sv, "lossless,steps=bits:4"sv,
      "abs:0.5,limits=0:100,axis=1"sv, "goal=smallest,psnr:60"sv,    "huffman"sv};
  std::vector<std::string_view> const pairs{"fill\0auto/7\0"sv, "radius\0 512\0"sv,
                                            "mode\0psnr\0"sv,   "steps\0quotients:100:0.5\0"sv,
                                            "bound\0abs:3\0"sv, "limits\0:inf\0"sv};
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view const text = texts[i % texts.size()];
    kompakt_options options = kompakt_options_default();
    kompakt_options_set_text(&options, std::string(text).c_str());
    result.push_back(structure_input(options_kind, options));
    std::uint64_t const extents[] = {i, 30, 7};
    kompakt_field field = kompakt_field_of(static_cast<kompakt_dtype>(i % 14), 3, extents);
    if (i % 2 == 0) field.strides[0] = -4 * static_cast<std::int64_t>(i);
    result.push_back(structure_input(field_kind, field));
    std::string const both = std::string(pairs[i % pairs.size()]) + std::string(text);
    auto const letters = std::as_bytes(std::span(both.data(), both.size()));
    result.emplace_back(letters.begin(), letters.end());
    result.back().insert(result.back().begin(), static_cast<std::byte>(text_kind));
  }
  return result;
}

void repair(Bytes& bytes) {
  if (!bytes.empty() && std::to_integer<unsigned>(bytes[0]) % kinds == stream_kind) {
    repair_stream(bytes, 1);
  }
}

}  // namespace kompakt::fuzz
