#ifndef KOMPAKT_OPENMP_CODER_BITSHUFFLE_HPP
#define KOMPAKT_OPENMP_CODER_BITSHUFFLE_HPP

#include <coder/bitshuffle/record.hpp>
#include <cstring>
#include <openmp/simd.hpp>
#include <pipeline/codec_types.hpp>

// The parts of coder/bitshuffle that a vector unit does better than loops: codes and bit planes of a lane,
// and moving what is not zero. The same records; the tests of backends hold them against each other.

#ifdef KOMPAKT_HOST_SIMD

namespace kompakt::impl::simd {

/// bitshuffle::PlanesOfLane.
struct PlanesOfLane {
  template <class Shape, bool sign_magnitude, class U>
  static int make(U const* residuals, int lane, std::uint32_t* planes, std::uint32_t& wide) {
    std::uint32_t all;
    if constexpr (sizeof(U) == 4) {
      Words32 const codes =
          Words32::load_quads(residuals + Shape::lane_offset(lane), Shape::quad_stride)
              .template codes<sign_magnitude>(all);
      if (all < 65536) [[likely]] {
        wide = 0;
        codes.store_planes(all > 255, planes);
        return bit_width(all);
      }
    }
    std::uint32_t codes[lane_values];
    all = bitshuffle::PlanesOfLane::make_codes<Shape, sign_magnitude>(residuals, lane, codes, wide);
    Words32::load_quads(codes, 4).store_planes(all > 255, planes);
    return bit_width(all);
  }

  template <class Shape, bool sign_magnitude, class U>
  static void read(std::uint32_t* planes, int count, int lane, U* residuals) {
    U* const to = residuals + Shape::lane_offset(lane);
    if (count <= 8) {
      unpack_bytes<sign_magnitude>(planes, count, to, Shape::quad_stride);
    } else {
      unpack_pairs<sign_magnitude>(planes, count, to, Shape::quad_stride);
    }
  }
};

/// bitshuffle::NestedSteps, eight bytes of a lane at a time.
struct NestedSteps {
  using Scratch = bitshuffle::DeepScratch;

  template <class Team>
  static void mark(Team const&, bitshuffle::TilePlanes const& planes, int count, Scratch& scratch) {
    for (int lane = 0; lane < tile_lanes; ++lane) {
      std::uint64_t marks = nonzero_bytes(load(planes.lane[lane]));
      if (count > 8) {
        marks |= static_cast<std::uint64_t>(nonzero_bytes(load(planes.lane[lane] + 8))) << 32;
      }
      scratch.marks[lane] = marks;
    }
  }

  template <class Team>
  static void group(Team const&, int, Scratch& scratch) {
    std::uint32_t has_flag[8];  // byte l, bit j: whether lane l has a flag byte j
    for (int i = 0; i < 8; ++i) has_flag[i] = nonzero_bytes(load(scratch.flags + 4 * i));
    store(scratch.group, planes_of_bytes(load(has_flag)));
  }

  template <class Team>
  static void put_flags(Team const&, int pairs, Scratch const& scratch, unsigned char* out) {
    for (int j = 0; j < pairs; ++j) {
      for (std::uint32_t group = scratch.group[j]; group != 0; group &= group - 1) {
        *out++ = static_cast<unsigned char>(scratch.flags[lowest_bit(group)] >> (8 * j));
      }
    }
  }
  template <class Team>
  static void get_flags(Team const&, int pairs, unsigned char const* in, Scratch& scratch) {
    for (std::uint64_t& flags : scratch.flags) flags = 0;
    for (int j = 0; j < pairs; ++j) {
      for (std::uint32_t group = scratch.group[j]; group != 0; group &= group - 1) {
        scratch.flags[lowest_bit(group)] |= std::uint64_t{*in++} << (8 * j);
      }
    }
  }

