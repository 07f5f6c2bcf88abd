#include <algorithm>
#include <api/carrier.hpp>
#include <api/checks.hpp>
#include <cstdint>
#include <kompakt/any_codec.hpp>
#include <kompakt/batch.hpp>
#include <kompakt/threads.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/stored.hpp>
#include <pipeline/strided_copy.hpp>
#include <utility>

namespace kompakt {

namespace {

/// \throws Error device before Kokkos is initialised, and once it is finalised
void require_kokkos(char const* where) {
  if (Kokkos::is_finalized()) {
    throw Error(Status::device, where, "Kokkos has been finalised", "make all calls before");
  }
  if (!Kokkos::is_initialized()) {
    throw Error(Status::device, where, "Kokkos is not initialised", "call Kokkos::initialize()");
  }
}

}  // namespace

/// What every space has; each as that of AnyCodec.
class AnyCodec::Calls {
 public:
  virtual ~Calls() = default;
  virtual Space space() const noexcept = 0;
  virtual void fence() const = 0;
  virtual std::size_t capacity_bytes() const noexcept = 0;
  virtual StreamInfo compress(ConstStridedData const& field, MemoryOf field_in,
                              Options const& options, std::span<std::byte> stream,
                              MemoryOf stream_in, ChoiceRecord const& reason) = 0;
  virtual std::vector<StreamInfo> compress_batch(std::span<ConstStridedData const> fields,
                                                 MemoryOf fields_in,
                                                 std::span<ErrorBound const> bounds,
                                                 Options const& options,
                                                 std::span<std::span<std::byte> const> streams,
                                                 MemoryOf streams_in,
                                                 ChoiceRecord const& reason) = 0;
  virtual StreamInfo decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                                StridedData const& field, MemoryOf field_in,
                                std::optional<Box> const& box) = 0;
  virtual FieldRange field_range(ConstStridedData const& field, MemoryOf field_in,
                                 FillValue const& fill) = 0;
  virtual Choice choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                        Goal goal, Options* measured) = 0;
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
    run("fence", [&] { m_exec.fence("kompakt::AnyCodec::fence"); });
  }
  std::size_t capacity_bytes() const noexcept override {
    return m_workspace.capacity_bytes() + m_fields[0].extent(0) + m_fields[1].extent(0) +
           m_numbers[0].extent(0) + m_numbers[1].extent(0) + m_streams.extent(0);
  }

  StreamInfo compress(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                      std::span<std::byte> stream, MemoryOf stream_in,
                      ChoiceRecord const& reason) override {
    return run("compress", [&] {
      bool const direct = takes_stream(stream.data(), stream_in);
      auto const to = direct ? stream : own_stream(max_compressed_bytes(field.shape, options));
      auto const start = [&](Options const& wanted) {
        return impl::start_compress(m_exec, source(field, field_in), wanted, reason, m_workspace,
                                    to.data(), to.size());
      };
      auto call = start(options);
      if (auto const all = impl::with_all_fills(call, options)) call = start(*all);
      StreamInfo const info = impl::finish_compress(call);
      if (!direct) deliver(to.data(), info, stream);
      return info;
    });
  }

  std::vector<StreamInfo> compress_batch(std::span<ConstStridedData const> fields,
                                         MemoryOf fields_in, std::span<ErrorBound const> bounds,
                                         Options const& options,
                                         std::span<std::span<std::byte> const> streams,
                                         MemoryOf streams_in, ChoiceRecord const& reason) override {
    return run("compress_batch", [&] {
      std::vector<impl::BatchItem> items =
          items_of(fields, fields_in, bounds, options, streams, reason);
      bool const own = !takes_streams(streams, streams_in);
      if (own) place_in_own_streams(items, options);
      std::span<impl::BatchItem const> const all(items);
      auto const calls = impl::start_batch(m_exec, all, options, m_workspace);
      std::vector<StreamInfo> const infos =
          impl::results_of_batch(std::span<impl::CompressCall<Exec> const>(calls), all, options);
      for (std::size_t i = 0; own && i < items.size(); ++i) {
        deliver(items[i].stream, infos[i], streams[i]);
      }
      return infos;
    });
  }

  StreamInfo decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                        StridedData const& field, MemoryOf field_in,
                        std::optional<Box> const& box) override {
    return run("decompress", [&] {
      impl::StreamSource<Exec> const bytes = readable_stream(stream, stream_in);
      auto const call = bytes.call(m_exec, m_workspace, target(field, field_in));
      return impl::finish_decompress(impl::start_decompress(call, box));
    });
  }

  FieldRange field_range(ConstStridedData const& field, MemoryOf field_in,
                         FillValue const& fill) override {
    return run("field_range", [&] {
      return impl::field_range(m_exec, source(field, field_in), fill, m_workspace);
    });
  }

  Choice choose(ConstStridedData const& field, MemoryOf field_in, Options const& options, Goal goal,
                Options* measured) override {
    return run("choose", [&] {
      return impl::choose(m_exec, source(field, field_in), options, goal, m_workspace, measured);
    });
  }

  ErrorStats error_stats(ConstStridedData const& original, MemoryOf original_in,
                         ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                         ErrorBound const& bound) override {
    return run("error_stats", [&] {
      return compared(original, original_in, reconstructed, reconstructed_in, bound,
                      [&](ConstFieldData const& a, ConstFieldData const& b) {
                        return kompakt::error_stats(m_exec, a, b, bound);
                      });
    });
  }

  Metrics metrics(ConstStridedData const& original, MemoryOf original_in,
                  ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                  ErrorBound const& bound, MetricsOptions const& options) override {
    return run("metrics", [&] {
      return compared(original, original_in, reconstructed, reconstructed_in, bound,
                      [&](ConstFieldData const& a, ConstFieldData const& b) {
                        return kompakt::metrics(m_exec, a, b, bound, options);
                      });
    });
  }

 private:
  template <class Body>
  static auto run(char const* where, Body const& body) {
    require_kokkos(where);
    return impl::translate_exceptions(where, body);
  }

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

  static FieldAccess access(MemoryOf in) {
    return takes_field(in) ? FieldAccess::direct : FieldAccess::staged;
  }
  static FieldSource source(ConstStridedData const& field, MemoryOf in) {
    return impl::source_of_values(field, access(in));
  }
  static FieldTarget target(StridedData const& field, MemoryOf in) {
    return impl::target_of_values(field, access(in));
  }

  std::byte* own_field(std::size_t bytes, Bytes& memory) {
    impl::grow_bytes(memory, bytes, "kompakt::codec::field");
    return memory.data();
  }
  std::span<std::byte> own_stream(std::size_t bytes) {
    impl::grow_bytes(m_streams, bytes, "kompakt::codec::stream");
    return {m_streams.data(), bytes};
  }

  /// A field without gaps where kernels reach it: itself, or a copy.
  ConstFieldData dense(ConstStridedData const& field, MemoryOf in, Bytes& memory) {
    impl::require_field(field);
    bool const direct = takes_field(in);
    if (direct && impl::is_dense(field.shape, field.strides)) return {field.data, field.shape};
    if (field.shape.size() == 0) return {nullptr, field.shape};
    std::byte* const copy = own_field(field.shape.bytes(), memory);
    if (!direct) {
      m_carrier.field_in(field, copy);
      return {copy, field.shape};
    }
    impl::with_word_of(field.shape.dtype, [&]<class Word>(Word) {
      impl::copy_strided<impl::CopyTo::dense>(m_exec, static_cast<Word const*>(field.data),
                                              reinterpret_cast<Word*>(copy), field.shape,
                                              field.strides);
    });
    return {copy, field.shape};
  }

  /// Calls body(a, b) with two fields as metrics measure them, whatever the type: complex numbers as their parts, integers and
  /// numbers of 16 bits as copies of numbers that hold them.
  /// \throws Error bad_argument for integers that no double holds
  template <class Body>
  auto compared(ConstStridedData const& original, MemoryOf original_in,
                ConstStridedData const& reconstructed, MemoryOf reconstructed_in,
                ErrorBound const& bound, Body const& body) {
    FieldShape const shape = original.shape;
    impl::require_comparable(numbers_of(shape), numbers_of(reconstructed.shape), bound);
    if (shape != reconstructed.shape) {  // of types that become the same numbers
      throw Error(Status::type_mismatch, "the two fields differ in type, extents or order");
    }
    auto const found =
        body(numbers(original, original_in, 0), numbers(reconstructed, reconstructed_in, 1));
    constexpr double most = 0x1p53;
    bool const is_wide = is_integer(shape.dtype) && size_of(shape.dtype) == sizeof(double);
    if (is_wide && (found.min <= -most || found.max >= most)) {
      throw Error(Status::bad_argument,
                  "the field has integers of 2^53 or more, which are not measured",
                  "compare the bytes");
    }
    return found;
  }
  static FieldShape numbers_of(FieldShape const& shape) {
    return impl::with_coded_type(impl::shape_of_parts(shape), ErrorBound::Mode::abs);
  }
  /// \param which  of two fields
  ConstFieldData numbers(ConstStridedData const& field, MemoryOf in, int which) {
    ConstFieldData const stored = dense(impl::parts_of(field), in, m_fields[which]);
    FieldShape const shape = numbers_of(field.shape);
    if (shape.dtype == stored.shape.dtype || shape.size() == 0) return {stored.data, shape};
    std::byte* const copy = own_field(shape.bytes(), m_numbers[which]);
    auto const convert = [&]<class T>(T) {
      impl::with_rounded<T>(stored.shape.dtype, [&]<class Stored>(Stored) {
        impl::copy_strided<impl::CopyTo::dense>(m_exec, static_cast<Stored const*>(stored.data),
                                                reinterpret_cast<T*>(copy), stored.shape,
                                                strides_of(stored.shape));
      });
    };
    shape.dtype == Dtype::f32 ? convert(float{}) : convert(double{});
    return {copy, shape};
  }

  /// The stream where kernels reach it: itself, or a copy.
  impl::StreamSource<Exec> readable_stream(std::span<std::byte const> stream, MemoryOf in) {
    using Stream = Kokkos::View<std::byte const*, typename Exec::memory_space>;
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
      m_workspace.expect({info.pipeline, info.variant, info.prediction->method});
    } catch (Error const&) {
      // The call that is to follow says what is wrong with it, under its own name.
    }
  }

  /// Copies a stream that is complete to the caller's memory.
  void deliver(std::byte const* from, StreamInfo const& info, std::span<std::byte> to) {
    impl::require_capacity(info.bytes, to.size());
    m_carrier.bytes_out(from, to.first(info.bytes));
  }

  static std::vector<impl::BatchItem> items_of(std::span<ConstStridedData const> fields,
                                               MemoryOf fields_in,
                                               std::span<ErrorBound const> bounds,
                                               Options const& options,
                                               std::span<std::span<std::byte> const> streams,
                                               ChoiceRecord const& reason) {
    impl::require_as_many(fields.size(), bounds.empty() ? fields.size() : bounds.size(), "bounds");
    impl::require_as_many(fields.size(), streams.size(), "streams");
    std::vector<impl::BatchItem> items;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      impl::require_field(fields[i]);
      ErrorBound const& bound = bounds.empty() ? options.bound : bounds[i];
      items.push_back({source(fields[i], fields_in), bound_for_type(fields[i].shape.dtype, bound),
                       streams[i].data(), streams[i].size(), reason});
    }
    return items;
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
  Bytes m_fields[2], m_numbers[2], m_streams;
};

