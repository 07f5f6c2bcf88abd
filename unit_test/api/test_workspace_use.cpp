#include <gtest/gtest.h>

#include <api/workspace_use.hpp>
#include <kompakt/kompakt.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <thread>

// A workspace that two calls share by mistake. What calls do about it can be seen in builds without NDEBUG alone.

namespace kompakt::test {
namespace {

/// What call() throws in another thread.
template <class Call>
Error error_in_thread(Call const& call) {
  Error error(Status::ok, "");
  std::thread([&] { error = error_of(call); }).join();
  return error;
}

TEST(WorkspaceUses, OfTwoThreadsAtATime_AreRefused) {
  impl::WorkspaceUses uses;
  int first = 0, second = 0;
  uses.begin(&first, "compress");
  uses.begin(&first, "decompress");  // a call within a call
  Error const error = error_in_thread([&] { uses.begin(&first, "choose"); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("choose: another thread"), std::string::npos)
      << error.what();
  std::thread([&] { uses.begin(&second, "compress"); }).join();
  uses.end(&first);
  EXPECT_EQ(error_in_thread([&] { uses.begin(&first, "choose"); }).status(), Status::bad_argument);
  uses.end(&first);
  std::thread([&] { uses.begin(&first, "choose"); }).join();
}

TEST(WorkspaceUses, ResultsOfAnEarlierCall_AreGone) {
  impl::WorkspaceUses uses;
  int workspace = 0, result = 0, fields[2] = {};
  uses.start(&workspace, {"compress", &result, &fields[0]});
  uses.require_last(&workspace, {"compress", &result, &fields[0]}, "compress");
  uses.start(&workspace, {"compress", &result, &fields[1]});
  EXPECT_EQ(error_of([&] {
              uses.require_last(&workspace, {"compress", &result, &fields[0]}, "compress");
            }).status(),
            Status::bad_argument);
}

/// Two calls that have one workspace.
class SharedWorkspace : public testing::Test {
 protected:
  using Exec = Kokkos::Serial;
  using Stream = CompressedStream<Kokkos::HostSpace>;

  void SetUp() override {
    if (!impl::checks_workspaces) GTEST_SKIP() << "with NDEBUG nobody looks";
  }
  void compress(Stream& stream) { kompakt::compress(m_exec, m_field, {}, m_workspace, stream); }

  Exec m_exec;
  Kokkos::View<float*, Kokkos::HostSpace> m_field{"field", 5000}, m_other{"other", 5000};
  Workspace<Exec> m_workspace{m_exec};
  Stream m_first, m_second;
};

TEST_F(SharedWorkspace, ByTwoThreads_IsRefused) {
  impl::WorkspaceUses::get().begin(&m_workspace, "compress");
  EXPECT_EQ(error_in_thread([&] { compress(m_first); }).status(), Status::bad_argument);
  impl::WorkspaceUses::get().end(&m_workspace);
  std::thread([&] { compress(m_first); }).join();
}

TEST_F(SharedWorkspace, ByTwoCallsThatAreNotFinished_IsRefused) {
  auto first = compress_async(m_exec, m_field, {}, m_workspace, m_first);
  auto second = compress_async(m_exec, m_other, {}, m_workspace, m_second);
  EXPECT_EQ(error_of([&] { first.finish(); }).status(), Status::bad_argument);
  EXPECT_EQ(second.finish().bytes, second.finish().bytes) << "as after each launch of a graph";
  auto third = decompress_async(m_exec, m_second, m_workspace, m_field);
  compress(m_first);
  EXPECT_EQ(error_of([&] { third.finish(); }).status(), Status::bad_argument);
}

}  // namespace
}  // namespace kompakt::test
