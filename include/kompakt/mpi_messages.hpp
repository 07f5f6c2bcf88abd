#ifndef KOMPAKT_MPI_MESSAGES_HPP
#define KOMPAKT_MPI_MESSAGES_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <kompakt/any_codec.hpp>
#include <kompakt/batch.hpp>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <kompakt/spaces.hpp>
#include <memory>
#include <ranges>
#include <vector>

// Fields as messages between ranks.

namespace kompakt::mpi {

/// Whether MPI takes pointers to the memory of a device.
enum class GpuAware : std::uint8_t {
  ask = 0,  ///< if MPI says so (MPIX_Query_cuda_support)
  yes = 1,
  no = 2,  ///< streams go through pinned memory of the host
};

struct MessageOptions {
  /// Bytes of values below which a message goes as it is.
  std::size_t raw_below = std::size_t{1} << 20;
  /// A larger message is cut into pieces of about so many bytes of values, 1 KiB to 1 GiB: one is compressed while the
  /// one before it is on its way. 0: an eighth of the message, but 16 to 64 MiB.
  std::size_t piece_bytes = 0;
  GpuAware gpu_aware = GpuAware::ask;

  /// Size of the pieces of a message.
  std::size_t piece_bytes_of(std::size_t message_bytes) const;
};

/// Statistics of a Messenger.
struct Traffic {
  std::uint64_t messages = 0;      ///< all messages
  std::uint64_t raw_messages = 0;  ///< messages that were not compressed
  std::uint64_t pieces = 0;        ///< compressed pieces
  std::uint64_t value_bytes = 0;   ///< of the fields
  std::uint64_t sent_bytes = 0;    ///< handed to MPI for them
};

struct Engine;

/// A message that is on its way, by isend() or irecv(). One that is destroyed before it has come to its end waits for it, and
/// what was wrong is lost; a receive whose message has not begun to arrive is cancelled.
class [[nodiscard]] Request {
 public:
  class Work;

  explicit Request(std::unique_ptr<Work> work);
  ~Request();
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;

  /// Waits for the end: a received field is complete, a sent one may be changed.
  /// \throws Error as Messenger::send() or recv(); once
  void wait();
  /// Goes on without waiting. \returns whether it has come to its end; then wait() returns at once
  bool test();

 private:
  std::unique_ptr<Work> m_work;
};

/// A list of fields of any type, which is looked at one by one: making another list of it could fail.
template <class Field>
struct ListOf {
  void const* list = nullptr;
  std::size_t count = 0;
  Field (*at)(void const* list, std::size_t number) = nullptr;

  Field operator[](std::size_t number) const { return at(list, number); }
};

/// Implementation of a Messenger, with execution space and types known only at run time.
class Messages {
 public:
  Messages(AnyCodec codec, MPI_Comm comm, MessageOptions const& options);

  void send(FieldSource const& field, int to, int tag, Options const& options);
  void recv(FieldTarget const& field, int from, int tag);
  Request isend(FieldSource const& field, int to, int tag, Options const& options);
  Request irecv(FieldTarget const& field, int from, int tag);
  void broadcast(FieldTarget const& field, int root, Options const& options);
  void scatter(ListOf<FieldSource> const& all, FieldTarget const& mine, int root,
               Options const& options);
  void gather(FieldSource const& mine, ListOf<FieldTarget> const& all, int root,
              Options const& options);
  void alltoallv(ListOf<FieldSource> const& to, ListOf<FieldTarget> const& from,
                 Options const& options);
  FieldRange range(FieldSource const& field, FillValue const& fill);
  Options agreed(FieldSource const& field, Options const& options);

  Traffic const& traffic() const;
  bool gpu_aware() const;
  std::size_t raw_below() const;
  std::shared_ptr<Engine> const& engine() const { return m_engine; }

 private:
  std::shared_ptr<Engine> m_engine;
};

/// Sends and receives fields, compressed with the error bound of the sender's Options; type, extents and size travel with
/// them. A message goes raw, and so exactly, if it is smaller than raw_below(), or to the sender itself.
///
/// Fields are what compress() takes: Views of any rank, layout and steps, in memory of Exec or of the host. Sender and receiver
/// need not agree on order, steps or execution space. One thread uses a Messenger and calls of MPI need no more than
/// MPI_THREAD_FUNNELED.
///
/// It has duplicates of the communicator, so its messages meet none of the application's. Every call lets the receives go
/// on that irecv() has begun. Beside that nothing happens between calls: a large send() waits until the receiver is in a
/// call of its Messenger.
///
/// Collectives are called by all ranks in the same order. One that fails on a rank fails on all, with the status and the message of the
/// lowest such rank, behind its number; the Messenger can be used again, and fields that were to be received have undefined values. A
/// sender that fails tells the receiver, which throws the same. No call waits for a rank that has failed.
template <SupportedSpace Exec>
class Messenger {
 public:
  /// Collective.
  /// \param exec  instance on which fields are compressed and which fields to be sent have been enqueued on
  /// \param comm  whose ranks it connects; not kept
  /// \throws Error on every rank: bad_argument for options that cannot be used, device if MPI fails
  explicit Messenger(Exec const& exec, MPI_Comm comm, MessageOptions const& options = {})
      : m_messages(AnyCodec(exec), comm, options) {}