AnyCodec::AnyCodec(Space space, void const* instance) {
  require_kokkos("AnyCodec");
  m_calls = with_space(space, [&]<class Exec>(Exec const& standard) -> std::unique_ptr<Calls> {
    Exec const& exec = instance != nullptr ? *static_cast<Exec const*>(instance) : standard;
    return impl::named("AnyCodec", [&] {
      impl::AllThreads const threads(exec);
      return std::make_unique<CallsOn<Exec>>(exec);
    });
  });
}
AnyCodec::AnyCodec(Space space) : AnyCodec(space, nullptr) {}
AnyCodec::~AnyCodec() {
  // Kokkos ends the program if it gets memory back after its own end. It stays with the process instead.
  if (Kokkos::is_finalized()) static_cast<void>(m_calls.release());
}
AnyCodec::AnyCodec(AnyCodec&&) noexcept = default;
AnyCodec& AnyCodec::operator=(AnyCodec&& other) noexcept {
  AnyCodec taken(std::move(other));
  m_calls.swap(taken.m_calls);
  return *this;
}

Space AnyCodec::space() const noexcept { return m_calls->space(); }
void AnyCodec::fence() const { m_calls->fence(); }
std::size_t AnyCodec::capacity_bytes() const noexcept { return m_calls->capacity_bytes(); }

