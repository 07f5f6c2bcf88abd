#ifndef KOMPAKT_CODER_HUFFMAN_KERNELS_HPP
#define KOMPAKT_CODER_HUFFMAN_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <coder/huffman/counter.hpp>
#include <coder/huffman/make_book.hpp>
#include <coder/huffman/record.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <pipeline/coder_setup.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/run_each.hpp>
#include <span>
#include <vector>

// The codebook of a stream. Encoding: from the counts of a deterministic sample, what shape tiles are to have, by what
// the best codes for each would come to, and the book. What the sample lacks has codes that stand for it, so the
// field is read once, by the encoder. Decoding: the tables that a book is looked up in.
// Sources: Tian et al., cuSZ, PACT 2020; Shah et al., Lightweight Huffman Coding, ICS 2023.

namespace kompakt::impl::huffman {

/// Chunks that are counted for each shape of tiles, at most; of fields with fewer, all: 2 million values.
inline constexpr std::int64_t book_sample_chunks = 512;

/// How many chunks are counted: fewer of those with levels, which have more tiles. Where only books of the dictionary are weighed
/// an eighth, but at least 8, and up to 16 in fields so small that it does not matter. In fields of 64^3 that costs nothing of the
/// ratio of turbulence and 1.7 % of that of a density with peaks, beside a quarter, and takes half the time. A book that is made of
/// few counts costs 4 %.
KOKKOS_FORCEINLINE_FUNCTION constexpr SampleSize book_samples(HeaderAsked const& asked) {
  std::int64_t const most = has_levels(asked.method)
                                ? book_sample_chunks * chunk_tiles / sparse_chunk_tiles
                                : book_sample_chunks;
  if (asked.variant != Variant::dictionary) return {most};
  constexpr std::int64_t least = 8, share = 8, few = 16;
  std::int64_t const chunks =
      static_cast<std::int64_t>(asked.shape.size()) / (chunk_tiles * tile_values);
  return {chunks < few ? few : Kokkos::clamp(chunks / share, least, most), share};
}

/// Slices of the counts. On a host teams have one each, so that they need no atomic additions; a small field has no work for many,
/// and 16 would take longer to clear and to sum up than to fill.
template <class Exec>
KOKKOS_FORCEINLINE_FUNCTION int count_slices(HeaderAsked const& asked) {
  if constexpr (generic_team_size<Exec> != 1) return 1;
  auto const chunks = static_cast<std::int64_t>(asked.shape.size()) / (chunk_tiles * tile_values);
  return static_cast<int>(Kokkos::clamp<std::int64_t>(chunks, 1, 16));
}
/// Where a call's counts and its book lie.
template <class Exec, class T>
KOKKOS_INLINE_FUNCTION EncodeMemory encode_memory(EncodeArgs<T> const& args) {
  Carver carver(args.coder_scratch);
  return EncodeMemory::in(carver, args.radius, count_slices<Exec>(args.asked));
}

/// Teams that count for a shape of tiles.
template <class Exec>
int count_teams(HeaderAsked const& asked) {
  return generic_team_size<Exec> == 1 ? count_slices<Exec>(asked)
                                      : static_cast<int>(book_sample_chunks);
}

/// Teams count the entries of the sampled chunks of every shape that may be chosen, by a walk of
/// Counter<T>.
template <class CodecTypes, class T>
struct CountEntries {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;
  EncodeMemory book;
  int teams;  // of a shape

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    int const number = team.league_rank() / teams;
    if (!args.may_have(number)) return;
    with_tile_shape(static_cast<TileShape>(number),
                    [&](auto shape) { count<decltype(shape)>(team); });
  }

 private:
  template <class Shape, class Team>
  KOKKOS_FUNCTION void count(Team const& team) const {
    Buffer& buffer = team_buffer<Buffer>(team);
    grid_t<CodecTypes, Shape> const grid(args.extents);
    std::int64_t const chunks = grid.chunks();
    std::int64_t const samples = book_samples(args.asked).of(chunks);
    int const mine = static_cast<int>(team.league_rank() % teams);
    auto const number = static_cast<int>(Shape::shape);
    EncodeContext<CodecTypes> const context{
        Counts{book.counts_of(number, mine % book.slices), args.radius},
        CodecTypes::Predictor::context(args)};
    std::uint64_t words = 0, values = 0;
    for (std::int64_t i = mine; i < samples; i += teams) {
      std::int64_t const chunk = sampled_part(i, samples, chunks);
      int const record_words =
          measure_records<CodecTypes, Shape>(team, args, context, chunk, buffer);
      words += static_cast<std::uint64_t>(sample_cost(record_words, args.asked.checksum));
      values += static_cast<std::uint64_t>(chunk_values(grid, chunk));
    }
    if (team.team_rank() != 0) return;
    Kokkos::atomic_add(&args.state->sample_words[number], words);
    Kokkos::atomic_add(&args.state->sample_values[number], values);
  }
};

