#ifndef KOMPAKT_PACKING_KERNELS_HPP
#define KOMPAKT_PACKING_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <core/parallel_teams.hpp>
#include <kompakt/memory.hpp>
#include <packing/model.hpp>
#include <packing/packed_chunk.hpp>
#include <type_traits>

// The kernels of packing and unpacking, the same for all execution spaces: a walk over lanes by teams that keep what all of
// them look up in scratch. On a device a thread takes a lane, whichever chunk it is of, because some have ten times as many
// as others; on a host it takes a chunk.

namespace kompakt::impl {

template <class Exec>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// Where the chunks of a stream begin, as its coder wrote them.
struct ChunkPlaces {
  std::uint64_t const* index;  ///< bytes of the payload, one more than chunks
  std::int64_t chunks;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t word_count(std::int64_t chunk) const {
    return static_cast<std::int64_t>((index[chunk + 1] - index[chunk]) / sizeof(std::uint32_t));
  }
  /// Of a chunk that can be packed; 0: it is too long.
  KOKKOS_FORCEINLINE_FUNCTION int words(std::int64_t chunk) const {
    std::int64_t const count = word_count(chunk);
    return count <= max_packed_words ? static_cast<int>(count) : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_word(std::int64_t chunk) const {
    return static_cast<std::int64_t>(index[chunk] / sizeof(std::uint32_t));
  }
  /// A number of its first lane, so that all lanes have different ones.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_lane(std::int64_t chunk) const {
    return first_word(chunk) / rans::lane_words + chunk;
  }
  /// How many numbers lanes have.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t lane_numbers() const { return first_lane(chunks) + 1; }
  /// The chunk that a number of a lane belongs to, or behind whose last lane it comes.
  KOKKOS_INLINE_FUNCTION std::int64_t chunk_of(std::int64_t lane) const {
    std::int64_t first = 0, behind = chunks;
    while (behind - first > 1) {
      std::int64_t const middle = first + (behind - first) / 2;
      (first_lane(middle) <= lane ? first : behind) = middle;
    }
    return first;
  }
};
/// The most numbers of lanes that chunks of so many bytes can have.
inline std::size_t max_lane_numbers(std::size_t payload_bytes, std::size_t chunks) {
  return payload_bytes / (sizeof(std::uint32_t) * rans::lane_words) + chunks + 1;
}

/// Which lanes of a chunk a thread takes, and which part of their halfwords if several share one.
struct LaneShare {
  int first, step, part = 0, parts = 1;
};

/// A walk over the lanes of all chunks or of those of a list.
/// \tparam Body  has `in`, where chunks begin; Shared, what a team keeps; begin(team, shared) and end(team, shared);
///               take(shared, chunk, share); and threads_of_lane
template <class Exec, class Body>
struct LaneWalk {
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Shared = typename Body::template Shared<Exec>;
  static constexpr int team_size = is_on_host<Exec> ? 1 : 512;
  static constexpr int threads_of_listed = 8;  // about as many lanes as most chunks have
  static constexpr std::size_t scratch_bytes = sizeof(Shared) + alignof(Shared);

