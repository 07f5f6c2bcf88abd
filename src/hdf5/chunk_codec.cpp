#include "chunk_codec.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <charconv>
#include <container/abridged.hpp>
#include <cstdlib>
#include <kompakt/compress.hpp>
#include <kompakt/kompakt.h>
#include <kompakt/spaces.hpp>
#include <mutex>
#include <string_view>
#include <unistd.h>

namespace kompakt::hdf5 {

std::span<std::byte const> ChunkCodec::compress(ChunkCoding const& coding, void const* values) {
  m_stream.resize(std::max(m_stream.size(), max_compressed_bytes(coding.shape, coding.options)));
  StreamInfo const info = m_codec.compress(ConstFieldData(values, coding.shape), MemoryOf::host,
                                           coding.options, m_stream, MemoryOf::host);
  std::span const stream = std::span(m_stream).first(info.bytes);
  std::size_t const bytes = impl::abridge(stream, stream.data());
  return bytes == 0 ? stream : stream.first(bytes);
}

ChunkCodec::Stored ChunkCodec::open(ChunkCoding const& coding, std::span<std::byte const> stored) {
  Stored chunk{stored, {}};
  if (impl::is_abridged(stored)) {
    impl::restore(stored, coding.shape, m_restored);
    chunk.stream = m_restored;
  }
  chunk.shape = inspect(chunk.stream).shape;
  chunk.shape.order = Order::last_fastest;
  if (chunk.shape.dtype != coding.shape.dtype || chunk.shape.size() != coding.shape.size()) {
    throw Error(Status::type_mismatch,
                "the filter kompakt: the chunk holds " + std::to_string(chunk.shape.size()) +
                    " values of " + to_string(chunk.shape.dtype) + ", but chunks of the dataset " +
                    std::to_string(coding.shape.size()) + " of " + to_string(coding.shape.dtype));
  }
  return chunk;
}

void ChunkCodec::decompress(Stored const& chunk, void* values) {
  m_codec.decompress(chunk.stream, MemoryOf::host, FieldData{values, chunk.shape}, MemoryOf::host);
}

namespace {

// A team of threads takes longer to begin than one thread to be done.
constexpr std::size_t small_chunk_bytes = 64 << 10;

char const* variable(char const* name) {
  char const* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

int threads_wanted() {
  std::string_view const text = variable("KOMPAKT_HDF5_THREADS");
  int threads = 0;
  if (text.empty()) return threads;
  auto const [end, error] = std::from_chars(text.begin(), text.end(), threads);
  if (error == std::errc() && end == text.end() && threads > 0) return threads;
  refuse("KOMPAKT_HDF5_THREADS is \"" + std::string(text) +
         "\"; set a number from 1 on, or nothing");
}

/// Of chunks that are not small.
Space space_wanted() {
  std::string_view const text = variable("KOMPAKT_HDF5_SPACE");
  if (!text.empty()) return parse_space(text);
  auto const compiled = compiled_spaces();
  bool const has_openmp =
      std::find(compiled.begin(), compiled.end(), Space::openmp) != compiled.end();
  return has_openmp ? Space::openmp : Space::serial;
}

/// Initialises Kokkos for the first caller; the library uses the application's if there is one.
void require_kokkos() {
  if (Kokkos::is_initialized()) return;
  kompakt_settings settings = kompakt_settings_default();
  settings.threads = threads_wanted();
  kompakt_status const status = kompakt_initialize(&settings);
  if (status == KOMPAKT_OK || Kokkos::is_initialized()) return;
  throw Error(static_cast<Status>(status), kompakt_last_message());
}

/// Codecs that wait for chunks.
class CodecPool {
 public:
  /// Never destroyed: that would be after Kokkos is gone.
  static CodecPool& get() {
    static CodecPool& once = *new CodecPool;
    return once;
  }

  std::unique_ptr<ChunkCodec> take(std::size_t chunk_bytes) {
    std::lock_guard const lock(m_mutex);
    if (!m_started) start();
    Space const space = space_for(chunk_bytes);
    auto const found = std::find_if(m_codecs.begin(), m_codecs.end(),
                                    [&](auto const& codec) { return codec->space() == space; });
    if (found == m_codecs.end()) return std::make_unique<ChunkCodec>(space);
    auto codec = std::move(*found);
    m_codecs.erase(found);
    return codec;
  }
  void give_back(std::unique_ptr<ChunkCodec> codec) {
    std::lock_guard const lock(m_mutex);
    m_codecs.push_back(std::move(codec));
  }

 private:
  void start() {
    require_kokkos();
    m_space = space_wanted();
    m_process = getpid();
    Kokkos::push_finalize_hook([] { get().m_codecs.clear(); });
    m_started = true;
  }
  // A process that was forked, such as a worker of Python's multiprocessing, has none of the threads of its parent, and
  // would wait for them.
  Space space_for(std::size_t chunk_bytes) const {
    bool const one_thread = is_on_host(m_space) && chunk_bytes < small_chunk_bytes;
    return one_thread || getpid() != m_process ? Space::serial : m_space;
  }

  std::mutex m_mutex;
  std::vector<std::unique_ptr<ChunkCodec>> m_codecs;
  Space m_space = Space::serial;
  pid_t m_process = 0;
  bool m_started = false;
};

}  // namespace

LentCodec::LentCodec(std::size_t bytes) : m_codec(CodecPool::get().take(bytes)) {}
LentCodec::~LentCodec() { CodecPool::get().give_back(std::move(m_codec)); }

}  // namespace kompakt::hdf5