/// Moves the counts of all slices into the first one.
struct SumCounts {
  EncodeMemory book;

  KOKKOS_FUNCTION void operator()(int i) const {
    int const entries = entry_count(book.radius), shape = i / entries;
    std::uint32_t* const sum = book.counts_of(shape) + i % entries;
    for (int slice = 1; slice < book.slices; ++slice) {
      *sum += sum[slice * entries];
      sum[slice * entries] = 0;
    }
  }
};

/// Teams weigh the books of the dictionary and work out what the best codes come to, one for each book and
/// shape of tiles; the last one that is ready chooses the shape, makes the book and writes the section.
template <class T>
struct MakeCodebook {
  /// What a team may have as scratch on every device.
  static constexpr std::size_t max_scratch = 40 * 1024;
  EncodeArgs<T> args;
  EncodeMemory book;

  std::size_t scratch_bytes() const {
    std::size_t const bytes = BookMemory::bytes(args.radius);
    return bytes <= max_scratch ? bytes : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION int teams() const { return popcount(args.shapes) * jobs_of_shape(); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    int const job = team.league_rank() % jobs_of_shape(),
              shape = candidate(team.league_rank() / jobs_of_shape());
    if (job == 0) {
      weigh_shape(team, shape);
    } else {
      weigh_book(team, shape, job - 1);
    }
    if (is_last(team)) make(team);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool weighs_books() const {
    return args.asked.variant != Variant::custom && args.radius == default_radius;
  }
  /// The i-th of the shapes that may be chosen.
  KOKKOS_FORCEINLINE_FUNCTION int candidate(int i) const {
    int shape = 0;
    for (; i > 0 || !args.may_have(shape); ++shape) i -= args.may_have(shape) ? 1 : 0;
    return shape;
  }
  /// What the best codes for a shape come to.
  template <class Team>
  KOKKOS_FUNCTION void weigh_shape(Team const& team, int shape) const {
    bool const digits_only =
        args.asked.variant == Variant::dictionary && !args.has_choice_of_shapes();
    auto const bits = ideal_bits(team, args.radius, book.counts_of(shape), digits_only);
    if (team.team_rank() == 0) book.costs[shape].ideal = bits;
  }
  /// What a book of the dictionary comes to.
  template <class Team>
  KOKKOS_FUNCTION void weigh_book(Team const& team, int shape, int number) const {
    constexpr int list_bits = 16 + 32 * value_words<T>;
    BookCost const of_book = weigh_books(team, book.counts_of(shape), number, list_bits);
    if (team.team_rank() == 0) book.costs[shape].books[number] = of_book;
  }
  /// By what the best codes for each come to.
  KOKKOS_FUNCTION TileShape choose_shape() const {
    if (!args.has_choice_of_shapes()) return static_cast<TileShape>(bit_width(args.shapes) - 1);
    std::uint64_t bits[tile_shapes] = {};
    for (int shape = 0; shape < tile_shapes; ++shape) {
      if (!args.may_have(shape)) continue;
      bits[shape] = 32 * args.state->sample_words[shape] + book.costs[shape].ideal.least();
    }
    return cheapest_shape(bits, args.state->sample_values, args.shapes);
  }
  /// Chooses and makes the book, and writes the section.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void make(Team const& team) const {
    std::size_t const bytes = BookMemory::bytes(args.radius);
    auto const memory = BookMemory::in(
        bytes <= max_scratch
            ? static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes, 8))
            : book.making,
        args.radius);
    TileShape const shape = choose_shape();
    HeaderFound& found = args.state->found;
    if (team.team_rank() == 0) found.coder_checksum = 0;
    CodebookHead const head = choose_book(team, memory, shape);
    store_codebook(team, head, memory.lengths, static_cast<std::uint32_t>(SectionId::coder),
                   reinterpret_cast<std::uint32_t*>(args.coder_section()), found.coder_checksum);
    if (team.team_rank() != 0) return;
    found.tile_shape = shape;
    found.extra.coder = head.section_bytes();
    found.coder_head = head.word();
    *book.ready = 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int jobs_of_shape() const {
    return 1 + (weighs_books() ? Dictionary::books : 0);
  }

