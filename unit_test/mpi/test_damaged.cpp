#include <cstdint>
#include <functional>
#include <limits>

#include "messages_case.hpp"

// What arrives is damaged by a function that stands in front of MPI's own, as tools do it (PMPI).

namespace kompakt::test {

/// Changes a message on its way out; its length may only shrink.
using Damage = std::function<void(std::vector<std::byte>& message)>;

struct Interceptor {
  int number = -1;  ///< of the message from now on that is damaged; below 0: none
  Damage damage;
  int sent = 0;
  std::vector<std::vector<std::byte>> damaged;  ///< which live until all has been sent

  static Interceptor& instance() {
    static Interceptor interceptor;
    return interceptor;
  }
};

}  // namespace kompakt::test

extern "C" int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  auto& interceptor = kompakt::test::Interceptor::instance();
  if (interceptor.sent++ != interceptor.number)
    return PMPI_Isend(data, count, type, to, tag, comm, request);
  auto const* const bytes = static_cast<std::byte const*>(data);
  auto& copy = interceptor.damaged.emplace_back(bytes, bytes + count);
  interceptor.damage(copy);
  return PMPI_Isend(copy.data(), static_cast<int>(copy.size()), type, to, tag, comm, request);
}

namespace kompakt::test {

class MpiDamaged : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using View = Cube<Exec>;

  Exec exec;
  int rank = rank_of();
  View field = view_of<View>(values_of<float>(shape_from<float>({24, 20, 16}), 1), 24, 20, 16);
  View received{"received", 24, 20, 16};

  /// From rank 0 to rank 1, with damage to one of the messages of MPI that it takes.
  /// \param call  of all ranks
  template <class Call>
  static void with_damage(int number, Damage const& damage, Call const& call) {
    auto& interceptor = Interceptor::instance();
    interceptor.sent = 0;
    interceptor.number = rank_of() == 0 ? number : -1;
    interceptor.damage = damage;
    call();
    interceptor.number = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    interceptor.damaged.clear();
  }
  template <class Messenger>
  void pass(Messenger& messenger) const {
    if (rank == 0) messenger.send(field, 1, 0, absolute_options());
    if (rank == 1) messenger.recv(received, 0, 0);
  }
  void SetUp() override {
    if (ranks_of() == 1) GTEST_SKIP() << "takes two ranks";
  }
};

Damage cut_to(double part) {
  return [part](std::vector<std::byte>& message) {
    message.resize(static_cast<std::size_t>(part * static_cast<double>(message.size())));
  };
}
Damage flip(std::size_t bit) {
  return [bit](std::vector<std::byte>& message) {
    std::size_t const at = bit % (8 * message.size());
    message[at / 8] ^= static_cast<std::byte>(1u << (at % 8));
  };
}

TEST_F(MpiDamaged, TruncatedMessages_AreErrorsOfTheReceiver) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(exec, MPI_COMM_WORLD, way.options);
    Interceptor::instance().sent = 0;
    pass(messenger);
    int parts = Interceptor::instance().sent;
    MPI_Bcast(&parts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int number = 0; number < parts; ++number) {
      // Of a head that pieces follow one copy must arrive, or the sender waits.
      double const least = number == 0 && parts > 1 ? 0.1 : 0;
      for (double const part : {least, 0.3, 0.99}) {
        SCOPED_TRACE(std::string(way.name) + ", message " + std::to_string(number));
        with_damage(number, cut_to(part), [&] {
          if (rank != 1) return pass(messenger);
          expect_error(Status::corrupt, "", [&] { pass(messenger); });
        });
        pass(messenger);  // and the next one arrives
        if (rank == 1) expect_within(values_in(field), values_in(received), bound, "afterwards");
      }
    }
  }
}

// Of raw messages the head alone: MPI answers for the values.
TEST_F(MpiDamaged, FlippedBits_AreErrorsOfTheReceiver) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(exec, MPI_COMM_WORLD, way.options);
    Interceptor::instance().sent = 0;
    pass(messenger);
    bool const raw = messenger.traffic().raw_messages > 0;
    int parts[] = {Interceptor::instance().sent, raw ? 1 : 0};
    MPI_Bcast(parts, 2, MPI_INT, 0, MPI_COMM_WORLD);
    int const count = parts[1] != 0 ? 1 : parts[0];
    for (int number = 0; number < count; ++number) {
      for (std::size_t i = 0; i < 12; ++i) {
        // Bits of the head itself and, if there are any, of its copies; of a piece, anywhere.
        bool const alone = number == 0 && parts[0] == 1;
        std::size_t const bit = alone ? hash(i) % (8 * 120) : hash(i);
        with_damage(number, flip(bit), [&] {
          if (rank != 1) return pass(messenger);
          EXPECT_THROW(pass(messenger), Error)
              << way.name << ", message " << number << ", bit " << bit;
        });
      }
    }
    pass(messenger);
    if (rank == 1) expect_within(values_in(field), values_in(received), bound, way.name);
  }
}

TEST_F(MpiDamaged, PieceOfACollective_FailsOnAll) {
  for (std::size_t const piece_bytes : {std::size_t{4096}, std::size_t{1} << 20}) {
    mpi::Messenger messenger(exec, MPI_COMM_WORLD, {0, piece_bytes, mpi::GpuAware::no});
    std::vector<View> const fields(static_cast<std::size_t>(ranks_of()), field);
    std::vector<View> rooms;
    for (int i = 0; i < ranks_of(); ++i) rooms.emplace_back("room", 24, 20, 16);
    std::pair<char const*, std::function<void()>> const calls[] = {
        {"scatter", [&] { messenger.scatter(fields, received, 0, absolute_options()); }},
        {"gather", [&] { messenger.gather(field, rooms, 1, absolute_options()); }},
        {"alltoallv", [&] { messenger.alltoallv(fields, rooms, absolute_options()); }}};
    for (auto const& [name, call] : calls) {
      Interceptor::instance().sent = 0;
      call();
      int parts = Interceptor::instance().sent;
      MPI_Bcast(&parts, 1, MPI_INT, 0, MPI_COMM_WORLD);
      for (int number = 0; number < parts; ++number) {
        with_damage(number, cut_to(0.5), [&] { expect_error(Status::corrupt, "rank ", call); });
      }
      EXPECT_NO_THROW(call()) << name;
    }
  }
}

}  // namespace kompakt::test
