#include <algorithm>
#include <api/carrier.hpp>
#include <api/checks.hpp>
#include <cstdint>
#include <kompakt/any_codec.hpp>
#include <kompakt/batch.hpp>
#include <pipeline/strided_copy.hpp>
#include <utility>

namespace kompakt {

/// What every space has; each as that of AnyCodec.
class AnyCodec::Calls {
 public:
  virtual ~Calls() = default;
  virtual Space space() const noexcept = 0;
  virtual void fence() const = 0;
  virtual std::size_t capacity_bytes() const noexcept = 0;
  virtual StreamInfo compress(ConstStridedData const& field, MemoryOf field_in,
                              Options const& options, std::span<std::byte> stream,
                              MemoryOf stream_in) = 0;
  virtual std::vector<StreamInfo> compress_batch(std::span<ConstStridedData const> fields,
                                                 MemoryOf fields_in,
                                                 std::span<ErrorBound const> bounds,
                                                 Options const& options,
                                                 std::span<std::span<std::byte> const> streams,
                                                 MemoryOf streams_in) = 0;
  virtual StreamInfo decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                                StridedData const& field, MemoryOf field_in) = 0;
  virtual StreamInfo decompress_region(std::span<std::byte const> stream, MemoryOf stream_in,
                                       std::span<std::size_t const> begin,
                                       std::span<std::size_t const> end, StridedData const& region,
                                       MemoryOf region_in) = 0;
  virtual FieldRange field_range(ConstStridedData const& field, MemoryOf field_in,
                                 FillValue const& fill) = 0;
  virtual Choice choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                        Goal goal) = 0;
  virtual ErrorStats error_stats(ConstStridedData const& original, MemoryOf original_in,
                                 ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                                 ErrorBound const& bound) = 0;
  virtual Metrics metrics(ConstStridedData const& original, MemoryOf original_in,
                          ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                          ErrorBound const& bound, MetricsOptions const& options) = 0;
};

template <class Exec>
class AnyCodec::CallsOn final : public Calls {
 public:
  explicit CallsOn(Exec const& exec) : m_exec(exec), m_workspace(exec), m_carrier(exec) {}

  Space space() const noexcept override { return space_of<Exec>; }
  void fence() const override {
    impl::as_errors("fence", [&] { m_exec.fence("kompakt::AnyCodec::fence"); });
  }
  std::size_t capacity_bytes() const noexcept override {
    return m_workspace.capacity_bytes() + m_fields[0].extent(0) + m_fields[1].extent(0) +
           m_streams.extent(0);
  }

  StreamInfo compress(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                      std::span<std::byte> stream, MemoryOf stream_in) override {
    return impl::as_errors("compress", [&] {
      ConstStridedData const values = readable("compress", field, field_in, m_fields[0]);
      if (takes_stream(stream.data(), stream_in)) return compress_to(values, options, stream);
      StreamInfo const info =
          compress_to(values, options, own_stream(max_compressed_bytes(field.shape, options)));
      deliver(m_streams.data(), info, stream);
      return info;
    });
  }

  std::vector<StreamInfo> compress_batch(std::span<ConstStridedData const> fields,
                                         MemoryOf fields_in, std::span<ErrorBound const> bounds,
                                         Options const& options,
                                         std::span<std::span<std::byte> const> streams,
                                         MemoryOf streams_in) override {
    return impl::as_errors("compress_batch", [&] {
      std::vector<impl::BatchItem> items = items_of(fields, bounds, options, streams);
      if (!takes_field(fields_in)) bring(items);
      bool const own = !takes_streams(streams, streams_in);
      if (own) place_in_own_streams(items, options);
      std::vector<StreamInfo> infos(items.size());
      auto const calls =
          impl::start_batch(m_exec, std::span<impl::BatchItem const>(items), options, m_workspace);
      impl::finish_batch(std::span<impl::CompressCall<Exec> const>(calls), infos.data());
      for (std::size_t i = 0; own && i < items.size(); ++i) {
        deliver(items[i].stream, infos[i], streams[i]);
      }
      return infos;
    });
  }