  // Whether all other teams are ready, and what they have written is there to be read.
  template <class Team>
  KOKKOS_FUNCTION bool is_last(Team const& team) const {
    std::uint32_t before = 0;
    if (team.team_rank() == 0) {
      Kokkos::memory_fence();
      before = Kokkos::atomic_fetch_add(book.ready, 1u);
      Kokkos::memory_fence();
    }
    team.team_broadcast(before, 0);
    return before + 1 == static_cast<std::uint32_t>(teams());
  }

  // Leaves the words, of the dictionary's codes or of those made for the counts of the shape.
  template <class Team>
  KOKKOS_INLINE_FUNCTION CodebookHead choose_book(Team const& team, BookMemory const& memory,
                                                  TileShape shape) const {
    ShapeCost const& cost = book.costs[static_cast<int>(shape)];
    if (weighs_books()) {
      team_for_rolled(team, Dictionary::books,
                      [&](int b) { memory.choice->costs[b] = cost.books[b]; });
      team.team_barrier();
      std::uint64_t bits;
      BookNumbers const books = choose_books(team, *memory.choice, cost.ideal.digits, bits);
      if (args.asked.variant == Variant::dictionary ||
          !custom_pays(bits, cost.ideal.least(), shape)) {
        return take_words(team, books, book.words);
      }
    }
    bool const symbols_only = cost.ideal.prefers_symbols_only();
    take_counts(team, book.counts_of(static_cast<int>(shape)), args.radius, cost.ideal.digits,
                symbols_only, memory);
    auto const head = make_lengths(team, memory, args.radius, symbols_only);
    make_words(team, memory, head, book.words);
    return head;
  }

  // Whether codes that take `ideal` bits, and a section, are worth more than 2 % of the sample against those
  // of the dictionary, and the section.
  KOKKOS_FUNCTION bool custom_pays(std::uint64_t bits, std::uint64_t ideal, TileShape shape) const {
    if (bits <= ideal) return false;
    std::uint64_t const loss = bits - ideal;
    std::uint64_t const rest = 32 * args.state->sample_words[static_cast<int>(shape)];
    std::int64_t const all = chunk_count(args.asked.method, shape, args.extents);
    auto const chunks = static_cast<std::uint64_t>(all);
    auto const samples = static_cast<std::uint64_t>(book_samples(args.asked).of(all));
    return 50 * loss > ideal + rest &&
           loss / samples * chunks > 8 * max_codebook_bytes(args.radius);
  }
};

struct ClearCounts {
  EncodeMemory book;
  static constexpr int team_threads = 512;