  /// Sends a field and returns when it may be changed: compresses one piece while the one before it travels.
  /// \param to       a rank
  /// \param options  bound and pipeline. A bound relative to the range refers to the range of this field, or to
  ///                 options.range, see agreed()
  /// \throws Error bad_argument for what cannot be used, device; the receiver is told
  template <FieldLike F>
  void send(F const& field, int to, int tag, Options const& options) {
    m_messages.send(impl::whole_source_of<Exec>(field), to, tag, options);
  }
  /// Receives a field, decompresses a piece while the next one travels.
  /// \param field  of the type and extents of the one that was sent
  /// \param from   a rank
  /// \throws Error type_mismatch or buffer_too_small if type or extents differ, naming those that are needed; corrupt for a damaged or
  ///         truncated message; what the sender has failed with, behind its rank
  template <FieldLike F>
  void recv(F const& field, int from, int tag) {
    m_messages.recv(impl::whole_target_of<Exec>(field), from, tag);
  }
  /// Compresses a field, enqueues all its pieces and returns. Keeps as much memory as the field has until it has been waited for.
  /// \throws Error as send(); the receiver is told
  template <FieldLike F>
  Request isend(F const& field, int to, int tag, Options const& options) {
    return m_messages.isend(impl::whole_source_of<Exec>(field), to, tag, options);
  }
  /// Begins to receive a field, which is complete when the request has been waited for. Messages of one sender and tag come in
  /// the order in which they were sent.
  template <FieldLike F>
  Request irecv(F const& field, int from, int tag) {
    return m_messages.irecv(impl::whole_target_of<Exec>(field), from, tag);
  }

  /// Sends a field of one rank to all others; compressed once. Collective.
  /// \param field    read on `root`, whose values stay as they are, and written on all others
  /// \param options  of `root`
  template <FieldLike F>
  void broadcast(F const& field, int root, Options const& options) {
    m_messages.broadcast(impl::whole_target_of<Exec>(field), root, options);
  }
  /// Sends a field to each rank; they may differ in extents. Collective.
  /// \param all   on `root` as many fields as ranks; not looked at on others
  /// \param mine  where the field of this rank goes
  template <FieldList List, FieldLike F>
  void scatter(List const& all, F const& mine, int root, Options const& options) {
    m_messages.scatter(sources(all), impl::whole_target_of<Exec>(mine), root, options);
  }
  /// Receives a field from each rank. Collective.
  /// \param mine     of this rank
  /// \param all      on `root` as many fields as ranks; not looked at on others
  /// \param options  of each rank for its own field
  template <FieldLike F, FieldList List>
  void gather(F const& mine, List const& all, int root, Options const& options) {
    m_messages.gather(impl::whole_source_of<Exec>(mine), targets(all), root, options);
  }
  /// Sends a field to each rank and receives one from each. Collective.
  /// \param to    as many as ranks
  /// \param from  as many as ranks
  template <FieldList To, FieldList From>
  void alltoallv(To const& to, From const& from, Options const& options) {
    m_messages.alltoallv(sources(to), targets(from), options);
  }

  /// The range of the field whose parts the ranks have, and its fill value if one is sought and any rank finds it. Collective.
  /// \throws Error on every rank: bad_argument for values without memory
  /// \note reads the field once, once more if ranks have found different fill values
  template <FieldLike F>
  FieldRange range(F const& field, FillValue const& fill = {}) {
    return m_messages.range(impl::whole_source_of<Exec>(field), fill);
  }
  /// Options with which each rank compresses its part of one field as if it were whole: a bound relative to the range, or
  /// a PSNR, gets the range over all ranks, and the fill value is the same one. Any other comes back as it is. Collective.
  /// \throws Error as range()
  template <FieldLike F>
  Options agreed(F const& field, Options const& options) {
    return m_messages.agreed(impl::whole_source_of<Exec>(field), options);
  }

  /// Statistics of this rank.
  Traffic const& traffic() const { return m_messages.traffic(); }
  /// Whether pointers to memory of Exec are handed to MPI.
  bool gpu_aware() const { return m_messages.gpu_aware(); }
  /// Size below which fields are sent raw; the same on all ranks.
  std::size_t raw_below() const { return m_messages.raw_below(); }

  /// For the library.
  Messages& messages() { return m_messages; }

 private:
  template <FieldList List>
  static ListOf<FieldSource> sources(List const& list) {
    return {std::data(list), std::size(list), [](void const* data, std::size_t number) {
              using F = std::ranges::range_value_t<List>;
              return impl::whole_source_of<Exec>(static_cast<F const*>(data)[number]);
            }};
  }
  template <FieldList List>
  static ListOf<FieldTarget> targets(List const& list) {
    return {std::data(list), std::size(list), [](void const* data, std::size_t number) {
              using F = std::ranges::range_value_t<List>;
              return impl::whole_target_of<Exec>(static_cast<F const*>(data)[number]);
            }};
  }

  Messages m_messages;
};

/// A field in memory of an execution space as so many slabs of its slowest index, the first ones one longer than the last
/// ones if they cannot be equal: what scatter() and gather() take.
/// \throws Error bad_argument if count is 0
std::vector<StridedData> slabs(StridedData const& field, int count);
template <Field V>
std::vector<StridedData> slabs(V const& view, int count) {
  return slabs(StridedData(view.data(), shape_of(view), impl::strides_of_view(view)), count);
}

}  // namespace kompakt::mpi

#endif
