#ifndef KOMPAKT_DEVICE_HPP
#define KOMPAKT_DEVICE_HPP

// Tiles of a compressed field in the kernels of a user. Not a part of kompakt/kompakt.hpp: a unit that includes this is
// compiled with the library's kernels inside, and must be compiled as they are, which the target kompakt::device does.

#ifndef KOMPAKT_DEVICE_TARGET
#error \
    "kompakt/device.hpp: link the target kompakt::device, which has headers and flags that its kernels need"
#endif
#ifdef __FAST_MATH__
#error \
    "kompakt/device.hpp: -ffast-math, given behind the flags of kompakt::device, would break the bound"
#endif

#include <Kokkos_Core.hpp>
#include <coder/bitshuffle/record.hpp>
#include <coder/fixedlength/record.hpp>
#include <coder/huffman/record.hpp>
#include <coder/rans/record.hpp>
#include <coder/table.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream_reader.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/encode.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/stream_tiles.hpp>
#include <pipeline/tile_plan.hpp>
#include <predictor/lorenzo.hpp>
#include <string>
#include <type_traits>

namespace kompakt {

namespace impl {

/// Arguments to decode a stream of T to `field`, which a tile by itself does not use.
template <class Exec, class T>
DecodeArgs<T> args_of_stream(OpenedStream<Exec> const& opened, T* field);

/// The seat of the coder of a pipeline and variant.
template <Pipeline pipeline, Variant variant, class First, class... Rest>
constexpr auto seat_of(TypeList<First, Rest...>) {
  if constexpr (First::row.pipeline == pipeline && First::codes(variant)) {
    return TypeTag<First>{};
  } else {
    return seat_of<pipeline, variant>(TypeList<Rest...>{});
  }
}

/// body(team) by all threads of a team of a device; on a host, where bodies are written for one thread, by the first
/// thread. The result on all threads, behind a barrier.
template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION int on_team(Team const& team, Body const& body) {
  int result = 0;
  KOKKOS_IF_ON_HOST((if (team.team_size() > 1) {
    team.team_barrier();
    if (team.team_rank() == 0) result = body(SingleThreadTeam());
    team.team_broadcast(result, 0);
    return result;
  }))
  result = body(team);
  team.team_barrier();
  return result;
}

/// \throws Error bad_argument unless a stream is by this coder
template <class Seat>
void require_coding(char const* reader, StreamInfo const& info) {
  if (info.pipeline == Seat::row.pipeline && Seat::codes(info.variant)) return;
  throw Error(Status::bad_argument, reader,
              std::string("the stream is one of ") + to_string(info.pipeline) + " " +
                  to_string(info.variant) + ", which this reader was not compiled for",
              "use with_coding()");
}

/// Arguments of a coder for records without a stream.
template <class T>
struct TileArgs {
  Quantizer<T> quantizer;
  struct {
    Variant variant;
  } asked;
};

/// Decodes the words of a record to `box` of `field`, on all threads of a team, of any predictor's CodecTypes over tiles that
/// stand alone.
template <class CodecTypes, class Team, class Args, class T>
KOKKOS_INLINE_FUNCTION bool read_tile(Team const& team, TileShape shape, Args const& args,
                                      FieldTile<T, TileBox> const& tile, RecordSpan const& record,
                                      TileBuffer<CodecTypes, T>& buffer) {
  bool sound = false;
  with_tile_shape(shape, [&](auto of_tile) {
    sound = read_record<CodecTypes, decltype(of_tile)>(team, args, tile, record.in, record.words,
                                                       buffer);
  });
  return sound;
}

}  // namespace impl

namespace device {

/// Place of a tile in its field. x is the index that runs fastest, then y, then z. Tiles of 32x32 see y and z, chains all
/// three as one axis (docs/format.md, section 2); `origin` and size() mean the same for all.
struct TileExtents {
  std::int64_t x = 0, y = 0, z = 0;  ///< of its first value
  int nx = 0, ny = 0,
      nz = 0;  ///< how many values it has along each; less than its shape at the far edges
  /// In the memory of a dense field: index of its first value, and steps along y and z.
  std::int64_t origin = 0, row_pitch = 0, slab_pitch = 0;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int size() const { return nx * ny * nz; }
};

/// Values of a tile in memory, mostly the scratch memory of a team. Value (x, y, z) of the tile lies at
/// data[z * slab_pitch + y * row_pitch + x].
template <class T>
struct TileValues {
  T* data;
  std::int64_t row_pitch, slab_pitch;