  KOKKOS_FORCEINLINE_FUNCTION int teams() const { return 8; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    run(team, team.league_rank());
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION void run(Team const& team, int rank) const {
    auto const words = static_cast<int>(book.zero_words());
    for (int i = rank * team.team_size() + team.team_rank(); i < words;
         i += teams() * team.team_size()) {
      book.counts[i] = 0;
    }
  }
};

/// The steps of MakeCodebook for the calls of a batch, a launch each: books are weighed for the shape that has been chosen, by
/// teams as small as their work, which need no scratch.
template <class T>
struct ClearStep {
  static constexpr int team_threads = ClearCounts::team_threads;
  KOKKOS_FORCEINLINE_FUNCTION static int teams(MakeCodebook<T> const& of) {
    return ClearCounts{of.book}.teams();
  }
  static std::size_t scratch_bytes(MakeCodebook<T> const&) { return 0; }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(MakeCodebook<T> const& of, Team const& team, int rank) {
    ClearCounts{of.book}.run(team, rank);
  }
};
template <class T>
struct WeighShapesStep {
  static constexpr int team_threads = 128;
  KOKKOS_FORCEINLINE_FUNCTION static int teams(MakeCodebook<T> const& of) {
    return popcount(of.args.shapes);
  }
  static std::size_t scratch_bytes(MakeCodebook<T> const&) { return 0; }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(MakeCodebook<T> const& of, Team const& team, int rank) {
    of.weigh_shape(team, of.candidate(rank));
  }
};
template <class T>
struct WeighBooksStep {
  static constexpr int team_threads = 128;
  KOKKOS_FORCEINLINE_FUNCTION static int teams(MakeCodebook<T> const& of) {
    return of.weighs_books() ? Dictionary::books : 0;
  }
  static std::size_t scratch_bytes(MakeCodebook<T> const&) { return 0; }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(MakeCodebook<T> const& of, Team const& team, int rank) {
    of.weigh_book(team, static_cast<int>(of.choose_shape()), rank);
  }
};
template <class T>
struct MakeStep {
  static constexpr int team_threads = 512;
  KOKKOS_FORCEINLINE_FUNCTION static int teams(MakeCodebook<T> const&) { return 1; }
  static std::size_t scratch_bytes(MakeCodebook<T> const& of) { return of.scratch_bytes(); }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(MakeCodebook<T> const& of, Team const& team, int) {
    of.make(team);
  }
};

/// Clears the counts of a book.
template <class Exec>
void clear_counts(Exec const& exec, EncodeMemory const& book) {
  ClearCounts const clear{book};
  parallel_teams("kompakt::choose_codebook::clear",
                 large_team_policy(exec, clear.teams(), clear.scratch_bytes()), clear);
}
/// From counts leaves the shape of tiles and the codebook in args.state, the book's memory and the stream; the same
/// again when it is called again.
template <class Exec, class T>
void make_codebook(Exec const& exec, EncodeArgs<T> const& args) {
  EncodeMemory const book = encode_memory<Exec>(args);
  if (book.slices > 1) {
    Kokkos::parallel_for("kompakt::choose_codebook::sum",
                         Kokkos::RangePolicy<Exec>(exec, 0, tile_shapes * entry_count(args.radius)),
                         SumCounts{book});
  }
  MakeCodebook<T> const make{args, book};
  parallel_teams("kompakt::choose_codebook::make",
                 large_team_policy(exec, make.teams(), make.scratch_bytes()), make);
}

/// Scratch of a team that makes a book.
inline constexpr std::size_t decode_book_scratch = DecodeBookMemory::bytes(default_radius);

/// Makes the tables of a stream's codebook, by a team; what is wrong with it is left in *args.result.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION void make_decode_book(Team const& team, DecodeArgs<T> const& args,
                                             CodebookHead head) {
  SectionBytes const section = args.coder_section;
  std::size_t const bytes = decode_book_scratch;
  auto* const scratch = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes, 8));
  auto* const book = reinterpret_cast<DecodeBook*>(args.coder_scratch);
  bool const sound = book->make(team, head, section.data, scratch);
  std::uint32_t const sum =
      checksum_words(team, reinterpret_cast<std::uint32_t const*>(section.data),
                     static_cast<int>(head.section_bytes() / word_bytes),
                     static_cast<std::uint32_t>(SectionId::coder));
  if (team.team_rank() == 0 && (!sound || sum != section.checksum)) {
    args.result->report(DecodeFault::section);
  }
}

template <class T>
struct ReadCodebook {
  DecodeArgs<T> args;
  CodebookHead head;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    make_decode_book(team, args, head);
  }
};

/// Reads the codebook of a stream whose header the host has not seen. A decoder finds no book if the stream is not as the call
/// hopes.
template <class T>
struct ReadSpeculativeCodebook {
  SpeculativeArgs<T> hoped;

  static constexpr std::size_t scratch_bytes() {
    return decode_book_scratch + sizeof(FrontMemory) + alignof(FrontMemory);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    run(hoped, team);
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(SpeculativeArgs<T> const& hoped, Team const& team) {
    auto& front = *static_cast<FrontMemory*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(FrontMemory), alignof(FrontMemory)));
    hoped.fetch_front(team.team_rank(), team.team_size(), front);
    team.team_barrier();
    int holds = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& known) { known = hoped.read(front) ? 1 : 0; }, holds);
    team.team_barrier();
    Header const& header = front.header;
    if (holds != 0) {
      auto args = decode_args(header, hoped.stream, hoped.field, hoped.result);
      args.coder_scratch = hoped.coder_scratch;
      auto const head = CodebookHead::of(header.coder_head);
      if (header.extra.coder > 0 && head.radius > 0 && head.radius <= default_radius &&
          head.section_bytes() == header.extra.coder) {
        return make_decode_book(team, args, head);
      }
    }
    if (team.team_rank() == 0) reinterpret_cast<DecodeBook*>(hoped.coder_scratch)->radius = 0;
  }
};
/// The same for the calls of a batch.
template <class T>
struct ReadSpeculativeCodebookStep {
  static constexpr int team_threads = 512;
  KOKKOS_FORCEINLINE_FUNCTION static int teams(SpeculativeArgs<T> const&) { return 1; }
  static std::size_t scratch_bytes(SpeculativeArgs<T> const&) {
    return ReadSpeculativeCodebook<T>::scratch_bytes();
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(SpeculativeArgs<T> const& hoped, Team const& team, int) {
    ReadSpeculativeCodebook<T>::run(hoped, team);
  }
};

}  // namespace kompakt::impl::huffman

