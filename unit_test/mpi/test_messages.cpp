#include <algorithm>
#include <array>
#include <cmath>
#include <support/wave.hpp>
#include <utility>

#include "messages_case.hpp"

namespace kompakt::test {

template <class Exec>
class MpiMessages : public testing::Test {
 protected:
  Exec exec;
  int rank = rank_of(), ranks = ranks_of();
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
};
TYPED_TEST_SUITE(MpiMessages, Spaces, SpaceName);

TYPED_TEST(MpiMessages, RingOfAllFamilies_ArrivesWithinTheBound) {
  auto const shape = shape_from<float>({17, 13, 40});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (Family const family : all_families) {
      auto const field =
          view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank, family), 17, 13, 40);
      Cube<TypeParam> const received("received", 17, 13, 40);
      auto request = messenger.isend(field, this->next, 3, absolute_options());
      messenger.recv(received, this->before, 3);
      request.wait();
      expect_within(values_of<float>(shape, this->before, family), values_in(received), bound,
                    std::string(way.name) + ", " + name_of(family));
    }
  }
}

TYPED_TEST(MpiMessages, AllPipelines_ArriveWithinTheBound) {
  auto const shape = shape_from<double>({9, 30, 40});
  using View = Kokkos::View<double***, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 30000, mpi::GpuAware::no});
  for (Pipeline const pipeline : pipelines()) {
    auto const field = view_of<View>(values_of<double>(shape, this->rank), 9, 30, 40);
    View const received("received", 9, 30, 40);
    auto request = messenger.isend(field, this->next, 0, absolute_options(pipeline));
    messenger.recv(received, this->before, 0);
    request.wait();
    expect_within(values_of<double>(shape, this->before), values_in(received), bound,
                  to_string(pipeline));
  }
  EXPECT_EQ(messenger.traffic().raw_messages, this->ranks > 1 ? 0u : pipelines().size());
}

// Every rank is in send() while the one before it waits for it: the receives go on meanwhile.
TYPED_TEST(MpiMessages, BlockingSendsInARing_DoNotWaitForEachOther) {
  auto const shape = shape_from<float>({16, 64, 32});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 16, 64, 32);
    Cube<TypeParam> const received("received", 16, 64, 32);
    auto request = messenger.irecv(received, this->before, 1);
    messenger.send(field, this->next, 1, absolute_options());
    request.wait();
    expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
  }
}

TYPED_TEST(MpiMessages, ManyOfOneTag_KeepTheirOrder) {
  constexpr std::size_t sizes[] = {40, 1, 17, 30, 2};
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    std::vector<mpi::Request> requests;
    std::vector<Cube<TypeParam>> received, sent;
    for (std::size_t n : sizes) {
      received.emplace_back("received", n, 20, 16);
      requests.push_back(messenger.irecv(received.back(), this->before, 5));
    }
    for (std::size_t n : sizes) {
      auto const values = values_of<float>(shape_from<float>({n, 20, 16}), this->rank);
      sent.push_back(view_of<Cube<TypeParam>>(values, n, 20, 16));
      requests.push_back(messenger.isend(sent.back(), this->next, 5, absolute_options()));
    }
    for (auto it = requests.rbegin(); it != requests.rend(); ++it) it->wait();
    for (auto const& view : received) {
      auto const shape = shape_from<float>({view.extent(0), 20, 16});
      expect_within(values_of<float>(shape, this->before), values_in(view), bound, way.name);
    }
  }
}

TYPED_TEST(MpiMessages, OtherLayoutsAndSteps_MeetEachOther) {
  using Memory = typename TypeParam::memory_space;
  using Left = Kokkos::View<float***, Kokkos::LayoutLeft, Memory>;
  auto const shape = shape_from<float>({14, 22, 18});
  auto const all = std::make_pair(std::size_t{1}, std::size_t{13});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 14, 22, 18);
    auto const sent = values_of<float>(shape, this->before);
    Left const left("left", 14, 22, 18);
    Cube<TypeParam> const back("back", 14, 22, 18), wide("wide", 16, 22, 20);
    auto const inner =
        Kokkos::subview(wide, std::make_pair(std::size_t{1}, std::size_t{15}), Kokkos::ALL,
                        std::make_pair(std::size_t{2}, std::size_t{20}));
    std::vector<mpi::Request> requests;
    requests.push_back(messenger.irecv(left, this->before, 0));
    requests.push_back(messenger.irecv(inner, this->before, 1));
    messenger.send(field, this->next, 0, absolute_options());
    messenger.send(field, this->next, 1, absolute_options());
    for (auto& request : requests) request.wait();
    expect_within(sent, values_in(left), bound, std::string(way.name) + ", to LayoutLeft");
    expect_within(sent, values_in(inner), bound, std::string(way.name) + ", to one with steps");
    // And with steps and the other layout at the sender.
    auto const part = Kokkos::subview(
        view_of<Left>(values_of<float>(shape, this->rank), 14, 22, 18), all, all, all);
    Cube<TypeParam> const box("box", 12, 12, 12);
    auto request = messenger.irecv(box, this->before, 2);
    messenger.send(part, this->next, 2, absolute_options());
    request.wait();
    auto const expected = Kokkos::subview(view_of<Left>(sent, 14, 22, 18), all, all, all);
    expect_within(values_in(expected), values_in(box), bound,
                  std::string(way.name) + ", from a part");
  }
}