  Body body;
  std::int64_t const* list = nullptr;  ///< of chunks
  std::int64_t listed = 0;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& shared = *static_cast<Shared*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Shared), alignof(Shared)));
    body.begin(team, shared);
    team.team_barrier();
    std::int64_t const first =
                           std::int64_t{team.league_rank()} * team.team_size() + team.team_rank(),
                       step = std::int64_t{team.league_size()} * team.team_size();
    std::int64_t const end = threads();
    for (std::int64_t i = first; i < end; i += step) take(shared, i);
    team.team_barrier();
    body.end(team, shared);
  }
  void run(char const* label, Exec const& exec) const {
    int const teams = std::max(1, static_cast<int>(exec.concurrency()) / team_size);
    parallel_teams(label,
                   Kokkos::TeamPolicy<Exec>(exec, teams, team_size)
                       .set_scratch_size(is_on_host<Exec> ? 1 : 0, Kokkos::PerTeam(scratch_bytes)),
                   *this);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t threads() const {
    if constexpr (is_on_host<Exec>) return list == nullptr ? body.in.chunks : listed;
    return list == nullptr ? body.in.lane_numbers() * Body::threads_of_lane
                           : listed * threads_of_listed;
  }
  KOKKOS_FORCEINLINE_FUNCTION void take(Shared& shared, std::int64_t i) const {
    if constexpr (is_on_host<Exec>) {
      body.take(shared, list == nullptr ? i : list[i], {0, 1});
    } else if (list == nullptr) {
      constexpr int parts = Body::threads_of_lane;
      std::int64_t const lane = i / parts, chunk = body.in.chunk_of(lane);
      body.take(shared, chunk,
                {static_cast<int>(lane - body.in.first_lane(chunk)), max_lanes,
                 static_cast<int>(i % parts), parts});
    } else {
      body.take(shared, list[i / threads_of_listed],
                {static_cast<int>(i % threads_of_listed), threads_of_listed});
    }
  }
};

/// Copies `count` objects to what a team shares.
template <class Team, class V>
KOKKOS_FORCEINLINE_FUNCTION void bring(Team const& team, V const* from, int count, V* to) {
  for (int i = team.team_rank(); i < count; i += team.team_size()) to[i] = from[i];
}

/// Counts bytes by what precedes them in their lane.
struct CountBytes {
  ChunkPlaces in;
  std::uint32_t const* payload;
  ByteCounts* counts;

  static constexpr int threads_of_lane = 1;
  static constexpr int entries = rans::classes * 256;
  // A team of a device never sees 2^32 bytes, and has no additions of more bits in its scratch.
  template <class Exec>
  struct Shared {
    std::conditional_t<is_on_host<Exec>, std::uint64_t, std::uint32_t> count[entries];
  };

  template <class Team, class S>
  KOKKOS_FUNCTION void begin(Team const& team, S& own) const {
    for (int i = team.team_rank(); i < entries; i += team.team_size()) own.count[i] = 0;
  }
  template <class Team, class S>
  KOKKOS_FUNCTION void end(Team const& team, S& own) const {
    auto* const sums = &counts->count[0][0];
    for (int i = team.team_rank(); i < entries; i += team.team_size()) {
      if (own.count[i] != 0) Kokkos::atomic_add(sums + i, std::uint64_t{own.count[i]});
    }
  }
  template <class S>
  KOKKOS_FUNCTION void take(S& own, std::int64_t chunk, LaneShare const& share) const {
    int const words = in.words(chunk);
    for (int lane = share.first; lane < lane_count(words); lane += share.step) {
      auto const* const word = payload + in.first_word(chunk) + lane * rans::lane_words;
      count_lane(word, words_of_lane(words, lane), own);
    }
  }

 private:
  // As encode_lane() sees them: the last two bytes of a lane are not coded. Zeros, most of what there is, are added up
  // first, so that threads do not wait for each other.
  template <class S>
  KOKKOS_FUNCTION void count_lane(std::uint32_t const* words, int count, S& own) const {
    std::uint32_t last = 0;
    unsigned zeros[rans::classes] = {};
    for (int i = 0; i < count; ++i) {
      std::uint32_t const word = words[i];
      int const bytes = i == count - 1 ? 2 : 4;
      for (int b = 0; b < bytes; ++b) {
        std::uint32_t const byte = rans::byte_of(word, b);
        int const k = rans::class_of(last);
        if (byte == 0) {
          KOMPAKT_UNROLL
          for (int c = 0; c < rans::classes; ++c) zeros[c] += c == k ? 1 : 0;
        } else {
          add(own.count[256 * k + static_cast<int>(byte)], 1);
        }
        last = byte;
      }
    }
    KOMPAKT_UNROLL
    for (int c = 0; c < rans::classes; ++c) {
      if (zeros[c] > 0) add(own.count[256 * c], zeros[c]);
    }
  }
  template <class N>
  KOKKOS_FORCEINLINE_FUNCTION static void add(N& sum, unsigned count) {
    KOKKOS_IF_ON_HOST((sum += count;))
    KOKKOS_IF_ON_DEVICE((Kokkos::atomic_add(&sum, N{count});))
  }
};