  StreamInfo decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                        StridedData const& field, MemoryOf field_in) override {
    return impl::as_errors("decompress", [&] {
      impl::ConstStreamBytes<Exec> const bytes = readable_stream(stream, stream_in);
      return with_writable("decompress", field, field_in, [&](StridedData const& values) {
        return kompakt::decompress(m_exec, bytes, m_workspace, values);
      });
    });
  }

  StreamInfo decompress_region(std::span<std::byte const> stream, MemoryOf stream_in,
                               std::span<std::size_t const> begin, std::span<std::size_t const> end,
                               StridedData const& region, MemoryOf region_in) override {
    return impl::as_errors("decompress_region", [&] {
      impl::ConstStreamBytes<Exec> const bytes = readable_stream(stream, stream_in);
      return with_writable("decompress_region", region, region_in, [&](StridedData const& values) {
        return kompakt::decompress_region(m_exec, bytes, m_workspace, begin, end, values);
      });
    });
  }

  FieldRange field_range(ConstStridedData const& field, MemoryOf field_in,
                         FillValue const& fill) override {
    return impl::as_errors("field_range", [&] {
      return kompakt::field_range(m_exec, readable("field_range", field, field_in, m_fields[0]),
                                  fill, m_workspace);
    });
  }

  Choice choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                Goal goal) override {
    return impl::as_errors("choose", [&] {
      return kompakt::choose(m_exec, readable("choose", field, field_in, m_fields[0]), options,
                             goal, m_workspace);
    });
  }

  ErrorStats error_stats(ConstStridedData const& original, MemoryOf original_in,
                         ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                         ErrorBound const& bound) override {
    constexpr char const* function = "error_stats";
    impl::require_comparable(function, original.shape, reconstructed.shape, bound);
    return impl::as_errors(function, [&] {
      return kompakt::error_stats(m_exec, dense(function, original, original_in, m_fields[0]),
                                  dense(function, reconstructed, reconstructed_in, m_fields[1]),
                                  bound);
    });
  }

  Metrics metrics(ConstStridedData const& original, MemoryOf original_in,
                  ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                  ErrorBound const& bound, MetricsOptions const& options) override {
    constexpr char const* function = "metrics";
    impl::require_comparable(function, original.shape, reconstructed.shape, bound);
    return impl::as_errors(function, [&] {
      return kompakt::metrics(m_exec, dense(function, original, original_in, m_fields[0]),
                              dense(function, reconstructed, reconstructed_in, m_fields[1]), bound,
                              options);
    });
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;

  // Whether kernels take a field, or a stream, where it is.
  static bool takes_field(MemoryOf in) { return is_host_space<Exec> || in == MemoryOf::space; }
  static bool takes_stream(std::byte const* stream, MemoryOf in) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(stream) % impl::section_alignment == 0;
    return in == MemoryOf::space || (is_host_space<Exec> && aligned);
  }
  static bool takes_streams(std::span<std::span<std::byte> const> streams, MemoryOf in) {
    return std::all_of(streams.begin(), streams.end(),
                       [&](auto const& stream) { return takes_stream(stream.data(), in); });
  }

  std::byte* own_field(std::size_t bytes, Bytes& memory) {
    impl::grow_bytes(memory, bytes, "kompakt::codec::field");
    return memory.data();
  }
  std::span<std::byte> own_stream(std::size_t bytes) {
    impl::grow_bytes(m_streams, bytes, "kompakt::codec::stream");
    return {m_streams.data(), bytes};
  }

  /// The field where kernels reach it: itself, or a copy without gaps.
  ConstStridedData readable(char const* function, ConstStridedData const& field, MemoryOf in,
                            Bytes& memory) {
    if (takes_field(in)) return field;
    impl::require_field(function, field.data, field.shape);
    if (field.shape.size() == 0) return field;
    std::byte* const copy = own_field(field.shape.bytes(), memory);
    m_carrier.field_in(field, copy);
    return ConstFieldData(copy, field.shape);
  }

  /// The same without gaps in any case.
  ConstFieldData dense(char const* function, ConstStridedData const& field, MemoryOf in,
                       Bytes& memory) {
    impl::require_field(function, field.data, field.shape);
    ConstStridedData const values = readable(function, field, in, memory);
    if (impl::is_dense(values.shape, values.strides)) return {values.data, values.shape};
    std::byte* const copy = own_field(field.shape.bytes(), memory);
    impl::with_word_of(field.shape.dtype, [&]<class Word>(Word) {
      impl::copy_strided<impl::CopyTo::dense>(m_exec, static_cast<Word const*>(values.data),
                                              reinterpret_cast<Word*>(copy), values.shape,
                                              values.strides);
    });
    return {copy, field.shape};
  }

  /// write(field) where kernels reach it, which gives what the header says; then the values go where they belong.
  template <class Write>
  StreamInfo with_writable(char const* function, StridedData const& field, MemoryOf in,
                           Write const& write) {
    if (takes_field(in)) return write(field);
    impl::require_field(function, field.data, field.shape);
    std::byte* const copy = own_field(field.shape.bytes(), m_fields[0]);
    StreamInfo const info = write(FieldData{copy, field.shape});
    if (field.shape.size() > 0) m_carrier.field_out(copy, field);
    return info;
  }

  /// The stream where kernels reach it: itself, or a copy.
  impl::ConstStreamBytes<Exec> readable_stream(std::span<std::byte const> stream, MemoryOf in) {
    using Stream = impl::ConstStreamBytes<Exec>;
    if (takes_stream(stream.data(), in)) return Stream(stream.data(), stream.size());
    expect(stream);
    std::byte* const copy = own_stream(stream.size()).data();
    m_carrier.bytes_in(stream, copy);
    return Stream(copy, stream.size());
  }
  /// Tells the workspace what a stream in host memory is, so that a device decodes it at once.
  void expect(std::span<std::byte const> stream) {
    try {
      StreamInfo const info = inspect(stream);
      m_workspace.expect({info.pipeline, info.variant});
    } catch (Error const&) {
      // The call that is to follow says what is wrong with it, under its own name.
    }
  }

  StreamInfo compress_to(ConstStridedData const& field, Options const& options,
                         std::span<std::byte> stream) {
    return kompakt::compress(m_exec, field, options, m_workspace,
                             impl::StreamBytes<Exec>(stream.data(), stream.size()));
  }
  /// Copies a stream that is complete to the caller's memory.
  void deliver(std::byte const* from, StreamInfo const& info, std::span<std::byte> to) {
    impl::require_capacity(info.bytes, to.size());
    m_carrier.bytes_out(from, to.first(info.bytes));
  }

  static std::vector<impl::BatchItem> items_of(std::span<ConstStridedData const> fields,
                                               std::span<ErrorBound const> bounds,
                                               Options const& options,
                                               std::span<std::span<std::byte> const> streams) {
    require_count(fields.size(), bounds.empty() ? fields.size() : bounds.size(), "bounds");
    require_count(fields.size(), streams.size(), "streams");
    std::vector<impl::BatchItem> items;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      impl::require_field("compress_batch", fields[i].data, fields[i].shape);
      items.push_back({fields[i], bounds.empty() ? options.bound : bounds[i], streams[i].data(),
                       streams[i].size()});
    }
    return items;
  }
  static void require_count(std::size_t fields, std::size_t others, char const* what) {
    if (fields == others) return;
    throw Error(Status::bad_argument, "compress_batch: there are " + std::to_string(fields) +
                                          " fields, but " + std::to_string(others) + " " + what +
                                          "; pass as many " + what + " as fields");
  }
  /// Copies the fields of a batch to where kernels reach them.
  void bring(std::vector<impl::BatchItem>& items) {
    auto const bytes_of = [](impl::BatchItem const& item) {
      return WorkspaceSizes::aligned(item.field.shape.bytes());
    };
    std::size_t bytes = 0;
    for (impl::BatchItem const& item : items) bytes += bytes_of(item);
    std::byte* copy = own_field(bytes, m_fields[0]);
    for (impl::BatchItem& item : items) {
      if (item.field.shape.size() == 0) continue;
      m_carrier.field_in(item.field, copy);
      copy += bytes_of(item);
      item.field = ConstFieldData(copy - bytes_of(item), item.field.shape);
    }
  }
  /// Makes the streams of a batch go to memory of the codec.
  void place_in_own_streams(std::vector<impl::BatchItem>& items, Options const& options) {
    std::size_t bytes = 0;
    for (impl::BatchItem& item : items) {
      item.capacity_bytes = WorkspaceSizes::aligned(
          max_compressed_bytes(item.field.shape, impl::options_of(item, options)));
      bytes += item.capacity_bytes;
    }
    std::byte* place = own_stream(bytes).data();
    for (impl::BatchItem& item : items)
      item.stream = std::exchange(place, place + item.capacity_bytes);
  }

  Exec m_exec;
  Workspace<Exec> m_workspace;
  impl::Carrier<Exec> m_carrier;
  Bytes m_fields[2], m_streams;
};