  /// In a dense field.
  KOKKOS_FORCEINLINE_FUNCTION static TileValues in_field(T* field, TileExtents const& place) {
    return {field + place.origin, place.row_pitch, place.slab_pitch};
  }
  /// Side by side.
  KOKKOS_FORCEINLINE_FUNCTION static TileValues packed(T* data, TileExtents const& place) {
    return {data, place.nx, static_cast<std::int64_t>(place.nx) * place.ny};
  }
};

/// Values of a tile, at most.
inline constexpr int tile_values = impl::tile_values;

/// Options of the records.
/// \tparam T  float or double
template <class T, Pipeline pipeline, Variant variant>
class TileRecords {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "kompakt: tiles are of float or double");

 protected:
  using Seat = typename decltype(impl::seat_of<pipeline, variant>(impl::Coders{}))::type;
  using CodecTypes = impl::CodecTypes<impl::coder_t<Seat, T>, impl::Lorenzo>;

  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION static impl::FieldTile<V, impl::TileBox> tile_of(
      TileValues<V> const& values, TileExtents const& place) {
    return {values.data, {0, values.row_pitch, values.slab_pitch, place.nx, place.ny, place.nz}};
  }

 public:
  /// Working memory of a team.
  using Scratch = impl::TileBuffer<CodecTypes, T>;
  /// Scratch memory of a team: set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)), and more for its own values. On a host,
  /// where Kokkos 5 gives 32 KiB at level 0, ask at level 1 for more: both are one piece.
  static constexpr std::size_t scratch_bytes = impl::team_buffer_bytes<Scratch>;
  /// Maximum record length in words of 4 bytes: no tile takes more than its values.
  static constexpr int max_words = impl::tile_values * impl::value_words<T>;

  /// Takes the working memory out of a team's scratch memory of level 0; by all of its threads, once.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Scratch& scratch(Team const& team) {
    return impl::team_buffer<Scratch>(team);
  }
};

/// Codes tiles by themselves: a team turns the values of a tile into the words of a record, and back. A stream that
/// compress() writes with the same options has the same words for the tile. Trivially copyable; made on the host.
///
/// A team is any Kokkos team with a vector length of 1. All of its threads call, with the same arguments; a barrier must lie
/// between what writes memory and the call that reads it, and behind a call there is one already. On a host the first
/// thread does the work.
/// \tparam pipeline  fixedlength, bitshuffle or rans; huffman has no records without the codebook of a field
template <class T, Pipeline pipeline, Variant variant = Variant::automatic>
class TileCodec : public TileRecords<T, pipeline, variant> {
  using Base = TileRecords<T, pipeline, variant>;
  using typename Base::CodecTypes;
  static_assert(pipeline != Pipeline::huffman,
                "kompakt: a TileCodec cannot be of huffman, whose records need a field's codebook");

 public:
  using typename Base::Scratch;