/// Codes lanes to where they lie in a copy of the payload, each at the end of its place.
struct CodeLanes {
  ChunkPlaces in;
  std::uint32_t const* payload;
  rans::Frequency const* table;
  int tables;
  std::uint16_t* coded;   ///< as large as the payload
  std::uint8_t* lengths;  ///< of all lanes

  static constexpr int threads_of_lane = 1;
  template <class>
  struct Shared {
    rans::Frequency table[rans::classes * 256];
  };

  template <class Team, class S>
  KOKKOS_FUNCTION void begin(Team const& team, S& shared) const {
    bring(team, table, 256 * tables, shared.table);
  }
  template <class Team, class S>
  KOKKOS_FUNCTION void end(Team const&, S&) const {}
  template <class S>
  KOKKOS_FUNCTION void take(S const& shared, std::int64_t chunk, LaneShare const& share) const {
    int const words = in.words(chunk);
    for (int lane = share.first; lane < lane_count(words); lane += share.step) {
      std::int64_t const begin = in.first_word(chunk) + lane * rans::lane_words;
      int const count = words_of_lane(words, lane);
      std::uint32_t const* const word = payload + begin;
      std::uint16_t* const end = coded + 2 * (begin + count);
      int const length = rans::encode_lane(word, count, shared.table, tables, end);
      if (length == 2 * count) {
        for (int i = 0; i < count; ++i) {
          end[2 * (i - count)] = static_cast<std::uint16_t>(word[i]);
          end[2 * (i - count) + 1] = static_cast<std::uint16_t>(word[i] >> 16);
        }
      }
      lengths[in.first_lane(chunk) + lane] = static_cast<std::uint8_t>(length);
    }
  }
};

/// Places of packed chunks, in halfwords, from the lengths of their lanes; the last one is the sum. More than there can be if
/// a chunk is too long to be packed. Also those of lanes in their chunk.
struct PlacePackedChunks {
  ChunkPlaces in;
  std::uint8_t const* lengths;
  std::uint16_t* lane_places;
  std::uint64_t* places;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk, std::uint64_t& sum, bool is_final) const {
    if (is_final) places[chunk] = sum;
    if (chunk == in.chunks) return;
    int const words = in.words(chunk);
    int size = length_halfwords(words);
    std::int64_t const first = in.first_lane(chunk);
    for (int lane = 0; lane < lane_count(words); ++lane) {
      if (is_final) lane_places[first + lane] = static_cast<std::uint16_t>(size);
      size += lengths[first + lane];
    }
    sum += static_cast<std::uint64_t>(size);
    if (in.word_count(chunk) > max_packed_words) sum += std::uint64_t{1} << 40;
  }
};

/// Writes packed chunks and their index.
struct WritePackedChunks {
  ChunkPlaces in;
  std::uint16_t const* coded;
  std::uint8_t const* lengths;
  std::uint16_t const* lane_places;
  std::uint64_t const* places;
  PackedEntry* index;
  std::uint16_t* payload;

  static constexpr int threads_of_lane = 4;
  template <class>
  struct Shared {};