TYPED_TEST(MpiMessages, FieldsOfTheHost_Arrive) {
  auto const shape = shape_from<float>({20, 20, 20});
  using Host = Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    Host const received("received", 20, 20, 20);
    auto request = messenger.irecv(received, this->before, 0);
    messenger.send(view_of<Host>(values_of<float>(shape, this->rank), 20, 20, 20), this->next, 0,
                   absolute_options());
    request.wait();
    expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
  }
}

TYPED_TEST(MpiMessages, IntegersWithoutAChosenBound_ArriveBitForBit) {
  auto const shape = shape_from<std::int16_t>({11, 30, 20});
  using View = Kokkos::View<std::int16_t***, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  Options exact;
  exact.bound = ErrorBound::lossless();
  auto const values = [&](int seed) {
    return make_integers<std::int16_t>(shape, static_cast<std::uint64_t>(seed));
  };
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (Options const& options : {exact, Options{}}) {
      View const received("received", 11, 30, 20);
      auto request = messenger.irecv(received, this->before, 0);
      messenger.send(view_of<View>(values(this->rank), 11, 30, 20), this->next, 0, options);
      request.wait();
      expect_within(values(this->before), values_in(received), 0, way.name);
    }
  }
}

namespace {

/// Sends a field of values of a type around the ring, with an absolute bound and one relative to the range, and hands what
/// arrives to worst(), which says by how much of the bound it is off at most.
template <class T, class Exec, class Make, class Worst>
void pass_around(Exec const& exec, double abs_bound, Make const& make, Worst const& worst) {
  using View = Kokkos::View<T***, Kokkos::LayoutRight, typename Exec::memory_space>;
  int const rank = rank_of(), ranks = ranks_of();
  int const next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (Way const& way : ways()) {
    mpi::Messenger messenger(exec, MPI_COMM_WORLD, way.options);
    for (ErrorBound const error :
         {ErrorBound::absolute(abs_bound), ErrorBound::relative_to_range(abs_bound / 4000)}) {
      Options options;
      options.bound = error;
      View const received("received", 11, 30, 20);
      auto request = messenger.irecv(received, before, 0);
      messenger.send(view_of<View>(make(rank), 11, 30, 20), next, 0, options);
      request.wait();
      EXPECT_LE(worst(make(before), values_in(received)), abs_bound) << way.name;
    }
  }
}

}  // namespace

TYPED_TEST(MpiMessages, IntegersWithABound_ArriveWithinIt) {
  auto const make = [](int seed) {
    auto const values = make_field<double>(Family::smooth, shape_from<double>({11, 30, 20}),
                                           static_cast<std::uint64_t>(seed) + 1);
    auto const [least, most] = std::minmax_element(values.begin(), values.end());
    std::vector<std::int16_t> integers;
    for (double const value : values) {
      integers.push_back(static_cast<std::int16_t>(4000 * (value - *least) / (*most - *least)));
    }
    return integers;
  };
  pass_around<std::int16_t>(this->exec, 8, make, [](auto const& sent, auto const& received) {
    int worst = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      worst = std::max(worst, std::abs(sent[i] - received[i]));
    }
    return worst;
  });
}

TYPED_TEST(MpiMessages, ComplexNumbers_ArriveWithinTheBoundOfTheirModulus) {
  using Complex = Kokkos::complex<float>;
  auto const make = [](int seed) {
    std::vector<Complex> numbers;
    for (int i = 0; i < 11 * 30 * 20; ++i) {
      double const angle = 0.01 * i + seed;
      numbers.emplace_back(static_cast<float>(2000 * std::cos(angle)),
                           static_cast<float>(2000 * std::sin(angle)));
    }
    return numbers;
  };
  pass_around<Complex>(this->exec, 4, make, [](auto const& sent, auto const& received) {
    double worst = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      worst = std::max(worst, distance(sent[i], received[i]));
    }
    return worst;
  });
}

TYPED_TEST(MpiMessages, NoValuesAndOneValue_Arrive) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (std::size_t n : {0, 1}) {
      auto const shape = shape_from<float>({n, 1, 1});
      Cube<TypeParam> const received("received", n, 1, 1);
      auto request = messenger.irecv(received, this->before, 0);
      messenger.send(view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), n, 1, 1),
                     this->next, 0, absolute_options());
      request.wait();
      expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
    }
  }
}