AnyCodec::AnyCodec(Space space, void const* instance) {
  if (!Kokkos::is_initialized()) {
    throw Error(Status::device, "AnyCodec: Kokkos is not initialised; call Kokkos::initialize()");
  }
  m_calls = with_space(space, [&]<class Exec>(Exec const& standard) -> std::unique_ptr<Calls> {
    Exec const& exec = instance != nullptr ? *static_cast<Exec const*>(instance) : standard;
    return std::make_unique<CallsOn<Exec>>(exec);
  });
}
AnyCodec::AnyCodec(Space space) : AnyCodec(space, nullptr) {}
AnyCodec::~AnyCodec() = default;
AnyCodec::AnyCodec(AnyCodec&&) noexcept = default;
AnyCodec& AnyCodec::operator=(AnyCodec&&) noexcept = default;

Space AnyCodec::space() const noexcept { return m_calls->space(); }
void AnyCodec::fence() const { m_calls->fence(); }
std::size_t AnyCodec::capacity_bytes() const noexcept { return m_calls->capacity_bytes(); }

StreamInfo AnyCodec::compress(ConstStridedData const& field, MemoryOf field_in,
                              Options const& options, std::span<std::byte> stream,
                              MemoryOf stream_in) {
  return m_calls->compress(field, field_in, options, stream, stream_in);
}

