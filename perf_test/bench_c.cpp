#include "support/program.hpp"
#include "support/timing.hpp"
#include <algorithm>
#include <chrono>
#include <kompakt/any_codec.hpp>
#include <kompakt/kompakt.h>
#include <kompakt/version.hpp>
#include <stdexcept>

// What a call of the C interface costs beside one in C++: of fields so small that little else is to be seen, calls of
// both in turn, medians.

namespace kompakt::perf {

namespace {

void require(kompakt_status status) {
  if (status != KOMPAKT_OK) throw std::runtime_error(kompakt_last_message());
}

/// A field of 8 x 8 values there and back in host memory, in C++ and in C.
class Subject {
 public:
  explicit Subject(Space space) : m_codec(space) {
    require(kompakt_context_create(static_cast<kompakt_space>(space), nullptr, &m_context));
    for (std::size_t i = 0; i < m_values.size(); ++i) m_values[i] = static_cast<float>(i % 11);
    m_shape.rank = 2;
    m_shape.extents = {8, 8};
    std::uint64_t const extents[] = {8, 8};
    m_c_field = kompakt_field_of(KOMPAKT_F32, 2, extents);
    m_options.bound = ErrorBound::absolute(1e-3);
    m_c_options.bound = kompakt_absolute(1e-3);
    m_stream.resize(max_compressed_bytes(m_shape, m_options));
    compress();
  }
  ~Subject() { kompakt_context_destroy(m_context); }
  Subject(Subject const&) = delete;
  Subject& operator=(Subject const&) = delete;

  void compress() {
    m_bytes = m_codec
                  .compress(FieldData{m_values.data(), m_shape}, MemoryOf::host, m_options,
                            m_stream, MemoryOf::host)
                  .bytes;
  }
  void compress_c() {
    kompakt_info info = kompakt_info_default();
    require(kompakt_compress(m_context, &m_c_field, m_values.data(), &m_c_options, m_stream.data(),
                             m_stream.size(), KOMPAKT_HOST, &info));
    m_bytes = info.bytes;
  }
  void decompress() {
    m_codec.decompress(std::span<std::byte const>(m_stream).first(m_bytes), MemoryOf::host,
                       FieldData{m_values.data(), m_shape}, MemoryOf::host);
  }
  void decompress_c() {
    require(kompakt_decompress(m_context, m_stream.data(), m_bytes, KOMPAKT_HOST, &m_c_field,
                               m_values.data(), nullptr));
  }
  void inspect() {
    m_bytes = kompakt::inspect(std::span<std::byte const>(m_stream).first(m_bytes)).bytes;
  }
  void inspect_c() {
    kompakt_info info = kompakt_info_default();
    require(kompakt_inspect(m_stream.data(), m_bytes, &info));
    m_bytes = info.bytes;
  }

 private:
  AnyCodec m_codec;
  kompakt_context* m_context = nullptr;
  FieldShape m_shape;
  kompakt_field m_c_field{};
  Options m_options;
  kompakt_options m_c_options = kompakt_options_default();
  std::vector<float> m_values = std::vector<float>(64);
  std::vector<std::byte> m_stream;
  std::size_t m_bytes = 0;
};

template <class Call>
double elapsed_s(Subject& subject, Call const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call(subject);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Cpp, class C>
void register_pair(Run& run, Space space, std::string const& name, Cpp const& cpp, C const& c) {
  register_benchmark(
      run, name + "/remainders/8x8/f32/" + to_string(space), [=, &run](benchmark::State& state) {
        auto& subject = run.subject.get<Subject>(to_string(space),
                                                 [&] { return std::make_shared<Subject>(space); });
        std::vector<double> of_cpp, of_c;
        for ([[maybe_unused]] auto iteration : state) {
          constexpr int calls = 200;
          for (int i = 0; i < calls; ++i) {
            of_cpp.push_back(elapsed_s(subject, cpp));
            of_c.push_back(elapsed_s(subject, c));
          }
          state.SetIterationTime(of_c.back());
        }
        state.counters["cpp_us"] = 1e6 * median(of_cpp);
        state.counters["c_us"] = 1e6 * median(of_c);
        state.counters["added_us"] = 1e6 * (median(of_c) - median(of_cpp));
        state.SetLabel(std::string("data=remainders; extents=8x8; dtype=f32; commit=") +
                       git_commit());
      });
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  using namespace kompakt::perf;
  return run_program(argc, argv, "bench_c", "", [](Flags&) {
    return [](Run& run) {
      for (std::string const& word : run.settings.execs) {
        kompakt::Space const space = kompakt::parse_space(word);
        register_pair(
            run, space, "inspect", [](Subject& s) { s.inspect(); },
            [](Subject& s) { s.inspect_c(); });
        register_pair(
            run, space, "compress", [](Subject& s) { s.compress(); },
            [](Subject& s) { s.compress_c(); });
        register_pair(
            run, space, "decompress", [](Subject& s) { s.decompress(); },
            [](Subject& s) { s.decompress_c(); });
      }
    };
  });
}