// As if the pieces had been given the range of the whole.
TYPED_TEST(MpiMessages, PiecesWithARelativeBound_HaveThatOfTheField) {
  if (this->ranks == 1) GTEST_SKIP() << "a message to itself is not compressed";
  auto const shape = shape_from<float>({40, 20, 16});
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 4096, mpi::GpuAware::no});
  auto const field =
      view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank, Family::land), 40, 20, 16);
  for (ErrorBound const error : {ErrorBound::relative_to_range(1e-2), ErrorBound::psnr(50)}) {
    Options options;
    options.bound = error;
    options.fill = FillValue::automatic();
    Workspace<TypeParam> workspace(this->exec);
    FieldRange const range = field_range(this->exec, field, options.fill, workspace);
    Options given = options;
    given.range = range.width();
    given.fill = FillValue::of(*range.fill);
    Cube<TypeParam> const by_itself("by itself", 40, 20, 16), by_hand("by hand", 40, 20, 16);
    std::vector<mpi::Request> requests;
    requests.push_back(messenger.irecv(by_itself, this->before, 0));
    requests.push_back(messenger.irecv(by_hand, this->before, 1));
    messenger.send(field, this->next, 0, options);
    messenger.send(field, this->next, 1, given);
    for (auto& request : requests) request.wait();
    expect_within(values_in(by_hand), values_in(by_itself), 0, to_string(error.mode));
  }
}

TYPED_TEST(MpiMessages, ReceiverWithAnotherField_IsToldWhatItNeeds) {
  if (this->ranks == 1) GTEST_SKIP() << "takes two ranks";
  auto const shape = shape_from<float>({24, 20, 16});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 24, 20, 16);
    Cube<TypeParam> const smaller("smaller", 24, 10, 16), larger("larger", 25, 20, 16),
        received("received", 24, 20, 16);
    Kokkos::View<double***, typename TypeParam::memory_space> const other("other", 24, 20, 16);
    auto const expect = [&](auto const& view, Status status, std::string const& words) {
      auto request = messenger.irecv(view, this->before, 0);
      messenger.send(field, this->next, 0, absolute_options());
      expect_error(status, words, [&] { request.wait(); });
    };
    std::string const sent = "rank " + std::to_string(this->before) +
                             " has sent is 24 x 20 x 16 of f32 (30720 bytes), but the View is ";
    expect(smaller, Status::buffer_too_small, sent + "24 x 10 x 16 of f32 (15360 bytes); pass one");
    expect(larger, Status::type_mismatch, sent + "25 x 20 x 16");
    expect(other, Status::type_mismatch, sent + "24 x 20 x 16 of f64");
    // What follows is not disturbed.
    auto request = messenger.irecv(received, this->before, 0);
    messenger.send(field, this->next, 0, absolute_options());
    request.wait();
    expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
  }
}

TYPED_TEST(MpiMessages, SenderThatFails_TellsTheReceiver) {
  auto const shape = shape_from<float>({24, 20, 16});
  Options bad = absolute_options();
  bad.bound.value = -1;
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 24, 20, 16);
    Cube<TypeParam> const received("received", 24, 20, 16);
    auto request = messenger.irecv(received, this->before, 0);
    expect_error(Status::bad_argument, "-1", [&] { messenger.send(field, this->next, 0, bad); });
    expect_error(Status::bad_argument, "rank " + std::to_string(this->before) + ": ",
                 [&] { request.wait(); });
  }
}

TYPED_TEST(MpiMessages, RanksAndTagsThatAreNone_AreRefused) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  Cube<TypeParam> const field("field", 2, 2, 2);
  std::string const no_rank = "no rank " + std::to_string(this->ranks);
  expect_error(Status::bad_argument, no_rank,
               [&] { messenger.send(field, this->ranks, 0, absolute_options()); });
  expect_error(Status::bad_argument, no_rank, [&] { messenger.recv(field, this->ranks, 0); });
  expect_error(Status::bad_argument, "no rank -1", [&] { messenger.recv(field, -1, 0); });
  expect_error(Status::bad_argument, "tag -1",
               [&] { messenger.send(field, 0, -1, absolute_options()); });
  expect_error(Status::bad_argument, "pieces of 10 bytes", [&] {
    mpi::Messenger const other(this->exec, MPI_COMM_WORLD, {0, 10, mpi::GpuAware::no});
  });
}