namespace kompakt::impl {

/// Whether the bodies of a backend take a radius.
inline bool takes_radius(generic_tag, int) { return true; }

/// Counts the entries of the sampled chunks for each shape of tiles that may be chosen.
template <class CodecTypes, class Exec, class T>
void count_entries(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::choose_codebook[generic]");
  using Count = huffman::CountEntries<CodecTypes, T>;
  int const teams = huffman::count_teams<Exec>(args.asked);
  huffman::EncodeMemory const book = huffman::encode_memory<Exec>(args);
  huffman::clear_counts(exec, book);
  parallel_teams(
      "kompakt::choose_codebook::count",
      generic_policy(exec, tile_shapes * teams, team_buffer_bytes<typename Count::Buffer>),
      Count{args, book, teams});
}

template <class T>
struct CoderSetup<Huffman<T>> {
  template <class Tag>
  static bool supports(Tag tag, EncodeArgs<T> const& args) {
    return takes_radius(tag, args.radius);
  }
  template <class Tag>
  static bool supports(Tag tag, DecodeArgs<T> const& args) {
    return takes_radius(tag, huffman::CodebookHead::of(args.coder_section.head).radius);
  }
  template <class Exec>
  static void carve(EncodeArgs<T>& args, Carver& scratch) {
    args.coder_scratch = scratch.take<std::byte>(
        huffman::EncodeMemory::bytes(args.radius, huffman::count_slices<Exec>(args.asked)));
  }
  static std::size_t decode_scratch_bytes(int radius) { return huffman::DecodeBook::bytes(radius); }

  template <class CodecTypes, class Tag, class Exec>
  static void prepare(Tag tag, Exec const& exec, EncodeArgs<T> const& args) {
    using Count = impl::CodecTypes<huffman::Counter<T>, typename CodecTypes::Predictor,
                                   typename CodecTypes::Body>;
    count_entries<Count>(tag, exec, args);
    huffman::make_codebook(exec, args);
  }
  template <class CodecTypes, class Tag, class Exec>
  static void prepare(Tag tag, Exec const& exec, std::span<EncodeArgs<T> const> calls,
                      BatchMemory& memory) {
    using Count = impl::CodecTypes<huffman::Counter<T>, typename CodecTypes::Predictor,
                                   typename CodecTypes::Body>;
    UploadList<huffman::MakeCodebook<T>> books(memory, calls.size());
    for (EncodeArgs<T> const& args : calls) {
      books.add({args, huffman::encode_memory<Exec>(args)});
    }
    auto const* const list = books.upload(exec);
    using namespace huffman;
    run_each<ClearStep<T>>("kompakt::choose_codebook::clear", exec, books.objects(), list);
    count_entries<Count>(tag, exec, calls, memory);
    run_each<WeighShapesStep<T>>("kompakt::choose_codebook::weigh_shapes", exec, books.objects(),
                                 list);
    run_each<WeighBooksStep<T>>("kompakt::choose_codebook::weigh_books", exec, books.objects(),
                                list);
    run_each<MakeStep<T>>("kompakt::choose_codebook::make", exec, books.objects(), list);
  }
  template <class Exec>
  static void prepare(Exec const& exec, DecodeArgs<T> const& args) {
    parallel_teams(
        "kompakt::decode::codebook", large_team_policy(exec, 1, huffman::decode_book_scratch),
        huffman::ReadCodebook<T>{args, huffman::CodebookHead::of(args.coder_section.head)});
  }
  template <class Exec>
  static void prepare(Exec const& exec, SpeculativeArgs<T> const& args) {
    using Read = huffman::ReadSpeculativeCodebook<T>;
    parallel_teams("kompakt::decode::codebook", large_team_policy(exec, 1, Read::scratch_bytes()),
                   Read{args});
  }
  template <class Exec>
  static void prepare(Exec const& exec, std::span<SpeculativeArgs<T> const> calls,
                      BatchMemory& memory) {
    UploadList<SpeculativeArgs<T>> hopes(memory, calls.size());
    for (SpeculativeArgs<T> const& hoped : calls) hopes.add(hoped);
    run_each<huffman::ReadSpeculativeCodebookStep<T>>("kompakt::decode::codebook", exec,
                                                      hopes.objects(), hopes.upload(exec));
  }
};

}  // namespace kompakt::impl

#endif