  /// \param options  bound, range and fill count
  /// \throws Error bad_argument for options that validate() refuses, and for those that the whole field must be looked at
  ///         for: a bound relative to its range without Options::range, a PSNR, an automatic fill value
  TileCodec(Options options, TileShape shape) : m_shape(shape), m_args{{}, {variant}} {
    options.pipeline = pipeline;
    options.variant = variant;
    options.predictor = Predictor::automatic;
    options.pack = false;
    ErrorBound bound = impl::named("TileCodec", [&] { return impl::bound_without_field(options); });
    impl::FpEnvironment const environment;
    bound.value = environment.inside(bound.value);
    impl::Fill<T> fill;
    if (options.fill.mode == FillValue::Mode::value) {
      fill = {true, static_cast<T>(options.fill.value)};
    }
    m_args.quantizer =
        impl::given_quantizer(bound, impl::dtype_of<T>(), fill, {}, options.magnitude);
    m_args.quantizer.keep_apart_from_fill(impl::dtype_of<T>());
  }

  /// Codes a tile within the bound.
  /// \param place  nx, ny and nz count, at most the extents of the shape
  /// \param out    max_words words, aligned to 4 bytes
  /// \returns how many of them the record has, on all threads; 0 if all values are in the bin of 0
  template <class Team>
  KOKKOS_INLINE_FUNCTION int encode(Team const& team, TileValues<T const> const& values,
                                    TileExtents const& place, std::uint32_t* out,
                                    Scratch& scratch) const {
    return impl::on_team(team, [&](auto const& threads) {
      [[maybe_unused]] impl::FpEnvironment const environment;
      int words = 0;
      impl::with_tile_shape(m_shape, [&](auto shape) {
        using Shape = decltype(shape);
        auto const tile = Base::tile_of(values, place);
        auto const context = impl::EncodeContext<CodecTypes>::of(m_args);
        auto const plan =
            impl::plan_tile<CodecTypes, Shape>(threads, m_args.quantizer, context, tile, scratch);
        impl::write_record<CodecTypes, Shape>(threads, context.coder, tile, plan, nullptr, scratch,
                                              out);
        words = plan.words;
      });
      return words;
    });
  }

  /// The inverse, of any words.
  /// \param words  what encode() returned
  /// \param place  as in encode()
  /// \returns whether they are a sound record, on all threads; if not, values are anything
  template <class Team>
  KOKKOS_INLINE_FUNCTION bool decode(Team const& team, std::uint32_t const* in, int words,
                                     TileValues<T> const& values, TileExtents const& place,
                                     Scratch& scratch) const {
    return impl::on_team(team, [&](auto const& threads) {
             [[maybe_unused]] impl::FpEnvironment const environment;
             return impl::read_tile<CodecTypes>(threads, m_shape, m_args,
                                                Base::tile_of(values, place),
                                                impl::RecordSpan{in, words}, scratch)
                        ? 1
                        : 0;
           }) != 0;
  }

 private:
  TileShape m_shape;
  impl::TileArgs<T> m_args;
};

/// Decodes the tiles of a stream, in any order, as often as wanted. Trivially copyable; made on the host of a StreamReader,
/// which must live as long. Teams as for a TileCodec.
///
/// Whatever the stream's bytes are, read() stays inside of it; damage that makes no record unsound is told by
/// StreamReader::check() alone, which compares checksums.
template <class T, Pipeline pipeline, Variant variant = Variant::automatic>
class TileReader : public TileRecords<T, pipeline, variant> {
  using Base = TileRecords<T, pipeline, variant>;
  using typename Base::CodecTypes;
  using typename Base::Seat;

 public:
  using typename Base::Scratch;

  /// \throws Error type_mismatch unless the stream holds values of T, bad_argument unless pipeline and variant are its
  template <class Exec>
  explicit TileReader(StreamReader<Exec> const& stream) {
    StreamInfo const& info = stream.info();
    if (info.shape.dtype != impl::dtype_of<T>()) {
      throw Error(Status::type_mismatch, "TileReader",
                  std::string("the stream holds ") + to_string(info.shape.dtype) + ", not " +
                      to_string(impl::dtype_of<T>()),
                  "");
    }
    impl::require_coding<Seat>("TileReader", info);
    if (info.shape.size() == 0) return;
    m_stream =
        impl::StreamTiles<T>::of(impl::args_of_stream(stream.opened(), static_cast<T*>(nullptr)));
    m_is_empty = false;
  }