  // By way of a buffer, because every squeeze and every spread touches 8 bytes.
  template <class Team>
  static void put_data(Team const&, bitshuffle::TilePlanes const& planes, int,
                       Scratch const& scratch, unsigned char* out, unsigned char const*) {
    unsigned char buffer[max_data + 8];
    unsigned char* to = buffer;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      std::uint32_t const* from = planes.lane[lane];
      for (std::uint64_t marks = scratch.marks[lane]; marks != 0; marks >>= 8, from += 2) {
        auto const set = static_cast<std::uint32_t>(marks & 0xff);
        squeeze_bytes(from, set, to);
        to += popcount(set);
      }
    }
    std::memcpy(out, buffer, static_cast<std::size_t>(to - buffer));
  }
  template <class Team>
  static void get_data(Team const&, int count, Scratch const& scratch, unsigned char const* in,
                       unsigned char const* end, bitshuffle::TilePlanes& planes) {
    unsigned char buffer[max_data + 8];
    std::memcpy(buffer, in, static_cast<std::size_t>(end - in));
    unsigned char const* from = buffer;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      std::uint64_t marks = scratch.marks[lane];
      for (int p = 0; p < count; p += 2, marks >>= 8) {
        auto const set = static_cast<std::uint32_t>(marks & 0xff);
        spread_bytes(from, set, planes.lane[lane] + p);
        from += popcount(set);
      }
    }
  }

 private:
  // Bytes of all planes; those that end a record are less than a word more.
  static constexpr int max_data = sizeof(bitshuffle::TilePlanes) + word_bytes;
};

/// bitshuffle::BlockSteps, 4 lanes and 4 planes at a time.
struct BlockSteps {
  using Scratch = bitshuffle::BlockScratch;
  using TilePlanes = bitshuffle::TilePlanes;
  static constexpr int block_lanes = bitshuffle::block_lanes, groups = tile_lanes / block_lanes;

  template <class Team>
  static void mark(Team const&, TilePlanes const& planes, int count, Scratch& scratch) {
    std::uint8_t has_block[2][groups] =
        {};  // bit p: whether the group has a block of plane p, p + 8
    for (int half = 0; 8 * half < count; ++half) {
      for (int g = 0; g < groups; ++g) {
        Pack all = load(planes.lane[block_lanes * g] + 8 * half);
        for (int i = 1; i < block_lanes; ++i) {
          all = either(all, load(planes.lane[block_lanes * g + i] + 8 * half));
        }
        has_block[half][g] = static_cast<std::uint8_t>(nonzero_words(all));
      }
    }
    transpose_16_bytes(has_block, scratch.flags);
  }

  template <class Team>
  static void put(Team const&, TilePlanes const& planes, int count, Scratch const& scratch,
                  std::uint32_t* out) {
    std::uint32_t eliminated[block_lanes];
    Walk walk(scratch);
    for (int g = 0; g < groups; ++g) {
      for (int first = 0; first < count; first += 4) {
        Square4 const blocks =
            Square4::load(planes.lane[block_lanes * g] + first, bitshuffle::max_planes)
                .transposed();
        for (int i = 0; i < 4 && first + i < count; ++i) {
          int const at = walk.next(first + i, g);
          blocks.store_row(i, at < 0 ? eliminated : out + at);
        }
      }
    }
  }

  template <class Team>
  static void get(Team const&, int count, Scratch const& scratch, std::uint32_t const* in,
                  TilePlanes& planes) {
    static constexpr std::uint32_t zero[block_lanes] = {};
    Walk walk(scratch);
    for (int g = 0; g < groups; ++g) {
      for (int first = 0; first < count; first += 4) {
        Square4 blocks{};
        for (int i = 0; i < 4 && first + i < count; ++i) {
          int const at = walk.next(first + i, g);
          blocks.load_row(i, at < 0 ? zero : in + at);
        }
        Square4 const rows = blocks.transposed();
        for (int i = 0; i < block_lanes; ++i)
          rows.store_row(i, planes.lane[block_lanes * g + i] + first);
      }
    }
  }

 private:
  // Where the blocks of a plane lie, group by group.
  struct Walk {
    std::uint8_t const* flags;
    int at[bitshuffle::max_planes];

    explicit Walk(Scratch const& scratch) : flags(scratch.flags) {
      for (int p = 0; p < bitshuffle::max_planes; ++p) at[p] = scratch.start[p];
    }
    // -1 for a block that is eliminated.
    int next(int p, int g) {
      if ((flags[p] >> g & 1) == 0) return -1;
      int const here = at[p];
      at[p] += block_lanes;
      return here;
    }
  };
};

}  // namespace kompakt::impl::simd

namespace kompakt::impl {

template <class T>
struct BackendCoder<BitshuffleNested<T>, openmp_tag> {
  using type = Bitshuffle<T, bitshuffle::NestedBy<simd::NestedSteps>, simd::PlanesOfLane>;
};
template <class T>
struct BackendCoder<BitshuffleFz<T>, openmp_tag> {
  using type = Bitshuffle<T, bitshuffle::BlocksBy<simd::BlockSteps>, simd::PlanesOfLane>;
};

}  // namespace kompakt::impl

#endif
#endif
