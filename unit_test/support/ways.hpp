#ifndef KOMPAKT_UNIT_TEST_SUPPORT_WAYS_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_WAYS_HPP

#include <api/generic.hpp>
#include <kompakt/any_codec.hpp>
#include <memory>
#include <string>
#include <support/codec.hpp>
#include <support/random.hpp>
#include <support/random_tuple.hpp>
#include <utility>
#include <vector>

// The ways to one stream: every execution space, any number of threads, and the generic bodies beside those of a backend.

namespace kompakt::test {

/// The result of a call: its bytes, or how it refuses.
struct Outcome {
  std::vector<std::byte> bytes;
  std::string refusal;  ///< status and message; empty if there are bytes
};

template <class Call>
Outcome outcome_of(Call const& call) {
  try {
    return {call(), {}};
  } catch (Error const& error) {
    return {{}, to_string(error.status()) + (": " + std::string(error.text()))};
  }
}

/// The byte that memory for decompressed values has before.
inline constexpr std::byte untouched{0xa5};
inline std::vector<std::byte> untouched_memory(Placement const& placement) {
  return std::vector<std::byte>(placement.bytes(), untouched);
}

/// Bytes for the stream of a tuple; none if the call is to be refused.
inline std::size_t capacity_for(RandomTuple const& tuple) {
  try {
    return max_compressed_bytes(tuple.shape(), tuple.options);
  } catch (Error const&) {
    return 0;
  }
}

/// A field whose values have these places in memory.
template <class Data, class Bytes>
Data placed_in(Bytes* memory, Placement const& placement) {
  std::size_t const offset = placement.first * size_of(placement.shape.dtype);
  return {memory + offset, placement.shape, placement.strides};
}

/// A way from a field to its stream and back; each call returns its outcome.
class Way {
 public:
  explicit Way(std::string name) : m_name(std::move(name)) {}
  virtual ~Way() = default;
  Way(Way const&) = delete;
  Way& operator=(Way const&) = delete;

  std::string const& name() const { return m_name; }
  /// Whether it takes options with a goal.
  virtual bool chooses() const = 0;
  /// The stream of a tuple.
  virtual Outcome compress(RandomTuple const& tuple) = 0;
  /// The memory of the tuple's target.
  virtual Outcome decompress(RandomTuple const& tuple, std::vector<std::byte> const& stream) = 0;
  /// The values of a box, which lie as its shape says, without gaps.
  virtual Outcome decompress_box(FieldShape const& part, Box const& box,
                                 std::vector<std::byte> const& stream) = 0;

 private:
  std::string m_name;
};

/// The bodies of a space, through host memory.
class OwnWay final : public Way {
 public:
  template <class Exec>
  OwnWay(std::string name, Exec const& exec) : Way(std::move(name)), m_codec(exec) {}

  bool chooses() const override { return true; }
  Outcome compress(RandomTuple const& tuple) override {
    return outcome_of([&] {
      std::vector<std::byte> stream(capacity_for(tuple));
      auto const field = placed_in<ConstStridedData>(tuple.memory.data(), tuple.from);
      StreamInfo const info =
          m_codec.compress(field, MemoryOf::host, tuple.options, stream, MemoryOf::host);
      stream.resize(info.bytes);
      return stream;
    });
  }
  Outcome decompress(RandomTuple const& tuple, std::vector<std::byte> const& stream) override {
    return outcome_of([&] {
      auto memory = untouched_memory(tuple.to);
      m_codec.decompress(stream, MemoryOf::host, placed_in<StridedData>(memory.data(), tuple.to),
                         MemoryOf::host);
      return memory;
    });
  }
  Outcome decompress_box(FieldShape const& part, Box const& box,
                         std::vector<std::byte> const& stream) override {
    return outcome_of([&] {
      std::vector<std::byte> values(part.bytes());
      m_codec.decompress(stream, MemoryOf::host, FieldData{values.data(), part}, MemoryOf::host,
                         box);
      return values;
    });
  }