  template <class Team, class S>
  KOKKOS_FUNCTION void begin(Team const&, S&) const {}
  template <class Team, class S>
  KOKKOS_FUNCTION void end(Team const&, S&) const {}
  template <class S>
  KOKKOS_FUNCTION void take(S const&, std::int64_t chunk, LaneShare const& share) const {
    int const words = in.words(chunk);
    std::int64_t const first_lane = in.first_lane(chunk);
    std::uint8_t const* const length = lengths + first_lane;
    std::uint16_t* const out = payload + places[chunk];
    if (share.first == 0 && share.part == 0) write_head(chunk, words, length, out);
    for (int lane = share.first; lane < lane_count(words); lane += share.step) {
      std::int64_t const begin = in.first_word(chunk) + lane * rans::lane_words;
      auto const* const from = coded + 2 * (begin + words_of_lane(words, lane)) - length[lane];
      auto* const to = out + lane_places[first_lane + lane];
      for (int i = share.part; i < length[lane]; i += share.parts) to[i] = from[i];
    }
  }

 private:
  KOKKOS_FUNCTION void write_head(std::int64_t chunk, int words, std::uint8_t const* length,
                                  std::uint16_t* out) const {
    index[chunk] = {static_cast<std::uint16_t>(places[chunk + 1] - places[chunk]),
                    static_cast<std::uint16_t>(words)};
    for (int i = 0; i < length_halfwords(words); ++i) {
      int const odd = 2 * i + 1 < lane_count(words) ? length[2 * i + 1] : 0;
      out[i] = static_cast<std::uint16_t>(length[2 * i] | odd << 8);
    }
  }
};

/// What unpacking finds wrong, in memory that the host reads.
struct UnpackResult {
  std::uint64_t halfwords, words;  ///< of all chunks
  std::int64_t damaged;            ///< chunk, or -1
};

/// Places of a packed stream's chunks, and the index of the stream that they make.
struct PlaceUnpackedChunks {
  struct Sum {
    std::uint64_t halfwords = 0, words = 0;
    KOKKOS_FUNCTION Sum& operator+=(Sum const& other) {
      halfwords += other.halfwords;
      words += other.words;
      return *this;
    }
  };

  PackedEntry const* packed;
  std::int64_t chunks;
  std::uint16_t const* payload;
  std::uint64_t payload_bytes;
  std::uint64_t* places;
  std::uint64_t* index;
  UnpackResult* result;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk, Sum& sum, bool is_final) const {
    if (is_final) {
      places[chunk] = sum.halfwords;
      index[chunk] = sizeof(std::uint32_t) * sum.words;
      if (chunk == chunks) {
        // A halfword of padding is zero.
        bool const is_padded = sizeof(std::uint16_t) * (sum.halfwords + 1) == payload_bytes;
        bool const sound = !is_padded || payload[sum.halfwords] == 0;
        *result = {sum.halfwords, sum.words, sound ? -1 : chunks - 1};
      }
    }
    if (chunk < chunks) sum += Sum{packed[chunk].halfwords, packed[chunk].words};
  }
};

/// Unpacks chunks.
struct UnpackChunks {
  ChunkPlaces in;  ///< of what they become
  PackedEntry const* packed;
  std::uint16_t const* payload;
  std::uint64_t const* places;
  rans::Step const* table;
  int tables;
  std::uint32_t* out;
  UnpackResult* result;

  static constexpr int threads_of_lane = 1;
  template <class>
  struct Shared {
    rans::Step table[rans::classes * rans::frequency_sum];
  };

  template <class Team, class S>
  KOKKOS_FUNCTION void begin(Team const& team, S& shared) const {
    bring(team, table, tables * static_cast<int>(rans::frequency_sum), shared.table);
  }
  template <class Team, class S>
  KOKKOS_FUNCTION void end(Team const&, S&) const {}
  template <class S>
  KOKKOS_FUNCTION void take(S const& shared, std::int64_t number, LaneShare const& share) const {
    PackedChunk const chunk{payload + places[number], packed[number].halfwords,
                            packed[number].words};
    bool const sound =
        chunk.unpack(share.first, share.step, shared.table, tables, out + in.first_word(number));
    // Any of the damaged chunks may be named.
    if (!sound) Kokkos::atomic_store(&result->damaged, number);
  }
};

}  // namespace kompakt::impl

#endif