TYPED_TEST(MpiMessages, TrafficOfTheApplication_IsNotMetByOurs) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 4096, mpi::GpuAware::no});
  auto const shape = shape_from<float>({24, 20, 16});
  auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 24, 20, 16);
  Cube<TypeParam> const received("received", 24, 20, 16);
  int const sent = 100 + this->rank;
  int number = 0;
  MPI_Request own[2];
  MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &own[0]);
  auto request = messenger.irecv(received, this->before, 0);
  messenger.send(field, this->next, 0, absolute_options());
  request.wait();
  MPI_Isend(&sent, 1, MPI_INT, this->next, 0, MPI_COMM_WORLD, &own[1]);
  MPI_Waitall(2, own, MPI_STATUSES_IGNORE);
  EXPECT_EQ(number, 100 + this->before);
  expect_within(values_of<float>(shape, this->before), values_in(received), bound,
                "beside another");
}

TYPED_TEST(MpiMessages, RequestThatIsTested_ComesToItsEnd) {
  auto const shape = shape_from<float>({40, 20, 16});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 40, 20, 16);
    Cube<TypeParam> const received("received", 40, 20, 16);
    auto incoming = messenger.irecv(received, this->before, 0);
    auto outgoing = messenger.isend(field, this->next, 0, absolute_options());
    bool done = false;
    while (!done) {
      bool const one = incoming.test(), other = outgoing.test();
      done = one && other;
    }
    incoming.wait();
    outgoing.wait();
    expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
  }
}

TYPED_TEST(MpiMessages, RequestsThatAreDropped_LeaveTheRestAlone) {
  auto const shape = shape_from<float>({40, 20, 16});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 40, 20, 16);
    Cube<TypeParam> const received("received", 40, 20, 16);
    { auto const never_sent = messenger.irecv(received, this->before, 0); }
    MPI_Barrier(MPI_COMM_WORLD);
    auto request = messenger.irecv(received, this->before, 0);
    { auto const sent = messenger.isend(field, this->next, 0, absolute_options()); }
    request.wait();
    expect_within(values_of<float>(shape, this->before), values_in(received), bound, way.name);
  }
}

TYPED_TEST(MpiMessages, Traffic_CountsWhatWasSent) {
  if (this->ranks == 1) GTEST_SKIP() << "a message to itself is not compressed";
  auto const shape = shape_from<float>({64, 64, 16});
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {1000, 65536, mpi::GpuAware::no});
  auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 64, 64, 16);
  auto const small = Kokkos::subview(field, 0, Kokkos::ALL, Kokkos::ALL);
  Cube<TypeParam> const received("received", 64, 64, 16);
  auto const few = Kokkos::subview(received, 0, 0, Kokkos::ALL);
  std::vector<mpi::Request> requests;
  requests.push_back(messenger.irecv(received, this->before, 0));
  messenger.send(field, this->next, 0, absolute_options());
  requests[0].wait();
  mpi::Traffic const large = messenger.traffic();
  EXPECT_EQ(large.messages, 1u);
  EXPECT_EQ(large.raw_messages, 0u);
  EXPECT_EQ(large.pieces, 4u);
  EXPECT_EQ(large.value_bytes, shape.bytes());
  EXPECT_LT(large.sent_bytes, shape.bytes() / 2);
  requests.push_back(messenger.irecv(few, this->before, 0));
  messenger.send(Kokkos::subview(small, 0, Kokkos::ALL), this->next, 0, absolute_options());
  requests[1].wait();
  EXPECT_EQ(messenger.traffic().raw_messages, 1u);
  EXPECT_EQ(messenger.traffic().pieces, 4u);
  EXPECT_EQ(messenger.traffic().value_bytes, shape.bytes() + 64);
}

TYPED_TEST(MpiMessages, GpuAwareness_IsThatOfMpiUnlessGiven) {
  using mpi::GpuAware;
  auto const aware = [&](GpuAware wish) {
    return mpi::Messenger(this->exec, MPI_COMM_WORLD, {0, 4096, wish}).gpu_aware();
  };
  EXPECT_TRUE(aware(GpuAware::yes));
  EXPECT_FALSE(aware(GpuAware::no));
  EXPECT_NO_THROW(aware(GpuAware::ask));
}

TYPED_TEST(MpiMessages, SecondMessageOfASize_AllocatesNothing) {
  auto const shape = shape_from<float>({64, 64, 64});
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    auto const field = view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank), 64, 64, 64);
    Cube<TypeParam> const received("received", 64, 64, 64);
    auto const call = [&] {
      auto request = messenger.irecv(received, this->before, 0);
      messenger.send(field, this->next, 0, absolute_options());
      request.wait();
    };
    // A rank that comes late finds its first pieces waiting, so that it takes a few times until all buffers have been made.
    for (int i = 0; i < 3; ++i) call();
    ToolsRecorder const recorder;
    call();
    EXPECT_TRUE(recorder.allocations.empty()) << way.name << ": " << recorder.allocations.front();
  }
}

}  // namespace kompakt::test
