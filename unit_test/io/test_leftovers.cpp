#include "temporary_folder.hpp"
#include <chrono>
#include <gtest/gtest.h>
#include <kompakt/files.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace kompakt::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// The number of a process that is no more.
std::string dead_process() {
  pid_t const child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return std::to_string(child);
}

class Leftovers : public ::testing::Test {
 protected:
  void make(std::string const& name, std::chrono::hours age = 25h) const {
    put(m_folder / name, "part");
    set_age(name, age);
  }
  void set_age(std::string const& name, std::chrono::hours age) const {
    fs::last_write_time(m_folder / name, fs::file_time_type::clock::now() - age);
  }
  void write(std::string const& name) const {
    write_file(m_folder / name, bytes_of("new"), Overwrite::yes);
    EXPECT_EQ(contents(m_folder / name), "new");
  }

  TemporaryFolder const m_folder;
  std::string const m_dead = dead_process();
};

TEST_F(Leftovers, OfAKilledProcess_AreRemovedByTheNextFileOfTheName) {
  std::string const cut(200, 'n');
  make(".x.kpk.partial-" + m_dead + "-0");
  make(".x.kpk.partial-" + m_dead + "-17");
  make("." + cut + ".partial-" + m_dead + "-3");
  write("x.kpk");
  EXPECT_EQ(m_folder.names(), Names({"x.kpk", "." + cut + ".partial-" + m_dead + "-3"}));
  write(cut + "and more");
  EXPECT_EQ(m_folder.names(), Names({"x.kpk", cut + "and more"}));
}

TEST_F(Leftovers, OfMpiOpeningOne_AreRemovedToo) {
  std::string const alive = ".x.partial-" + std::to_string(::getppid()) + "-0.locktest.0";
  make(".x.partial-" + m_dead + "-0.locktest.0");
  make(".x.partial-" + m_dead + "-12.locktest.3");
  make(alive);
  write("x");
  EXPECT_EQ(m_folder.names(), Names({"x", alive}));
}

TEST_F(Leftovers, WhatIsYoungOrOfALivingProcess_Stays) {
  std::string const young = ".x.partial-" + m_dead + "-0";
  std::string const alive = ".x.partial-" + std::to_string(::getppid()) + "-0";
  make(young, 23h);
  make(alive);
  write("x");
  EXPECT_EQ(m_folder.names(), Names({"x", young, alive}));
}

TEST_F(Leftovers, OtherNames_Stay) {
  Names names{".x.partial-",
              ".x.partial-" + m_dead,
              ".x.partial-" + m_dead + "-",
              ".x.partial-" + m_dead + "-a",
              ".x.partial-" + m_dead + "-1.bak",
              ".x.partial-" + m_dead + "-1.locktest.",
              ".x.partial-" + m_dead + "-1.locktest.0a",
              ".x.partial-" + m_dead + ".locktest.0",
              ".x.partial-a-1",
              ".x.partial-" + m_dead + "-01",
              ".x.partial-0" + m_dead + "-1",
              ".x.partial-+" + m_dead + "-1",
              ".x.partial-" + m_dead + "--1",
              ".x.partial--1-1",
              ".x.partial-" + m_dead + "-99999999999",
              "x.partial-" + m_dead + "-1",
              ".y.partial-" + m_dead + "-1",
              ".xx.partial-" + m_dead + "-1",
              ".x.partial-" + m_dead + "-1 "};
  for (std::string const& name : names) make(name);
  write("x");
  names.insert("x");
  EXPECT_EQ(m_folder.names(), names);
}

TEST_F(Leftovers, WhatIsNoRegularFileOfTheUsersAlone_Stays) {
  std::string const start = ".x.partial-" + m_dead + "-";
  fs::create_directory(m_folder / (start + "1"));
  set_age(start + "1", 25h);
  make("kept");
  fs::create_symlink(m_folder / "kept", m_folder / (start + "2"));
  fs::create_hard_link(m_folder / "kept", m_folder / (start + "3"));
  write("x");
  EXPECT_EQ(m_folder.names(), Names({"x", "kept", start + "1", start + "2", start + "3"}));
}

TEST_F(Leftovers, FilesOfAnotherUser_Stay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  std::string const name = ".x.partial-" + m_dead + "-1";
  make(name);
  ASSERT_EQ(::chown((m_folder / name).c_str(), 65534, 65534), 0);
  write("x");
  EXPECT_EQ(m_folder.names(), Names({"x", name}));
}

}  // namespace
}  // namespace kompakt::test
