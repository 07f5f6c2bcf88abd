#include "codebook_times.hpp"

#include <coder/huffman/kernels.hpp>
#include <core/team.hpp>
#include <cstring>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <kompakt/version.hpp>
#include <memory>
#include <pipeline/encode_call.hpp>
#include <pipeline/field_operations.hpp>
#include <pipeline/record_operations.hpp>
#include <string>
#include <support/timing.hpp>
#include <type_traits>
#include <utility>
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/coder/huffman.hpp>
#endif

// What Shah et al. (Lightweight Huffman Coding, ICS 2023) measure: a codebook chosen from the dictionary
// against one that is made, on the device or, as by cuSZ (Tian et al., PACT 2020), on the host between two
// copies. With the book of every line a stream is made, which must be that of compress() byte for byte.

namespace kompakt::perf {

namespace {

namespace huffman = impl::huffman;

/// A compression in its parts, with an absolute bound.
template <class Exec>
class Subject {
 public:
  Subject(Exec const& exec, DataSet const& data, BoundWord const& bound)
      : m_exec(exec),
        m_field(load<float>(exec, data)),
        m_source(m_field.data(), data.shape),
        m_workspace(exec) {
    m_options.pipeline = Pipeline::huffman;
    m_options.predictor = Predictor::chain;
    m_options.bound = ErrorBound::relative_to_range(bound.value);
    compress_whole(Variant::custom);
    m_options.bound = ErrorBound::absolute(info().abs_bound);
  }

  StreamInfo const& info() const { return m_stream.info(); }

  void compress_whole(Variant variant) {
    m_options.variant = variant;
    compress(m_exec, m_source, m_options, m_workspace, m_stream);
  }

  /// Makes ready what the parts below need: memory, a resolved bound and counts.
  void prepare(Variant variant) {
    m_options.variant = variant;
    std::size_t const capacity = max_compressed_bytes(m_source.shape, m_options);
    m_bytes = Bytes("kompakt::perf::stream", capacity);
    m_args = impl::encode_args<float>({{m_source}, m_options, {}, m_bytes.data(), capacity});
    m_args.field = m_field.data();
    auto const place = [&](impl::Carver& scratch) {
      impl::place_scratch<Kernels>(m_args, scratch);
    };
    m_scratch = Bytes("kompakt::perf::scratch", impl::carved_bytes(place));
    impl::Carver scratch(m_scratch.data());
    place(scratch);
    m_persistent =
        Bytes("kompakt::perf::persistent", impl::persistent_bytes(Tag{}, m_args.max_chunks()));
    m_args.persistent = m_persistent.data();
    m_args.persistent_bytes = m_persistent.extent(0);
    m_result = HostBytes("kompakt::perf::result", sizeof(impl::EncodeResult));
    m_args.result = reinterpret_cast<impl::EncodeResult*>(m_result.data());
    m_host = HostParts(m_args);
    impl::resolve(Tag{}, m_exec, m_args);
    count();
  }

  void count() { impl::count_entries<Count>(Tag{}, m_exec, m_args); }
  void make_book() { huffman::make_codebook(m_exec, m_args); }

  /// From counts on the device to a book on the device.
  void build_on_host() {
    auto const book = huffman::encode_memory<Exec>(m_args);
    std::size_t const entries = m_host.words.size();
    m_host.state.take(m_exec, m_args.state);
    m_host.counts.take(m_exec, book.counts_of(chain));
    m_exec.fence("kompakt::perf::counts");
    std::uint32_t* const counts = m_host.counts.data();
    for (std::size_t i = entries; i < m_host.counts.size(); ++i) counts[i % entries] += counts[i];

    impl::SingleThreadTeam const team;
    huffman::IdealBits const ideal = huffman::ideal_bits(team, m_args.radius, counts);
    bool const symbols_only = ideal.prefers_symbols_only();
    auto const memory = huffman::BookMemory::in(m_host.making.data(), m_args.radius);
    huffman::take_counts(team, counts, m_args.radius, ideal.digits, symbols_only, memory);
    auto const head = huffman::make_lengths(team, memory, m_args.radius, symbols_only);
    huffman::make_words(team, memory, head, m_host.words.data());
    impl::HeaderFound& found = m_host.state.data()->found;
    found.tile_shape = TileShape::chain;
    found.extra.coder = head.section_bytes();
    found.coder_head = head.word();
    found.coder_checksum = 0;
    huffman::store_codebook(team, head, memory.lengths,
                            static_cast<std::uint32_t>(impl::SectionId::coder),
                            m_host.section.data(), found.coder_checksum);

    m_host.state.give(m_exec, m_args.state, 1);
    m_host.words.give(m_exec, book.words, entries);
    m_host.section.give(m_exec, reinterpret_cast<std::uint32_t*>(codebook()),
                        head.section_bytes() / 4);
  }

