#ifndef KOMPAKT_CODER_BITSHUFFLE_NESTED_HPP
#define KOMPAKT_CODER_BITSHUFFLE_NESTED_HPP

#include <coder/bitshuffle/planes.hpp>
#include <core/team.hpp>
#include <cstring>
#include <kompakt/options.hpp>

// Elimination of zero bytes by flags, which are eliminated in turn. Of the planes 2j and 2j + 1, for
// j < ceil(planes / 2), and the lanes 2k and 2k + 1:
//
//   data    the bytes of lane[l][p] that are not zero: lane by lane, plane by plane, lowest first
//   flags   a byte for a plane and a pair of lanes: its low half marks the bytes of the even lane that
//           are not zero, its high half those of the odd one. The flags of even planes belong to the
//           even lane of the pair, those of odd planes to the odd one: so each lane has one for each
//           j, and neighbours tell each other the rest in one exchange. Those that are not zero are
//           stored, j by j, in the order of lanes
//   groups  a word for each j: bit l tells whether lane l has a flag byte that is not zero. Its bytes
//           that are not zero are stored, j by j, lowest first
//   tops    four bits for each j: which bytes of its group are not zero; padded to a byte
//
// They lie in the order tops, groups, flags, data. Every place follows from counts of bits in what lies
// before: only the start of a lane's data needs a sum over lanes.
// Source: bit shuffle and elimination of zero blocks by flags, Zhang et al., FZ-GPU, HPDC 2023. Ours:
// single bytes, three levels of flags, and the layout.

namespace kompakt::impl::bitshuffle {

/// What each lane of a pair knows of marks (four bits a plane), to flag bytes and back; `mine` and
/// `partner` are of the lane and of its neighbour.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION Word exchange_marks(Word mine, Word partner, int lane) {
  constexpr auto even = static_cast<Word>(0x0f0f0f0f0f0f0f0fu);
  return lane % 2 == 0 ? (mine & even) | (partner & even) << 4
                       : (mine & ~even) | (partner & ~even) >> 4;
}

/// Sizes of the four parts.
struct DeepParts {
  int pairs = 0;                        ///< of planes
  int groups = 0, flags = 0, data = 0;  ///< bytes

  KOKKOS_FORCEINLINE_FUNCTION int tops() const { return (pairs + 1) / 2; }
  KOKKOS_FORCEINLINE_FUNCTION int bytes() const { return tops() + groups + flags + data; }
  KOKKOS_FORCEINLINE_FUNCTION int words() const { return ceil_div(bytes(), word_bytes); }
};

/// Team scratch.
struct DeepScratch {
  std::uint64_t marks[tile_lanes];      // nibble p: bytes of plane p that are not zero
  std::uint64_t flags[tile_lanes];      // byte j
  std::uint32_t group[max_planes / 2];  // bit l: whether lane l has a flag byte j
  std::uint16_t data_at[tile_lanes];    // bytes of data of the lanes before
};

