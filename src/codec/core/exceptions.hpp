#ifndef KOMPAKT_CORE_EXCEPTIONS_HPP
#define KOMPAKT_CORE_EXCEPTIONS_HPP

#include <Kokkos_Core.hpp>
#include <core/quantize.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>
#include <core/tile_mask.hpp>

// Quantising a tile, and the tail of a record: which values are masked and which negative (tile_mask.hpp),
// and the exceptions, values that no bin reconstructs inside the bound (SZ and cuSZ call them unpredictable values),
// as 16-bit places (in lanes) and raw bits. Ordered by place, local to the tile, without a limit; a tile with so many that coding does not pay is stored raw.

namespace kompakt::impl {

/// Team scratch of the slow path: one bit a value, a word a lane.
struct ExceptionScratch {
  std::uint32_t exception[tile_lanes];
  std::uint32_t masked[tile_lanes];
  std::uint32_t negative[tile_lanes];  ///< and masked places that are marked
};

/// Index in the field of a value given by its natural place in a tile; -1 if it lies outside.
template <class Shape>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t field_index(TileBox const& box, int place) {
  int const x = place % Shape::X;
  int const y = place / Shape::X % Shape::Y;
  int const z = place / (Shape::X * Shape::Y);
  if (x >= box.nx || y >= box.ny || z >= box.nz) return -1;
  return box.origin + z * box.slab_pitch + y * box.row_pitch + x;
}

/// What Quantizer::classify() says of the values of a lane, a bit a register.
struct LaneVerdicts {
  std::uint32_t exception = 0, masked = 0;
  std::uint32_t negative = 0;  ///< and masked places that are marked
  std::uint32_t invalid = 0;   ///< without a bin: masked ones and exceptions that predict nothing

  /// Notes what a value is; returns its bin, 0 if it has none.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> add(Quantizer<T> const& quantizer, T value, int reg) {
    bin_t<T> bin;
    Verdict const verdict = quantizer.classify(value, bin);
    bool const is_masked = verdict == Verdict::masked;
    negative |= static_cast<std::uint32_t>(quantizer.marks(value, verdict)) << reg;
    masked |= static_cast<std::uint32_t>(is_masked) << reg;
    exception |= static_cast<std::uint32_t>(verdict != Verdict::accepted && !is_masked) << reg;
    invalid |= static_cast<std::uint32_t>(verdict == Verdict::invalid || is_masked) << reg;
    return bin;
  }
};

namespace detail {

// Bin and verdict of each value of a lane.
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION void classify_lane(Quantizer<T> const& quantizer, T const* field,
                                          TileBox const& box, int lane, unsigned_t<T>* bins,
                                          ExceptionScratch& scratch, unsigned_t<T>* valid_bins) {
  LaneVerdicts verdicts;
  std::uint32_t inside = 0;
  for (int reg = 0; reg < lane_values; ++reg) {
    int const place = natural_place<Shape>(lane, reg);
    std::int64_t const index = field_index<Shape>(box, place);
    if (index < 0) continue;
    bins[place] = static_cast<unsigned_t<T>>(verdicts.add(quantizer, field[index], reg));
    inside |= 1u << reg;
  }
  scratch.exception[lane] = verdicts.exception;
  scratch.masked[lane] = verdicts.masked;
  scratch.negative[lane] = verdicts.negative;
  valid_bins[lane] = inside & ~verdicts.invalid;
}

// The first valid bin of the tile in lane order, 0 if there is none; on every thread.
template <class Shape, class U>
KOKKOS_INLINE_FUNCTION U first_valid_bin(U const* bins, U const* valid_bins) {
  for (int lane = 0; lane < tile_lanes; ++lane) {
    auto const valid = static_cast<std::uint32_t>(valid_bins[lane]);
    if (valid == 0) continue;
    return bins[natural_place<Shape>(lane, lowest_bit(valid))];
  }
  return 0;
}

// The signs of a tile whose values all have bins.
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION void collect_signs(T const* field, TileBox const& box, int lane,
                                          ExceptionScratch& scratch) {
  std::uint32_t negative = 0;
  if (box.size() == tile_values) {
    std::int64_t const first = field_index<Shape>(box, natural_place<Shape>(lane, 0));
    std::int64_t const pitch = Shape::Y > 1 ? box.row_pitch : 4;
    for (int reg = 0; reg < lane_values; ++reg) {
      T const value = field[first + reg / 4 * pitch + reg % 4];
      negative |= static_cast<std::uint32_t>(FloatBits<T>::is_negative(value)) << reg;
    }
  } else {
    for (int reg = 0; reg < lane_values; ++reg) {
      std::int64_t const index = field_index<Shape>(box, natural_place<Shape>(lane, reg));
      bool const is_negative = index >= 0 && FloatBits<T>::is_negative(field[index]);
      negative |= static_cast<std::uint32_t>(is_negative) << reg;
    }
  }
  scratch.negative[lane] = negative;
}

// How a word a lane is stored; on every thread.
KOKKOS_INLINE_FUNCTION int stored_bits(std::uint32_t const* bits, int size) {
  MaskSize mask;
  for (int lane = 0; lane < tile_lanes; ++lane) mask.add(bits[lane]);
  return mask.stored(size);
}

}  // namespace detail

