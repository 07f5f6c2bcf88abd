#ifndef KOMPAKT_PIPELINE_FIELD_TILE_HPP
#define KOMPAKT_PIPELINE_FIELD_TILE_HPP

#include <Kokkos_Macros.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/stored.hpp>

// Where the values of a tile are read and written: in the field, or, of integers that a host's kernels take as they lie,
// in words or numbers that are there while the tile is worked on. A dense copy of the field in words took four
// times its memory, and one of decoded numbers half of the speed; threads of a device, which would each have a part of
// a tile's words, still take one.

namespace kompakt::impl {

/// Whether kernels take integers of 8 and 16 bits as they lie.
template <class Exec>
inline constexpr bool takes_narrow = generic_team_size<Exec> == 1;

/// A tile, and the array that has its values.
/// \tparam Box  TileBox, or LevelTile
template <class V, class Box>
struct FieldTile {
  V* field;
  Box box;
};

/// The words or numbers of a tile of integers.
template <class T, class Team>
class TileWords {
 protected:
  static constexpr bool can_be_narrow = takes_narrow<typename Team::execution_space>;

  /// Calls body(index, word, count) for each row: where it begins in the field and among the words.
  template <class Body>
  static void for_rows(TileBox const& box, Body const& body) {
    for (int row = 0; row < box.ny * box.nz; ++row) {
      body(box.origin + row / box.ny * box.slab_pitch + row % box.ny * box.row_pitch, row * box.nx,
           box.nx);
    }
  }

  T m_words[can_be_narrow ? tile_values : 1];
};

/// The values of a tile that is coded. Tiles of levels, which read others' values too, are never of integers.
template <class T, class Team, class Box>
class TileSource : TileWords<T, Team> {
  using Words = TileWords<T, Team>;
  static constexpr bool can_be_narrow = Words::can_be_narrow && std::is_same_v<Box, TileBox>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION TileSource(Team const&, EncodeArgs<T> const& args, Box const& box)
      : m_tile{args.field, box} {
    if constexpr (can_be_narrow) {
      KOKKOS_IF_ON_HOST((if (args.narrow != nullptr) load(args);))
    }
  }
  TileSource(TileSource const&) = delete;
  TileSource& operator=(TileSource const&) = delete;

  KOKKOS_FORCEINLINE_FUNCTION FieldTile<T const, Box> const& tile() const { return m_tile; }

 private:
  void load(EncodeArgs<T> const& args) {
    with_stored<T>(args.asked.shape.dtype, args.asked.coded_type(), [&]<class Stored>(Stored) {
      auto const* const field = static_cast<Stored const*>(args.narrow);
      Words::for_rows(m_tile.box, [&](std::int64_t index, int word, int count) {
        for (int i = 0; i < count; ++i) {
          this->m_words[word + i] = convert_stored<T>(field[index + i]);
        }
      });
    });
    m_tile = {this->m_words, m_tile.box.packed(0)};
  }

  FieldTile<T const, Box> m_tile;
};

/// Where the values of a tile that is decoded go: of a level, to the field from the lowest one alone.
template <class T, class Team, class Box>
class TileTarget : TileWords<T, Team> {
  using Words = TileWords<T, Team>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION TileTarget(Team const&, DecodeArgs<T> const& args, Box const& box)
      : m_tile{args.field, box} {
    if constexpr (Words::can_be_narrow) {
      if (!is_converted(args, box)) return;
      m_tile.field = this->m_words;
      static_cast<TileBox&>(m_tile.box) = box.packed(0);
    }
  }
  TileTarget(TileTarget const&) = delete;
  TileTarget& operator=(TileTarget const&) = delete;

  KOKKOS_FORCEINLINE_FUNCTION FieldTile<T, Box> const& tile() const { return m_tile; }

  /// Brings decoded values to the field, if they are not there.
  KOKKOS_FORCEINLINE_FUNCTION void finish([[maybe_unused]] DecodeArgs<T> const& args,
                                          [[maybe_unused]] Box const& box) const {
    if constexpr (Words::can_be_narrow) {
      KOKKOS_IF_ON_HOST((if (is_converted(args, box)) store(args, box);))
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static bool is_converted(DecodeArgs<T> const& args, Box const& box) {
    if constexpr (std::is_same_v<Box, LevelTile>) {
      if (box.level > 0) return false;
    }
    return args.narrow != nullptr;
  }
  void store(DecodeArgs<T> const& args, TileBox const& box) const {
    with_stored<T>(args.stored, args.dtype, [&]<class Stored>(Stored) {
      auto* const field = static_cast<Stored*>(args.narrow);
      Words::for_rows(box, [&](std::int64_t index, int word, int count) {
        for (int i = 0; i < count; ++i) {
          field[index + i] = convert_stored<Stored>(this->m_words[word + i]);
        }
      });
    });
  }

  FieldTile<T, Box> m_tile;
};

}  // namespace kompakt::impl

#endif
