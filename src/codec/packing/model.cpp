#include <algorithm>
#include <array>
#include <bit>
#include <packing/model.hpp>

namespace kompakt::impl {

namespace {

using Counts = std::array<std::uint64_t, 256>;
using Levels = std::vector<std::uint8_t>;

constexpr int bytes_known = 256;
constexpr std::uint8_t absent = 0xff;  ///< in place of a level
constexpr std::uint8_t the_rest = 0;   ///< what the others leave: of one byte in a table
constexpr int level_bits = 6;
constexpr std::uint8_t levels = 40;
constexpr std::size_t presence_bytes = bytes_known / 8;

/// Frequencies to choose from: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, … 1792.
constexpr std::uint32_t frequency_of(std::uint8_t level) {
  return level < 4 ? level : (4u + level % 4u) << (level / 4 - 1);
}

/// The level nearest to the frequency count / sum.
std::uint8_t level_of(std::uint64_t count, std::uint64_t sum) {
  std::uint64_t const scaled = 2 * rans::frequency_sum * count;  // twice the frequency, times sum
  std::uint8_t level = 1;
  while (level + 1 < levels &&
         scaled >
             (frequency_of(level) + frequency_of(static_cast<std::uint8_t>(level + 1))) * sum) {
    ++level;
  }
  return level;
}

std::uint32_t sum_of(Levels const& table) {
  std::uint32_t sum = 0;
  for (std::uint8_t const level : table) sum += level == absent ? 0 : frequency_of(level);
  return sum;
}

/// The most frequent byte takes what the others leave; if these leave nothing, the most frequent of them get less.
Levels levels_of(Counts counts) {
  Levels table(bytes_known, absent);
  // So that no product above is too large; what occurs still does.
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  while (*std::max_element(counts.begin(), counts.end()) > most) {
    for (std::uint64_t& count : counts) count = (count + 1) / 2;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t const count : counts) sum += count;
  if (sum == 0) return table;
  auto const top =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) table[i] = i == top ? the_rest : level_of(counts[i], sum);
  }
  for (std::uint32_t taken = sum_of(table); taken >= rans::frequency_sum; taken = sum_of(table)) {
    auto const larger = [](std::uint8_t a, std::uint8_t b) {
      return (a == absent ? 0 : a) < (b == absent ? 0 : b);
    };
    --*std::max_element(table.begin(), table.end(), larger);
  }
  return table;
}

std::array<std::uint32_t, bytes_known> counts_of(Levels const& table) {
  std::array<std::uint32_t, bytes_known> counts{};
  std::uint32_t const left = rans::frequency_sum - sum_of(table);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (table[i] != absent) counts[i] = table[i] == the_rest ? left : frequency_of(table[i]);
  }
  return counts;
}

std::size_t table_bytes(Levels const& table) {
  auto const present = static_cast<std::size_t>(std::count_if(
      table.begin(), table.end(), [](std::uint8_t level) { return level != absent; }));
  return presence_bytes + ceil_div(present * level_bits, std::size_t{8});
}

/// 2^16 times the bits of a code for a frequency, rounded down: the logarithm by squaring, the same everywhere.
constexpr std::uint64_t code_length(std::uint32_t frequency) {
  std::uint64_t const whole = static_cast<std::uint64_t>(std::bit_width(frequency)) - 1;
  std::uint64_t logarithm = whole, mantissa = (std::uint64_t{frequency} << 31) >> whole;
  for (int i = 0; i < 16; ++i) {
    mantissa = mantissa * mantissa >> 31;
    std::uint64_t const bit = mantissa >> 32;
    mantissa >>= bit;
    logarithm = 2 * logarithm + bit;
  }
  return (std::uint64_t{rans::precision} << 16) - logarithm;
}

/// The counts of the classes that a table has.
Counts merged(ByteCounts const& counts, int table, int tables) {
  Counts sum{};
  for (int k = 0; k < rans::classes; ++k) {
    if (std::min(k, tables - 1) != table) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts.count[k][i];
  }
  return sum;
}

/// Six bits each, from the lowest bit of the first byte on.
class LevelBits {
 public:
  explicit LevelBits(std::size_t at) : m_bit(8 * at) {}

  template <class Body>
  void next(Body const& body) {
    for (int i = 0; i < level_bits; ++i, ++m_bit) body(m_bit / 8, m_bit % 8, i);
  }

 private:
  std::size_t m_bit;
};

}  // namespace