  /// Where the section of the codebook lies; the field has no fill value.
  std::byte* codebook() const {
    return m_bytes.data() + impl::StreamLayout(m_source.shape.rank, 0, {0, 1}).coder;
  }

  /// So that it shows if the next book is not made.
  void forget_book() {
    Kokkos::deep_copy(m_exec,
                      Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(
                          reinterpret_cast<std::byte*>(huffman::encode_memory<Exec>(m_args).words),
                          m_host.words.size() * sizeof(huffman::CodeWord)),
                      std::byte{0});
  }
  /// The rest of a compression, once there is a book.
  void encode() {
    Kernels::encode(m_exec, m_args);
    m_exec.fence("kompakt::perf::compress");
  }
  void compress_with_host_book() {
    impl::resolve(Tag{}, m_exec, m_args);
    count();
    build_on_host();
    encode();
  }

  /// Whether encode() made the stream that compress_whole() has made.
  bool has_same_stream() const {
    auto const bytes = static_cast<std::size_t>(m_args.result->stream_bytes);
    if (bytes != info().bytes) return false;
    auto const own = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), Kokkos::subview(m_bytes, std::make_pair(std::size_t{0}, bytes)));
    auto const whole = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_stream.bytes());
    return std::memcmp(own.data(), whole.data(), bytes) == 0;
  }

 private:
  using Tag = impl::backend_tag_t<Exec>;
  using Kernels = impl::Kernels<impl::seat::Huffman, impl::seat::Lorenzo, Tag, Exec, float>;
  using Count = impl::CodecTypes<huffman::Counter<float>, impl::Lorenzo, Tag>;
  using State = impl::EncodeState<float>;
  using Space = typename Exec::memory_space;
  using HostSpace = typename impl::readback_space<Exec>::type;
  using Bytes = Kokkos::View<std::byte*, Space>;
  using HostBytes = Kokkos::View<std::byte*, HostSpace>;
  static constexpr int chain = static_cast<int>(TileShape::chain);

  /// Values on the host that a device copies to and from.
  template <class V>
  class HostValues {
   public:
    HostValues() = default;
    explicit HostValues(std::size_t size)
        : m_size(size), m_memory("kompakt::perf::host", bytes()) {}

    std::size_t size() const { return m_size; }
    V* data() const { return reinterpret_cast<V*>(m_memory.data()); }
    void take(Exec const& exec, V const* from) const {
      Kokkos::deep_copy(exec, m_memory, on_device(from, bytes()));
    }
    void give(Exec const& exec, V* to, std::size_t count) const {
      std::size_t const given = count * sizeof(V);
      Kokkos::deep_copy(exec, on_device(to, given),
                        Kokkos::subview(m_memory, std::make_pair(std::size_t{0}, given)));
    }

   private:
    std::size_t bytes() const { return m_size * sizeof(V); }
    static auto on_device(V const* at, std::size_t bytes) {
      return Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>(
          reinterpret_cast<std::byte*>(const_cast<V*>(at)), bytes);
    }
    std::size_t m_size = 0;
    HostBytes m_memory;
  };
  /// What the host has for building a book.
  struct HostParts {
    HostValues<State> state;
    HostValues<std::uint32_t> counts, section;
    HostValues<huffman::CodeWord> words;
    HostValues<std::byte> making;

    HostParts() = default;
    explicit HostParts(impl::EncodeArgs<float> const& args)
        : state(1),
          counts(entries(args) * static_cast<std::size_t>(huffman::count_slices<Exec>(args.asked))),
          section(huffman::max_codebook_bytes(args.radius) / 4),
          words(entries(args)),
          making(huffman::BookMemory::bytes(args.radius)) {}

   private:
    static std::size_t entries(impl::EncodeArgs<float> const& args) {
      return static_cast<std::size_t>(huffman::entry_count(args.radius));
    }
  };

  Exec m_exec;
  Kokkos::View<float*, Space> m_field;
  ConstFieldData m_source;
  Options m_options;
  Workspace<Exec> m_workspace;
  CompressedStream<Space> m_stream;
  Bytes m_bytes, m_scratch, m_persistent;
  HostBytes m_result;
  HostParts m_host;
  impl::EncodeArgs<float> m_args{};
};

