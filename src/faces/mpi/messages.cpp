#include <algorithm>
#include <kompakt/mpi_messages.hpp>
#include <string>
#include <utility>

#include "engine.hpp"
#include "incoming.hpp"
#include "sender.hpp"

namespace kompakt::mpi {

/// What a request waits for. Keeps what messages share.
class Request::Work {
 public:
  explicit Work(std::shared_ptr<Engine> engine) : m_engine(std::move(engine)) {}
  virtual ~Work() = default;
  virtual void wait() = 0;
  virtual bool test() = 0;

 protected:
  Engine& engine() { return *m_engine; }

 private:
  std::shared_ptr<Engine> m_engine;
};

namespace {

class Sending final : public Request::Work {
 public:
  Sending(std::shared_ptr<Engine> const& shared, FieldSource const& field, int to, int tag,
          Options const& options)
      : Work(shared), m_sender(engine(), Sender::unlimited) {
    m_sender.field(engine().messages, to, tag, field, options);
  }
  void wait() override { m_sender.finish(); }
  bool test() override { return m_sender.test(); }

 private:
  Sender m_sender;
};

class Receiving final : public Request::Work {
 public:
  Receiving(std::shared_ptr<Engine> const& shared, FieldTarget const& field, int from, int tag)
      : Work(shared), m_incoming(engine(), engine().messages, field, from, tag) {}
  void wait() override {
    engine().wait_for(m_incoming);
    m_incoming.rethrow();
  }
  bool test() override {
    engine().progress();
    return m_incoming.is_done();
  }

 private:
  Incoming m_incoming;
};

void require_tag(Engine const& engine, int tag) {
  if (tag >= 0 && tag <= engine.messages.max_tag()) return;
  throw Error(Status::bad_argument, "the tag " + std::to_string(tag) + " is not valid for MPI",
              "pass 0 to " + std::to_string(engine.messages.max_tag()));
}

void require_peer(Engine const& engine, char const* where, int other, int tag) {
  impl::named(where, [&] {
    engine.require_rank(other);
    require_tag(engine, tag);
  });
}

}  // namespace

// Of few pieces the first and the last one, which overlap with nothing, take long; for small ones a GPU takes as long to
// launch as to compress.
std::size_t MessageOptions::piece_bytes_of(std::size_t message_bytes) const {
  constexpr std::size_t least = std::size_t{16} << 20, most = std::size_t{64} << 20;
  return piece_bytes != 0 ? piece_bytes : std::clamp(message_bytes / 8, least, most);
}

Request::Request(std::unique_ptr<Work> work) : m_work(std::move(work)) {}
Request::~Request() = default;
Request::Request(Request&&) noexcept = default;
Request& Request::operator=(Request&&) noexcept = default;

void Request::wait() {
  if (auto const work = std::exchange(m_work, nullptr)) work->wait();
}

bool Request::test() { return !m_work || m_work->test(); }

Messages::Messages(AnyCodec codec, MPI_Comm comm, MessageOptions const& options)
    : m_engine(std::make_shared<Engine>(std::move(codec), comm, options)) {}

Traffic const& Messages::traffic() const { return m_engine->traffic; }
bool Messages::gpu_aware() const { return m_engine->aware; }
std::size_t Messages::raw_below() const { return m_engine->options.raw_below; }

void Messages::send(FieldSource const& field, int to, int tag, Options const& options) {
  require_peer(*m_engine, "send", to, tag);
  Sender sender(*m_engine, Sender::double_buffered);
  sender.field(m_engine->messages, to, tag, field, options);
  sender.finish();
}

void Messages::recv(FieldTarget const& field, int from, int tag) { irecv(field, from, tag).wait(); }

Request Messages::isend(FieldSource const& field, int to, int tag, Options const& options) {
  require_peer(*m_engine, "isend", to, tag);
  return Request(std::make_unique<Sending>(m_engine, field, to, tag, options));
}

Request Messages::irecv(FieldTarget const& field, int from, int tag) {
  require_peer(*m_engine, "irecv", from, tag);
  return Request(std::make_unique<Receiving>(m_engine, field, from, tag));
}

std::vector<StridedData> slabs(StridedData const& field, int count) {
  if (count < 1) {
    throw Error(Status::bad_argument, "slabs",
                "a field cannot be cut into " + std::to_string(count) + " slabs",
                "pass the number of ranks");
  }
  std::vector<StridedData> slabs;
  std::size_t const axis = slow_index(field.shape, 0);
  auto const parts = static_cast<std::size_t>(count);
  std::size_t const rows = field.shape.extents[axis] / parts,
                    more = field.shape.extents[axis] % parts;
  auto* at = static_cast<std::byte*>(field.data);
  for (std::size_t i = 0; i < parts; ++i) {
    StridedData slab(at, field.shape, field.strides);
    slab.shape.extents[axis] = rows + (i < more ? 1 : 0);
    at += static_cast<std::int64_t>(slab.shape.extents[axis] * size_of(field.shape.dtype)) *
          field.strides[axis];
    slabs.push_back(slab);
  }
  return slabs;
}

}  // namespace kompakt::mpi