std::uint64_t ByteModel::coded_bytes(ByteCounts const& counts) const {
  std::uint64_t bits = 0;  // times 2^16, of parts of 2^16 bytes so that nothing overflows
  for (int k = 0; k < tables(); ++k) {
    Counts const sums = merged(counts, k, tables());
    auto const frequencies = counts_of(m_levels[static_cast<std::size_t>(k)]);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] == 0) continue;
      std::uint64_t const length = code_length(frequencies[i]);
      bits += (sums[i] >> 16) * length + ((sums[i] & 0xffff) * length >> 16);
    }
  }
  return bits / 8;
}

ByteModel ByteModel::of(ByteCounts const& counts) {
  ByteModel best;
  std::uint64_t least = 0;
  for (int const tables : {1, 2, 4}) {
    ByteModel model;
    for (int k = 0; k < tables; ++k) model.m_levels.push_back(levels_of(merged(counts, k, tables)));
    std::uint64_t const size = model.coded_bytes(counts) + model.bytes().size();
    if (best.tables() == 0 || size < least) {
      least = size;
      best = std::move(model);
    }
  }
  return best;
}

std::vector<std::byte> ByteModel::bytes() const {
  std::vector<std::byte> out{static_cast<std::byte>(tables())};
  for (Levels const& table : m_levels) {
    std::size_t const begin = out.size();
    out.resize(begin + table_bytes(table));
    LevelBits levels_out(begin + presence_bytes);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i] == absent) continue;
      out[begin + i / 8] |= static_cast<std::byte>(1u << i % 8);
      levels_out.next([&](std::size_t byte, std::size_t bit, int k) {
        out[byte] |= static_cast<std::byte>((table[i] >> k & 1u) << bit);
      });
    }
  }
  return out;
}

std::optional<ByteModel> ByteModel::read(std::span<std::byte const> bytes) {
  if (bytes.empty()) return std::nullopt;
  auto const tables = std::to_integer<int>(bytes[0]);
  if (tables != 1 && tables != 2 && tables != 4) return std::nullopt;
  ByteModel model;
  std::size_t begin = 1;
  for (int k = 0; k < tables; ++k) {
    Levels& table = model.m_levels.emplace_back(bytes_known, absent);
    if (bytes.size() - begin < presence_bytes) return std::nullopt;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if ((bytes[begin + i / 8] >> i % 8 & std::byte{1}) != std::byte{0}) table[i] = the_rest;
    }
    std::size_t const size = table_bytes(table);
    if (bytes.size() - begin < size) return std::nullopt;
    LevelBits levels_in(begin + presence_bytes);
    for (std::uint8_t& level : table) {
      if (level == absent) continue;
      levels_in.next([&](std::size_t byte, std::size_t bit, int i) {
        level |= static_cast<std::uint8_t>(
            std::to_integer<unsigned>(bytes[byte] >> bit & std::byte{1}) << i);
      });
      if (level >= levels) return std::nullopt;
    }
    auto const rests = std::count(table.begin(), table.end(), the_rest);
    bool const is_empty = size == presence_bytes;
    if (rests != (is_empty ? 0 : 1) || sum_of(table) >= rans::frequency_sum) return std::nullopt;
    begin += size;
  }
  std::vector<std::byte> same = model.bytes();
  if (same.size() > bytes.size() || bytes.size() - same.size() >= 16) return std::nullopt;
  same.resize(bytes.size());
  if (!std::equal(same.begin(), same.end(), bytes.begin())) return std::nullopt;
  return model;
}

std::vector<rans::Frequency> ByteModel::frequencies() const {
  std::vector<rans::Frequency> out;
  for (Levels const& table : m_levels) {
    std::uint32_t below = 0;
    for (std::uint32_t const count : counts_of(table)) {
      out.push_back(rans::Frequency::of(count, below));
      below += count;
    }
  }
  return out;
}

std::vector<rans::Step> ByteModel::steps() const {
  std::vector<rans::Step> out;
  for (Levels const& table : m_levels) {
    auto counts = counts_of(table);
    // A table without bytes, to which no sound stream comes, still has a step for every state.
    if (sum_of(table) == 0 && std::count(table.begin(), table.end(), the_rest) == 0) {
      counts[0] = rans::frequency_sum;
    }
    for (std::uint32_t byte = 0; byte < counts.size(); ++byte) {
      for (std::uint32_t i = 0; i < counts[byte]; ++i) {
        out.push_back(rans::Step::of(byte, counts[byte], i));
      }
    }
  }
  return out;
}

}  // namespace kompakt::impl