/// The exact check of every value of a tile. Values without a bin take that of the nearest one
/// before them in their lane, else the tile's first bin, so that they cost their neighbours
/// nothing. Returns what the record's tail will be, on all threads. Ends with a barrier.
/// \param valid  scratch of tile_lanes entries
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION RecordTail classify_tile(Team const& team, Quantizer<T> const& quantizer,
                                                T const* field, TileBox const& box,
                                                unsigned_t<T>* bins, unsigned_t<T>* valid,
                                                ExceptionScratch& scratch) {
  using U = unsigned_t<T>;
  team_for(team, tile_lanes, [&](int lane) {
    detail::classify_lane<Shape>(quantizer, field, box, lane, bins, scratch, valid);
  });
  team.team_barrier();
  U const base =
      detail::first_valid_bin<Shape>(static_cast<U const*>(bins), static_cast<U const*>(valid));
  team.team_barrier();
  team_for(team, tile_lanes, [&](int lane) {
    U last = base;
    for (int reg = 0; reg < lane_values; ++reg) {
      U& bin = bins[natural_place<Shape>(lane, reg)];
      if ((valid[lane] >> reg & 1u) != 0) {
        last = bin;
      } else {
        bin = last;
      }
    }
  });
  team.team_barrier();
  int exceptions = 0;
  for (std::uint32_t const bits : scratch.exception) exceptions += popcount(bits);
  return RecordTail::make(exceptions, detail::stored_bits(scratch.masked, box.size()),
                          detail::stored_bits(scratch.negative, box.size()));
}

/// The bins of a tile, natural order; places outside the field hold anything. Returns what the record's
/// tail will be, on all threads; if there is one, `scratch` tells which values. Ends with a barrier.
/// \param valid  scratch of tile_lanes entries
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION RecordTail quantize_tile(Team const& team, Quantizer<T> const& quantizer,
                                                T const* field, TileBox const& box,
                                                unsigned_t<T>* bins, unsigned_t<T>* valid,
                                                ExceptionScratch& scratch) {
  if (box.size() < tile_values) {
    team_for(team, tile_values, [&](int place) { bins[place] = 0; });
    team.team_barrier();
  }
  std::uint32_t refused = quantizer.bins == Bins::constant ? 1 : 0;
  Quantizer<T> const q = quantizer;  // its members then live in registers
  auto const quantize_by = [&](auto const& bin_of) {
    team_for_values<Shape>(team, box, [&](int place, std::int64_t index) {
      bool accepted;
      bins[place] = static_cast<unsigned_t<T>>(bin_of(field[index], accepted));
      refused |= accepted ? 0u : 1u;
    });
  };
  if (q.bins == Bins::relative) {
    quantize_by([&](T value, bool& accepted) { return q.quantize_relative(value, accepted); });
    team_for(team, tile_lanes,
             [&](int lane) { detail::collect_signs<Shape>(field, box, lane, scratch); });
  } else if (q.bins == Bins::lossless && q.steps.any()) {
    quantize_by([&](T value, bool& accepted) { return q.quantize_steps(value, accepted); });
  } else if (q.bins == Bins::lossless) {
    quantize_by([&](T value, bool& accepted) { return q.quantize_lossless(value, accepted); });
  } else {
    quantize_by([&](T value, bool& accepted) { return q.quantize_linear(value, accepted); });
  }
  // Also the barrier between the loops above and the readers of what they leave.
  if (team_any(team, refused != 0)) {
    return classify_tile<Shape>(team, quantizer, field, box, bins, valid, scratch);
  }
  if (q.bins != Bins::relative) return {};
  return RecordTail::make(0, 0, detail::stored_bits(scratch.negative, box.size()));
}