StreamInfo AnyCodec::compress(ConstStridedData const& field, MemoryOf field_in,
                              Options const& options, std::span<std::byte> stream,
                              MemoryOf stream_in, ChoiceRecord const& reason) {
  if (options.goal) {
    validate(options);
    Options measured;  // with the range, which is not looked for twice
    Choice const choice = m_calls->choose(field, field_in, options, *options.goal, &measured);
    return m_calls->compress(field, field_in, measured, stream, stream_in, choice.reason);
  }
  return m_calls->compress(field, field_in, options, stream, stream_in, reason);
}

std::vector<StreamInfo> AnyCodec::compress_batch(std::span<ConstStridedData const> fields,
                                                 MemoryOf fields_in,
                                                 std::span<ErrorBound const> bounds,
                                                 Options const& options,
                                                 std::span<std::span<std::byte> const> streams,
                                                 MemoryOf streams_in, ChoiceRecord const& reason) {
  return m_calls->compress_batch(fields, fields_in, bounds, options, streams, streams_in, reason);
}

StreamInfo AnyCodec::decompress(std::span<std::byte const> stream, MemoryOf stream_in,
                                StridedData const& field, MemoryOf field_in,
                                std::optional<Box> const& box) {
  return m_calls->decompress(stream, stream_in, field, field_in, box);
}

FieldRange AnyCodec::field_range(ConstStridedData const& field, MemoryOf field_in,
                                 FillValue const& fill) {
  return m_calls->field_range(field, field_in, fill);
}

Choice AnyCodec::choose(ConstStridedData const& field, MemoryOf field_in, Options const& options,
                        Goal goal) {
  return m_calls->choose(field, field_in, options, goal, nullptr);
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