std::vector<StreamInfo> AnyCodec::compress_batch(std::span<ConstStridedData const> fields,
                                                 MemoryOf fields_in,
                                                 std::span<ErrorBound const> bounds,
                                                 Options const& options,
                                                 std::span<std::span<std::byte> const> streams,
                                                 MemoryOf streams_in) {
  return m_calls->compress_batch(fields, fields_in, bounds, options, streams, streams_in);
}

StreamInfo AnyCodec::decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                                StridedData const& field, MemoryOf field_in) {
  return m_calls->decompress(stream, stream_in, field, field_in);
}

StreamInfo AnyCodec::decompress_region(std::span<std::byte const> stream, MemoryOf stream_in,
                                       std::span<std::size_t const> begin,
                                       std::span<std::size_t const> end, StridedData const& region,
                                       MemoryOf region_in) {
  return m_calls->decompress_region(stream, stream_in, begin, end, region, region_in);
}

FieldRange AnyCodec::field_range(ConstStridedData const& field, MemoryOf field_in,
                                 FillValue const& fill) {
  return m_calls->field_range(field, field_in, fill);
}

Choice AnyCodec::choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                        Goal goal) {
  return m_calls->choose(field, field_in, options, goal);
}

ErrorStats AnyCodec::error_stats(ConstStridedData const& original, MemoryOf original_in,
                                 ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                                 ErrorBound const& bound) {
  return m_calls->error_stats(original, original_in, reconstructed, reconstructed_in, bound);
}

Metrics AnyCodec::metrics(ConstStridedData const& original, MemoryOf original_in,
                          ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                          ErrorBound const& bound, MetricsOptions const& options) {
  return m_calls->metrics(original, original_in, reconstructed, reconstructed_in, bound, options);
}

}  // namespace kompakt