/// Place and value of an entry of a list, and the way back: of list_words<T>(count) words, entries are
/// counted from 0. What pads the places is left alone.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_entry(std::uint32_t* list, int count, int entry, int place,
                                             T value) {
  auto* const places = reinterpret_cast<unsigned char*>(list);
  places[2 * entry] = static_cast<unsigned char>(place);
  places[2 * entry + 1] = static_cast<unsigned char>(place >> 8);
  store_value<T>(value, list + ceil_div(count, 2) + entry * value_words<T>);
}
KOKKOS_FORCEINLINE_FUNCTION int entry_place(std::uint32_t const* list, int entry) {
  return static_cast<int>(list[entry / 2] >> (entry % 2 * 16) & 0xffffu);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T entry_value(std::uint32_t const* list, int count, int entry) {
  return load_value<T>(list + ceil_div(count, 2) + entry * value_words<T>);
}

/// Writes list_words<T>(count) words: the places (in lanes) that `mask_of(lane)` has bits for, in
/// ascending order, and the value_of(lane, register) of each. count > 0.
template <class T, class Team, class Masks, class Values>
KOKKOS_INLINE_FUNCTION void write_list(Team const& team, int count, Masks const& mask_of,
                                       Values const& value_of, std::uint32_t* out) {
  team_for(team, 1,
           [&](int) { out[ceil_div(count, 2) - 1] = 0; });  // padding behind the last place
  team.team_barrier();
  team_for(team, tile_lanes, [&](int lane) {
    int rank = 0;
    for (int before = 0; before < lane; ++before) rank += popcount(mask_of(before));
    std::uint32_t const mask = mask_of(lane);
    for (int reg = 0; reg < lane_values; ++reg) {
      if ((mask >> reg & 1u) == 0) continue;
      store_entry<T>(out, count, rank++, lane * lane_values + reg, value_of(lane, reg));
    }
  });
}

/// Reads an untrusted list of list_words<T>(count) words: take(lane, register, value) of every entry,
/// which tells whether there is such a place. Returns whether this thread's places are ascending and
/// were taken.
template <class T, class Team, class Take>
KOKKOS_INLINE_FUNCTION bool read_list(Team const& team, std::uint32_t const* in, int count,
                                      Take const& take) {
  bool sound = true;
  team_for(team, count, [&](int i) {
    int const place = entry_place(in, i);
    bool const ascending = i == 0 || entry_place(in, i - 1) < place;
    sound &= ascending && place < tile_values &&
             take(place / lane_values, place % lane_values, entry_value<T>(in, count, i));
  });
  return sound;
}

/// Writes the mask, the signs and the exceptions that `scratch` tells: tail.words<T>() words.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void write_tail(Team const& team, T const* field, TileBox const& box,
                                       RecordTail tail, ExceptionScratch const& scratch,
                                       std::uint32_t* out) {
  if (tail.mask_words() > 0) write_mask(team, scratch.masked, out);
  out += tail.mask_words();
  if (tail.sign_words() > 0) write_mask(team, scratch.negative, out);
  out += tail.sign_words();
  if (tail.exceptions() == 0) return;
  write_list<T>(
      team, tail.exceptions(), [&](int lane) { return scratch.exception[lane]; },
      [&](int lane, int reg) {
        return field[field_index<Shape>(box, natural_place<Shape>(lane, reg))];
      },
      out);
}

/// Negates the decoded magnitudes that have a bit among the signs of an untrusted tail, of a sound form; bits
/// outside the field mean nothing. Returns whether the signs of this thread's lanes are sound.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION bool apply_signs(Team const& team, TileMask const& signs, TileBox const& box,
                                        T* field) {
  bool sound = true;
  team_for(team, tile_lanes, [&](int lane) {
    sound &= signs.is_sound(lane);
    for (std::uint32_t bits = signs.word(lane); bits != 0; bits &= bits - 1) {
      std::int64_t const index =
          field_index<Shape>(box, natural_place<Shape>(lane, lowest_bit(bits)));
      if (index >= 0) field[index] = -field[index];
    }
  });
  return sound;
}

/// Overwrites decoded values with the masked ones and the exceptions of an untrusted tail of
/// tail.words<T>() words whose signs are sound. Returns whether this thread's places are ascending and inside
/// the field.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION bool overwrite_values(Team const& team, std::uint32_t const* in,
                                             RecordTail tail, TileBox const& box,
                                             MaskedValues<T> masked, T* field) {
  auto const store = [&](int lane, int reg, T value) {
    std::int64_t const index = field_index<Shape>(box, natural_place<Shape>(lane, reg));
    if (index >= 0) field[index] = value;
    return index >= 0;
  };
  TileMask const mask(tail.mask(), in), signs(tail.signs(), in + tail.mask_words());
  if (!mask.is_sound()) return false;
  bool sound = true;
  if (tail.mask() != 0) {
    bool const whole = tail.mask() == RecordTail::all;  // whose bits outside the field mean nothing
    team_for(team, tile_lanes, [&](int lane) {
      sound &= mask.is_sound(lane);
      std::uint32_t const marked = signs.word(lane);
      for (std::uint32_t bits = mask.word(lane); bits != 0; bits &= bits - 1) {
        int const reg = lowest_bit(bits);
        sound &= store(lane, reg, marked >> reg & 1u ? masked.marked : masked.plain) || whole;
      }
    });
  }
  if (tail.exceptions() > 0) {
    sound &=
        read_list<T>(team, in + tail.mask_words() + tail.sign_words(), tail.exceptions(), store);
  }
  return sound;
}

/// Reads signs, masks and exceptions of a record's tail.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION bool read_tail(Team const& team, std::uint32_t const* in, RecordTail tail,
                                      TileBox const& box, MaskedValues<T> masked, T* field) {
  if (tail.signs() != 0) {
    // All threads agree on the form of the signs, which the mask needs.
    TileMask const signs(tail.signs(), in + tail.mask_words());
    if (!signs.is_sound()) return false;
    bool const sound = apply_signs<Shape>(team, signs, box, field);
    team.team_barrier();
    return overwrite_values<Shape>(team, in, tail, box, masked, field) && sound;
  }
  return overwrite_values<Shape>(team, in, tail, box, masked, field);
}

}  // namespace kompakt::impl

#endif