 private:
  AnyCodec m_codec;
};

/// The generic bodies on a space, and the templates' regions, through memory of the space.
template <class Exec>
class GenericWay final : public Way {
 public:
  GenericWay(std::string name, Exec const& exec)
      : Way(std::move(name)), m_exec(exec), m_codec(exec), m_workspace(exec) {}

  bool chooses() const override { return false; }
  Outcome compress(RandomTuple const& tuple) override {
    return outcome_of([&] {
      auto const memory = m_codec.upload(tuple.memory);
      Bytes const stream("stream", capacity_for(tuple));
      auto const field = placed_in<ConstStridedData>(memory.data(), tuple.from);
      auto const start = [&](Options const& options) {
        return impl::start_compress_generic(m_exec, impl::source_of<Exec>(field), options,
                                            m_workspace, stream.data(), stream.extent(0));
      };
      auto call = start(tuple.options);
      if (auto const all = impl::with_all_fills(call, tuple.options)) call = start(*all);
      auto const bytes = std::make_pair(std::size_t{0}, impl::finish_compress(call).bytes);
      return m_codec.download(Kokkos::subview(stream, bytes));
    });
  }
  Outcome decompress(RandomTuple const& tuple, std::vector<std::byte> const& stream) override {
    return outcome_of([&] {
      Bytes const memory = m_codec.upload(untouched_memory(tuple.to));
      impl::decompress_generic(m_exec, source_of(stream), m_workspace,
                               placed_in<StridedData>(memory.data(), tuple.to));
      return m_codec.download(memory);
    });
  }
  Outcome decompress_box(FieldShape const& part, Box const& box,
                         std::vector<std::byte> const& stream) override {
    return outcome_of([&] {
      Bytes const values("values", part.bytes());
      kompakt::decompress(m_exec, source_of(stream), m_workspace, FieldData{values.data(), part},
                          box);
      return m_codec.download(values);
    });
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;

  Kokkos::View<std::byte const*, typename Exec::memory_space> source_of(
      std::vector<std::byte> const& stream) const {
    return m_codec.upload(stream);
  }

  Exec m_exec;
  Codec<Exec> m_codec;
  Workspace<Exec> m_workspace;
};

/// Instances of a space and their names: of OpenMP one for each number of threads up to 16.
template <class Exec>
std::vector<std::pair<Exec, std::string>> instances_of() {
  std::vector<std::pair<Exec, std::string>> instances;
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
    for (int threads = 1; threads <= 16; ++threads) {
      instances.emplace_back(Exec(threads), "OpenMP with " + std::to_string(threads));
    }
  }
#endif
  if (instances.empty()) instances.emplace_back(Exec(), Exec::name());
  return instances;
}

/// All ways of a build.
class Ways {
 public:
  Ways() {
    for (Space const space : compiled_spaces()) {
      with_space(space, [&]<class Exec>(Exec const&) { add<Exec>(); });
    }
  }

  /// The own bodies of the last space, which is Serial where that is compiled in.
  Way& reference() const { return *m_ways.back().front(); }
  /// One way of each space by its own bodies, and one by the generic ones.
  std::vector<Way*> draw(Random& random) const {
    std::vector<Way*> ways;
    for (auto const& kind : m_ways) ways.push_back(kind[random.below(kind.size())].get());
    return ways;
  }

 private:
  template <class Exec>
  void add() {
    std::vector<std::unique_ptr<Way>> own, generic;
    for (auto const& [exec, name] : instances_of<Exec>()) {
      own.push_back(std::make_unique<OwnWay>(name, exec));
      generic.push_back(std::make_unique<GenericWay<Exec>>("generic bodies of " + name, exec));
    }
    m_ways.push_back(std::move(generic));
    m_ways.push_back(std::move(own));
  }

  std::vector<std::vector<std::unique_ptr<Way>>> m_ways;
};

}  // namespace kompakt::test

#endif
