#include <array>
#include <kompakt/mpi_messages.hpp>
#include <optional>
#include <string>

#include "engine.hpp"
#include "incoming.hpp"
#include "own_failure.hpp"
#include "sender.hpp"

// Collectives in which ranks send fields to each other. Whatever a rank fails with, it takes its part in all messages: in
// place of fields that it cannot send it sends why, and what it cannot receive it takes and forgets. At the end they agree.

namespace kompakt::mpi {

namespace {

void require_one_for_each_rank(Engine const& engine, std::size_t count) {
  if (count == static_cast<std::size_t>(engine.messages.ranks())) return;
  throw Error(Status::bad_argument,
              "there are " + std::to_string(count) + " fields, but " +
                  std::to_string(engine.messages.ranks()) + " ranks",
              "pass as many fields as ranks");
}

/// Sends a field, or why there is none.
void send_or_tell(Engine& engine, Sender& sender, int to, int tag,
                  std::optional<FieldSource> const& field, Options const& options,
                  std::size_t together_bytes, OwnFailure& failure) {
  failure.guard([&] {
    if (failure) {
      sender.failure(engine.collective, to, tag, failure.get());
    } else {
      sender.field(engine.collective, to, tag, *field, options, together_bytes);
    }
  });
}

/// Fields that come from ranks in turn, a few of which are expected at a time.
class Receives {
 public:
  Receives(Engine& engine, int tag, OwnFailure& failure)
      : m_engine(engine), m_tag(tag), m_failure(failure) {}

  /// \param field  where it goes, if anywhere
  void expect(int from, std::optional<FieldTarget> const& field) {
    finish(m_next);
    m_failure.guard(
        [&] { m_expected[m_next].emplace(m_engine, m_engine.collective, field, from, m_tag); });
    m_next = (m_next + 1) % m_expected.size();
  }
  void finish() {
    for (std::size_t i = 0; i < m_expected.size(); ++i) finish((m_next + i) % m_expected.size());
  }

 private:
  void finish(std::size_t slot) {
    std::optional<Incoming>& incoming = m_expected[slot];
    if (!incoming) return;
    m_failure.guard([&] { m_engine.wait_for(*incoming); });
    m_failure.add(*incoming);
    incoming.reset();
  }

  Engine& m_engine;
  int m_tag;
  OwnFailure& m_failure;
  std::array<std::optional<Incoming>, 3> m_expected;
  std::size_t m_next = 0;  ///< the oldest one, if it is taken
};

/// Ends the messages of this rank, and agrees with the others on failures.
void finish_together(Engine& engine, Receives& receives, Sender& sender, OwnFailure& failure) {
  receives.finish();
  failure.guard([&] { sender.finish(); });
  agree(engine.collective, failure.get(), engine.waiting());
}

/// The field of a rank out of a list that is looked at unless something has failed.
template <class Field>
std::optional<Field> of_rank(ListOf<Field> const& fields, int rank, OwnFailure const& failure) {
  if (failure) return std::nullopt;
  return fields[static_cast<std::size_t>(rank)];
}

}  // namespace

void Messages::scatter(ListOf<FieldSource> const& all, FieldTarget const& mine, int root,
                       Options const& options) {
  Engine& engine = *m_engine;
  OwnFailure failure;
  std::optional<Sender> sender;
  failure.guard([&] { sender.emplace(engine, Sender::double_buffered); });
  agree_on_root(engine, "scatter", root, failure);
  Receives receives(engine, scatter_tag, failure);
  receives.expect(root, mine);
  if (engine.messages.rank() == root) {
    failure.guard(
        [&] { impl::named("scatter", [&] { require_one_for_each_rank(engine, all.count); }); });
    std::size_t together_bytes = 0;
    for (std::size_t i = 0; i < all.count && !failure; ++i) together_bytes += all[i].shape.bytes();
    for (int to = 0; to < engine.messages.ranks(); ++to) {
      send_or_tell(engine, *sender, to, scatter_tag, of_rank(all, to, failure), options,
                   together_bytes, failure);
    }
  }
  finish_together(engine, receives, *sender, failure);
}

void Messages::gather(FieldSource const& mine, ListOf<FieldTarget> const& all, int root,
                      Options const& options) {
  Engine& engine = *m_engine;
  OwnFailure failure;
  std::optional<Sender> sender;
  failure.guard([&] { sender.emplace(engine, Sender::double_buffered); });
  agree_on_root(engine, "gather", root, failure);
  Receives receives(engine, gather_tag, failure);
  bool const is_root = engine.messages.rank() == root;
  if (is_root) {
    failure.guard(
        [&] { impl::named("gather", [&] { require_one_for_each_rank(engine, all.count); }); });
    receives.expect(root, of_rank(all, root, failure));
  }
  send_or_tell(engine, *sender, root, gather_tag, mine, options, 0, failure);
  for (int from = 0; is_root && from < engine.messages.ranks(); ++from) {
    if (from != root) receives.expect(from, of_rank(all, from, failure));
  }
  finish_together(engine, receives, *sender, failure);
}

void Messages::alltoallv(ListOf<FieldSource> const& to, ListOf<FieldTarget> const& from,
                         Options const& options) {
  Engine& engine = *m_engine;
  OwnFailure failure;
  std::optional<Sender> sender;
  failure.guard([&] {
    impl::named("alltoallv", [&] {
      require_one_for_each_rank(engine, to.count);
      require_one_for_each_rank(engine, from.count);
    });
    sender.emplace(engine, Sender::double_buffered);
  });
  agree(engine.collective, failure.get(), engine.waiting());
  Receives receives(engine, alltoallv_tag, failure);
  int const rank = engine.messages.rank(), ranks = engine.messages.ranks();
  for (int step = 0; step < ranks; ++step) {
    int const source = (rank - step + ranks) % ranks, target = (rank + step) % ranks;
    receives.expect(source, of_rank(from, source, failure));
    send_or_tell(engine, *sender, target, alltoallv_tag, of_rank(to, target, failure), options, 0,
                 failure);
  }
  finish_together(engine, receives, *sender, failure);
}

}  // namespace kompakt::mpi