  TileShape shape() const { return m_stream.tile_shape; }

  /// Number of tiles, numbered along x first, then y, then z.
  KOKKOS_INLINE_FUNCTION std::int64_t tiles() const {
    std::int64_t count = 0;
    if (!m_is_empty) with_grid([&](auto const& grid) { count = grid.tiles; });
    return count;
  }
  KOKKOS_INLINE_FUNCTION TileExtents place(std::int64_t tile) const {
    TileExtents place;
    with_grid([&](auto const& grid) {
      impl::TileBox const box = grid.box(tile);
      impl::Extents3 const at = grid.corner(tile);
      place = {at.x, at.y, at.z, box.nx, box.ny, box.nz, box.origin, box.row_pitch, box.slab_pitch};
    });
    return place;
  }
  /// Number of the tile with a value, by the indices that TileExtents counts; -1 outside of the field.
  KOKKOS_INLINE_FUNCTION std::int64_t tile_at(std::int64_t x, std::int64_t y,
                                              std::int64_t z) const {
    std::int64_t tile = -1;
    if (m_is_empty) return tile;
    with_grid([&](auto const& grid) { tile = grid.tile_at({x, y, z}); });
    return tile;
  }

  /// Decodes a tile.
  /// \param tile  0 <= tile < tiles()
  /// \returns whether its record is sound, on all threads; if not, values are anything
  template <class Team>
  KOKKOS_INLINE_FUNCTION bool read(Team const& team, std::int64_t tile, TileValues<T> const& values,
                                   Scratch& scratch) const {
    TileExtents const where = place(tile);
    impl::RecordSpan record{};
    bool found = false;
    with_grid([&](auto const& grid) {
      found = impl::find_record(m_stream, grid, tile, record) == impl::DecodeFault::none;
    });
    return impl::on_team(team, [&](auto const& threads) {
             [[maybe_unused]] impl::FpEnvironment const environment;
             return found && impl::read_tile<CodecTypes>(threads, m_stream.tile_shape, m_stream,
                                                         Base::tile_of(values, where), record,
                                                         scratch)
                        ? 1
                        : 0;
           }) != 0;
  }

 private:
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void with_grid(Body const& body) const {
    impl::with_tile_shape(m_stream.tile_shape, [&](auto shape) {
      body(impl::TileGrid<decltype(shape)>(m_stream.extents));
    });
  }

  impl::StreamTiles<T> m_stream{};
  bool m_is_empty = true;
};

/// Coding of a stream, known at compile time.
template <Pipeline p, Variant v>
struct Coding {
  static constexpr Pipeline pipeline = p;
  static constexpr Variant variant = v;
};

/// Calls body(Coding) with the coding of a stream. Kernels in it are compiled for every coding.
template <class Exec, class Body>
void with_coding(StreamReader<Exec> const& stream, Body const& body) {
  impl::with_coder(stream.info().pipeline, stream.info().variant,
                   [&]<class Seat>(impl::TypeTag<Seat>) {
                     constexpr Variant variant =
                         Seat::codes(Variant::automatic) ? Variant::automatic : Variant::fz;
                     body(Coding<Seat::row.pipeline, variant>());
                   });
}

/// Calls body(TileReader) with a reader of the stream, compiled as for with_coding().
/// \throws Error type_mismatch unless the stream holds values of T
template <class T, class Exec, class Body>
void with_tile_reader(StreamReader<Exec> const& stream, Body const& body) {
  with_coding(stream, [&]<Pipeline pipeline, Variant variant>(Coding<pipeline, variant>) {
    body(TileReader<T, pipeline, variant>(stream));
  });
}

}  // namespace device

}  // namespace kompakt

#endif