/// The steps of NestedBy that go over lanes and planes.
struct NestedSteps {
  /// scratch.marks from the first `count` planes.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void mark(Team const& team, TilePlanes const& planes,
                                               int count, DeepScratch& scratch) {
    team_for(team, tile_lanes, [&](int lane) {
      std::uint64_t marks = 0;
      for (int p = 0; p < count; ++p) {
        marks |= static_cast<std::uint64_t>(nonzero_bytes(planes.lane[lane][p])) << (4 * p);
      }
      scratch.marks[lane] = marks;
    });
  }
  /// scratch.group from scratch.flags.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void group(Team const& team, int pairs, DeepScratch& scratch) {
    team_for(team, pairs, [&](int j) {
      std::uint32_t group = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        group |= static_cast<std::uint32_t>((scratch.flags[lane] >> (8 * j) & 0xffu) != 0) << lane;
      }
      scratch.group[j] = group;
    });
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void put_flags(Team const& team, int pairs,
                                                    DeepScratch const& scratch,
                                                    unsigned char* out) {
    team_for(team, tile_lanes, [&](int lane) {
      int before = 0;
      for (int j = 0; j < pairs; ++j) {
        std::uint32_t const group = scratch.group[j];
        if (group >> lane & 1u) {
          out[before + rank_in_mask(group, lane)] =
              static_cast<unsigned char>(scratch.flags[lane] >> (8 * j));
        }
        before += popcount(group);
      }
    });
  }
  /// `end` is the record's.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void put_data(Team const& team, TilePlanes const& planes,
                                                   int count, DeepScratch const& scratch,
                                                   unsigned char* out, unsigned char const* end) {
    // In ascending order on a host, which team_for() does not promise: see put_bytes().
    for (int lane = team_first(team); lane < tile_lanes; lane += team_step(team)) {
      unsigned char* to = out + scratch.data_at[lane];
      for (int p = 0; p < count; ++p) {
        auto const marks = static_cast<std::uint32_t>(scratch.marks[lane] >> (4 * p)) & 15u;
        to += put_bytes(squeeze_bytes(planes.lane[lane][p], marks), popcount(marks), to, end);
      }
    }
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void get_flags(Team const& team, int pairs,
                                                    unsigned char const* in, DeepScratch& scratch) {
    team_for(team, tile_lanes, [&](int lane) {
      std::uint64_t flags = 0;
      int before = 0;
      for (int j = 0; j < pairs; ++j) {
        std::uint32_t const group = scratch.group[j];
        if (group >> lane & 1u) {
          std::uint64_t const byte = in[before + rank_in_mask(group, lane)];
          flags |= byte << (8 * j);
        }
        before += popcount(group);
      }
      scratch.flags[lane] = flags;
    });
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void get_data(Team const& team, int count,
                                                   DeepScratch const& scratch,
                                                   unsigned char const* in,
                                                   unsigned char const* end, TilePlanes& planes) {
    team_for(team, tile_lanes, [&](int lane) {
      unsigned char const* from = in + scratch.data_at[lane];
      for (int p = 0; p < count; ++p) {
        auto const marks = static_cast<std::uint32_t>(scratch.marks[lane] >> (4 * p)) & 15u;
        int const bytes = popcount(marks);
        planes.lane[lane][p] = spread_bytes(get_bytes(from, bytes, end), marks);
        from += bytes;
      }
    });
  }

 private:
  // Stores the lowest `count` bytes, on a host four at once where the record goes on: what is too much
  // is overwritten by what follows. Returns count.
  KOKKOS_FORCEINLINE_FUNCTION static int put_bytes(std::uint32_t bytes, int count,
                                                   unsigned char* out,
                                                   [[maybe_unused]] unsigned char const* end) {
    KOKKOS_IF_ON_HOST((if (end - out >= 4) {
      std::memcpy(out, &bytes, 4);
      return count;
    }))
    for (int i = 0; i < count; ++i) out[i] = static_cast<unsigned char>(bytes >> (8 * i));
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t get_bytes(
      unsigned char const* in, int count, [[maybe_unused]] unsigned char const* end) {
    std::uint32_t bytes = 0;
    KOKKOS_IF_ON_HOST((if (end - in >= 4) {
      std::memcpy(&bytes, in, 4);
      return bytes;
    }))
    for (int i = 0; i < count; ++i) bytes |= static_cast<std::uint32_t>(in[i]) << (8 * i);
    return bytes;
  }
};

/// The body for any team. Steps: NestedSteps, or what a backend has in their place.
template <class Steps>
struct NestedBy {
  using Parts = DeepParts;
  using Scratch = DeepScratch;
  static constexpr Variant variant = Variant::nested;
  static constexpr bool sign_magnitude = false;
  static constexpr int max_pairs = max_planes / 2;

  template <class Team>
  KOKKOS_INLINE_FUNCTION static DeepParts measure(Team const& team, TilePlanes const& planes,
                                                  int count, Scratch& scratch) {
    DeepParts parts;
    parts.pairs = (count + 1) / 2;
    Steps::mark(team, planes, count, scratch);
    team.team_barrier();
    exchange(team, scratch.marks, scratch.flags);
    team.team_barrier();
    Steps::group(team, parts.pairs, scratch);
    place_data(team, scratch);
    for (int j = 0; j < parts.pairs; ++j) {
      parts.groups += popcount(nonzero_bytes(scratch.group[j]));
      parts.flags += popcount(scratch.group[j]);
    }
    parts.data = data_bytes(scratch);
    return parts;
  }

  /// Writes parts.words() words.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& team, TilePlanes const& planes, int count,
                                           DeepParts const& parts, Scratch const& scratch,
                                           std::uint32_t* words_out) {
    if (parts.words() == 0) return;
    team_for(team, 1, [&](int) { words_out[parts.words() - 1] = 0; });  // padding
    team.team_barrier();
    auto* const out = reinterpret_cast<unsigned char*>(words_out);
    unsigned char const* const end = out + parts.words() * word_bytes;
    team_for(team, 1, [&](int) {
      for (int i = 0; i < parts.tops(); ++i) out[i] = 0;
      unsigned char* group_out = out + parts.tops();
      for (int j = 0; j < parts.pairs; ++j) {
        std::uint32_t const top = nonzero_bytes(scratch.group[j]);
        out[j / 2] = static_cast<unsigned char>(out[j / 2] | top << (j % 2 * 4));
        for (int b = 0; b < 4; ++b) {
          if (top >> b & 1u) *group_out++ = static_cast<unsigned char>(scratch.group[j] >> (8 * b));
        }
      }
    });
    unsigned char* const flags_out = out + parts.tops() + parts.groups;
    Steps::put_flags(team, parts.pairs, scratch, flags_out);
    Steps::put_data(team, planes, count, scratch, flags_out + parts.flags, end);
  }

  /// Reads planes 0 … count - 1 from untrusted words; returns, on all threads, whether their
  /// description comes to exactly that many.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static bool read(Team const& team, std::uint32_t const* words_in,
                                          int words, int count, TilePlanes& planes,
                                          Scratch& scratch) {
    auto const* const in = reinterpret_cast<unsigned char const*>(words_in);
    int const length = words * word_bytes;
    DeepParts parts;
    parts.pairs = (count + 1) / 2;
    if (parts.tops() > length) return false;
    std::uint32_t tops = 0;
    for (int i = 0; i < parts.tops(); ++i) tops |= static_cast<std::uint32_t>(in[i]) << (8 * i);
    if (parts.pairs < max_pairs && (tops >> (4 * parts.pairs)) != 0) return false;
    parts.groups = popcount(tops);
    if (parts.tops() + parts.groups > length) return false;
    team_for(team, parts.pairs, [&](int j) {
      unsigned char const* from = in + parts.tops() + rank_in_mask(tops, 4 * j);
      std::uint32_t group = 0;
      for (int b = 0; b < 4; ++b) {
        if (tops >> (4 * j + b) & 1u) group |= static_cast<std::uint32_t>(*from++) << (8 * b);
      }
      scratch.group[j] = group;
    });
    team.team_barrier();
    for (int j = 0; j < parts.pairs; ++j) parts.flags += popcount(scratch.group[j]);
    unsigned char const* const flags_in = in + parts.tops() + parts.groups;
    if (parts.tops() + parts.groups + parts.flags > length) return false;
    // The odd lanes' last flags would be of a plane that there is not.
    if (count % 2 != 0 && (scratch.group[parts.pairs - 1] & 0xaaaaaaaau) != 0) return false;
    Steps::get_flags(team, parts.pairs, flags_in, scratch);
    team.team_barrier();
    exchange(team, scratch.flags, scratch.marks);
    team.team_barrier();
    place_data(team, scratch);
    parts.data = data_bytes(scratch);
    if (parts.words() != words) return false;
    Steps::get_data(team, count, scratch, flags_in + parts.flags, in + length, planes);
    return true;
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void exchange(Team const& team, std::uint64_t const* from,
                                                   std::uint64_t* to) {
    team_for(team, tile_lanes,
             [&](int lane) { to[lane] = exchange_marks(from[lane], from[lane ^ 1], lane); });
  }
  // Bytes of data of the lanes before each; ends with a barrier.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void place_data(Team const& team, Scratch& scratch) {
    team_for(team, 1, [&](int) {
      int at = 0;
      for (int lane = 0; lane < tile_lanes; ++lane) {
        scratch.data_at[lane] = static_cast<std::uint16_t>(at);
        at += popcount64(scratch.marks[lane]);
      }
    });
    team.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION static int data_bytes(Scratch const& scratch) {
    return scratch.data_at[tile_lanes - 1] + popcount64(scratch.marks[tile_lanes - 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int popcount64(std::uint64_t word) {
    return popcount(static_cast<std::uint32_t>(word)) +
           popcount(static_cast<std::uint32_t>(word >> 32));
  }
};

using Nested = NestedBy<NestedSteps>;

}  // namespace kompakt::impl::bitshuffle

#endif