/// Launches behind a time of a kernel: their gaps hide in them.
constexpr int launches = 16;

/// What is there once a line's step has been timed.
enum class Leaves { counts, book, parts_stream, whole_stream };

struct Line {
  char const* name;
  Variant variant;
  int calls;  ///< of the step behind a time, between two idle moments
  Leaves leaves;
};

/// Registers a line; step(subject) is timed.
template <class Exec, class Step>
void register_line(Run& run, Exec const& exec, DataSet const& data, BoundWord const& bound,
                   Line const& line, Step const& step) {
  std::string const key = data.key() + "/" + bound.word + "/" + to_string(space_of<Exec>);
  register_benchmark(run, std::string(line.name) + "/" + key, [=, &run](benchmark::State& state) {
    auto& subject = run.subject.get<Subject<Exec>>(key + "/" + data.file.string(), [&] {
      return std::make_shared<Subject<Exec>>(exec, data, bound);
    });
    subject.prepare(line.variant);
    double const time_s = median_s(exec, state,
                                   [&] {
                                     for (int i = 0; i < line.calls; ++i) step(subject);
                                   }) /
                          line.calls;
    subject.compress_whole(line.variant);
    if (line.leaves == Leaves::book) {
      subject.forget_book();
      step(subject);
      subject.encode();
    }
    if ((line.leaves == Leaves::book || line.leaves == Leaves::parts_stream) &&
        !subject.has_same_stream()) {
      return run.fail(state, "the stream is not that of compress()");
    }
    auto const bytes = static_cast<double>(data.shape.bytes());
    state.counters["microseconds"] = 1e6 * time_s;
    if (line.leaves == Leaves::parts_stream || line.leaves == Leaves::whole_stream) {
      state.counters["gbps"] = bytes / time_s / 1e9;
    }
    state.counters["ratio"] = bytes / static_cast<double>(subject.info().bytes);
    state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                   "; bound=r2r " + bound.word + "; predictor=" + subject.info().predictor_word() +
                   "; commit=" + git_commit());
  });
}

template <class Exec>
void register_lines(Run& run, Exec const& exec, DataSet const& data, BoundWord const& bound) {
  auto const line = [&](Line const& of, auto const& step) {
    register_line(run, exec, data, bound, of, step);
  };
  auto const make_book = [](Subject<Exec>& s) { s.make_book(); };
  line({"count", Variant::custom, launches, Leaves::counts}, [](auto& s) { s.count(); });
  line({"book/dictionary", Variant::dictionary, launches, Leaves::book}, make_book);
  line({"book/custom", Variant::custom, launches, Leaves::book}, make_book);
  line({"book/host", Variant::custom, 1, Leaves::book}, [](auto& s) { s.build_on_host(); });
  line({"compress/dictionary", Variant::dictionary, 1, Leaves::whole_stream},
       [](auto& s) { s.compress_whole(Variant::dictionary); });
  line({"compress/custom", Variant::custom, 1, Leaves::whole_stream},
       [](auto& s) { s.compress_whole(Variant::custom); });
  line({"compress/host", Variant::custom, 1, Leaves::parts_stream},
       [](auto& s) { s.compress_with_host_book(); });
}

}  // namespace

void register_codebook_times(Run& run, std::vector<BoundWord> const& bounds) {
  for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
    if constexpr (std::is_same_v<T, float>) {
      for (BoundWord const& bound : bounds) register_lines(run, exec, data, bound);
    } else {
      throw Error(Status::bad_argument,
                  "codebook times are those of fields of float; " + data.name + " is double");
    }
  });
}

}  // namespace kompakt::perf
