#include "limited_memory.hpp"
#include "slabs.hpp"
#include <cli/parts/memory_limits.hpp>

namespace kompakt::test {
namespace {

/// A made-up /proc and /sys.
class MemoryLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    write("proc/meminfo", "MemTotal:  2000000 kB\nMemFree:  10 kB\nMemAvailable:    1000000 kB\n");
    write("proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max address space         unlimited            unlimited            bytes     \n");
    write("proc/self/status", "Name:\tkompakt\nVmSize:\t  100000 kB\n");
  }

  void write(std::string const& path, std::string const& text) const {
    std::filesystem::create_directories((m_root / path).parent_path());
    put(m_root / path, text);
  }
  void expect(std::uint64_t bytes, std::string const& source) const {
    cli::MemoryLimit const limit = cli::free_host_memory(m_root.path());
    EXPECT_EQ(limit.bytes, bytes);
    EXPECT_EQ(limit.source, source);
  }
  void mount_version_1(std::string const& root_group, std::string const& own) const {
    write("proc/self/cgroup", "9:cpu:/elsewhere\n4:memory,pids:" + own + "\n0::/\n");
    write("proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
          "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
          "35 31 0:32 " +
              root_group +
              " /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory,pids\n");
  }
  void mount_version_2(std::string const& root_group, std::string const& own) const {
    write("proc/self/cgroup", "0::" + own + "\n");
    write("proc/self/mountinfo",
          "29 22 0:26 " + root_group + " /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void limit_1(std::string const& folder, std::uint64_t limit, std::uint64_t usage) const {
    std::string const path = "sys/fs/cgroup/memory" + folder;
    write(path + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    write(path + "/memory.usage_in_bytes", std::to_string(usage) + "\n");
  }
  void limit_2(std::string const& folder, std::string const& limit, std::uint64_t usage) const {
    std::string const path = "sys/fs/cgroup" + folder;
    write(path + "/memory.max", limit + "\n");
    write(path + "/memory.current", std::to_string(usage) + "\n");
  }

  TemporaryFolder const m_root;
};

constexpr std::uint64_t available = 1000000 * 1024ull;

TEST_F(MemoryLimits, WithoutOthers_WhatTheMachineHasCounts) {
  expect(available, "MemAvailable");
  mount_version_1("/", "/job");
  limit_1("/job", 9223372036854771712u, 5000);  // unlimited, as version 1 says it
  limit_1("", 9223372036854771712u, 5000);
  expect(available, "MemAvailable");
  mount_version_2("/", "/job");
  limit_2("/job", "max", 5000);
  expect(available, "MemAvailable");
}

TEST_F(MemoryLimits, OwnControlGroup_LeavesItsLimitLessWhatIsUsed) {
  mount_version_2("/", "/user/job");
  limit_2("/user/job", "500000000", 100000000);
  expect(400000000, "cgroup /user/job");
  limit_2("/user/job", "500000000", 600000000);
  expect(0, "cgroup /user/job");
  mount_version_1("/", "/user/job");
  limit_1("/user/job", 300000000, 100000000);
  expect(200000000, "cgroup /user/job");
}

TEST_F(MemoryLimits, GroupAroundTheOwnOne_CountsIfItLeavesLess) {
  mount_version_2("/", "/user/job/step");
  limit_2("/user/job/step", "max", 1000);
  limit_2("/user/job", "600000000", 1000);
  limit_2("/user", "500000000", 200000000);
  expect(300000000, "cgroup /user");
  mount_version_1("/", "/user/job/step");
  limit_1("/user/job/step", 400000000, 1000000);
  limit_1("/user/job", 300000000, 250000000);
  expect(50000000, "cgroup /user/job");
}

TEST_F(MemoryLimits, FileCaches_CountAsFree) {
  mount_version_2("/", "/job");
  limit_2("/job", "500000000", 450000000);
  write("sys/fs/cgroup/job/memory.stat",
        "anon 1\nfile 4\ninactive_anon 7\ninactive_file 300000000\nactive_file 50000000\n");
  expect(400000000, "cgroup /job");
  mount_version_1("/", "/job");
  limit_1("/job", 500000000, 450000000);
  write("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file 100000000\ntotal_active_file 20000000\n");
  expect(170000000, "cgroup /job");
}

TEST_F(MemoryLimits, ContainerThatSeesItsOwnGroupAlone_HasTheLimitOfThat) {
  for (std::string const root : {"/docker/abc", "/docker/other", "/../.."}) {
    mount_version_1(root, "/docker/abc");
    limit_1("", 300000000, 100000000);
    expect(200000000, "cgroup " + root);
  }
  mount_version_2("/", "/");
  limit_2("", "700000000", 100000000);
  expect(600000000, "cgroup /");
}

TEST_F(MemoryLimits, AddressSpace_CountsLessWhatIsTakenAndWhatThreadsReserve) {
  write("proc/self/limits",
        "Max file size             unlimited            unlimited            bytes     \n"
        "Max address space         716800000            unlimited            bytes     \n");
  expect(716800000 - 102400000 - (128u << 20), "RLIMIT_AS");
}

TEST_F(MemoryLimits, FilesThatMakeNoSense_AreNotBelieved) {
  mount_version_2("/", "/job");
  limit_2("/job", "", 1);
  write("sys/fs/cgroup/job/memory.stat", "inactive_file\n\n");
  write("proc/self/limits", "Max address space\n");
  expect(available, "MemAvailable");
  write("proc/self/mountinfo", "29 22\n\n - \n29 22 0:26 / /sys/fs/cgroup rw cgroup2\n");
  write("proc/self/cgroup", "memory\n::\n:\n4:memory\n0:\n");
  expect(available, "MemAvailable");
}

/// Streams of one frame that are larger than what the program may use.
class CliMemory : public CliSlabs {
 protected:
  /// Decompresses x.kpk within little memory, from a file and from a pipe, and as a whole.
  void expect_same_field() const {
    for (std::string const how :
         {"$K decompress -i x.kpk -o slabs", "cat x.kpk | $K decompress -i - -o slabs"}) {
      Outcome const outcome = shell(how + " --force --json --memory 34M");
      ASSERT_TRUE(outcome.is(Status::ok)) << how << outcome;
      EXPECT_EQ(outcome.json().at("memory_bytes"), 34u << 20);
      EXPECT_EQ(outcome.json().at("memory_limit"), "--memory");
      Outcome const whole = shell("$K decompress -i x.kpk -o whole --force && cmp whole slabs");
      EXPECT_TRUE(whole.is(Status::ok)) << how << whole;
    }
    Outcome const compare = shell("$K compare -i whole x.kpk --memory 34M");
    EXPECT_TRUE(compare.is(Status::ok)) << compare;
  }
};

TEST_F(CliMemory, FrameThatDoesNotFit_IsDecompressedSlabBySlab) {
  for (std::vector<std::size_t> const& extents : std::initializer_list<std::vector<std::size_t>>{
           {500001}, {1, 500001}, {701, 733}, {70, 85, 97}, {3, 23, 65, 97}, {2, 250001}}) {
    LargeField const field = smooth_field<float>(extents);
    for (std::string const pipeline : {"fixedlength", "bitshuffle", "huffman", "rans"}) {
      SCOPED_TRACE(field.shape_word() + " " + pipeline);
      Words const more = {"-m", "abs", "-e", "1e-3", "-c", pipeline, "--force"};
      ASSERT_TRUE(kompakt(compress(field, more)).is(Status::ok));
      expect_same_field();
    }
  }
}

TEST_F(CliMemory, FramesLargerThanTheMemory_AreDecompressedSlabBySlab) {
  LargeField const field = smooth_field<double>({130, 85, 97});
  ASSERT_TRUE(
      kompakt(compress(field, {"-m", "r2r", "-e", "1e-5", "--memory", "38M"})).is(Status::ok));
  ASSERT_GE(split_frames(contents(file("x.kpk"))).size(), 3u);
  expect_same_field();
}

TEST_F(CliMemory, FieldInTheOtherOrder_IsDecompressedSlabBySlab) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> const field("field", 97, 85, 70);
  for (std::size_t i = 0; i < field.size(); ++i) {
    field.data()[i] = static_cast<float>(std::sin(1e-3 * static_cast<double>(i)));
  }
  CompressedStream<Kokkos::HostSpace> stream;
  Workspace<Host> workspace{Host()};
  kompakt::compress(Host(), field, {}, workspace, stream);
  put(file("x.kpk"), {reinterpret_cast<char const*>(stream.bytes().data()), stream.bytes().size()});
  expect_same_field();
}

TEST_F(CliMemory, StreamInAPipeThatLeavesNoRoom_IsRefusedWithWhatItTakes) {
  LargeField const field = random_field<float>({500001});
  ASSERT_TRUE(kompakt(compress(field, {"-m", "lossless"})).is(Status::ok));
  Outcome const outcome = shell("cat x.kpk | $K decompress -i - -o new --memory 33M");
  EXPECT_TRUE(outcome.is(Status::bad_argument)) << outcome;
  EXPECT_NE(outcome.err.find("--memory of at least 36"), std::string::npos) << outcome;
  EXPECT_TRUE(shell("$K decompress -i x.kpk -o new --memory 33M && cmp x new").is(Status::ok));
}

TEST_F(CliMemory, DecompressingAndComparingOneFrame_NeedNoMoreThanTheLimit) {
  if (auto const why = why_memory_is_not_ours()) GTEST_SKIP() << why;
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  LargeField const field = smooth_field<float>({100, 512, 512});
  for (std::string const pipeline : {"fixedlength", "huffman"}) {
    ASSERT_TRUE(kompakt(compress(field, {"-m", "abs", "-e", "1e-3", "-c", pipeline, "--force"}))
                    .is(Status::ok));
    std::size_t peak = 0;
    Outcome const outcome = watched(
        {"decompress", "-i", file("x.kpk"), "-o", file("y"), "--force", "--memory", "64M"}, peak);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_GT(peak, std::size_t{4} << 20);
    EXPECT_LT(peak, std::size_t{64} << 20);
    peak = 0;
    Outcome const compare =
        watched({"compare", "-i", file("x"), file("x.kpk"), "--memory", "64M"}, peak);
    EXPECT_TRUE(compare.is(Status::ok)) << compare;
    EXPECT_GT(peak, std::size_t{4} << 20);
    EXPECT_LT(peak, std::size_t{64} << 20);
  }
}

// In parts and as a whole, with values that break the bound and without.
TEST_F(CliMemory, FrameThatDoesNotFit_IsComparedSlabBySlab) {
  for (std::vector<std::size_t> const& extents : std::initializer_list<std::vector<std::size_t>>{
           {500001}, {701, 733}, {70, 85, 97}, {3, 23, 65, 97}}) {
    LargeField field = smooth_field<float>(extents);
    std::size_t const size = field.bytes.size() / 4;
    auto const set = [&](std::size_t position, float value) {
      std::memcpy(field.bytes.data() + 4 * position, &value, 4);
    };
    for (std::size_t i = 0; i < size / 3; ++i) set(size / 5 + i, 1e20f);  // all of some slabs
    ASSERT_TRUE(kompakt(compress(field, {"-m", "r2r", "-e", "1e-3", "--force"})).is(Status::ok));
    for (std::size_t const wrong : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
      SCOPED_TRACE(field.shape_word() + " " + std::to_string(wrong));
      for (std::size_t i = 0; i < wrong; ++i) set(size - 7 - i * size / 8, 77);
      put(file("x"), field.bytes);
      Outcome const whole = shell("$K compare -i x x.kpk --json");
      Outcome const parts = shell("$K compare -i x x.kpk --json --memory 34M");
      EXPECT_EQ(parts.exit_code, whole.exit_code) << parts;
      EXPECT_TRUE(parts.is(wrong == 0 ? Status::ok : Status::bound_violated)) << parts;
      EXPECT_EQ(parts.err, whole.err);
      nlohmann::json one = whole.json(), sum = parts.json();
      EXPECT_TRUE(one.at("pearson").is_number());
      EXPECT_TRUE(sum.at("pearson").is_null());
      for (char const* const key : {"mean_error", "rmse", "nrmse", "psnr_db"}) {
        double const expected = one.at(key);
        EXPECT_NEAR(sum.at(key), expected, 1e-9 * std::abs(expected)) << key;
        one.erase(key);
        sum.erase(key);
      }
      one.erase("pearson");
      sum.erase("pearson");
      EXPECT_EQ(sum, one);
    }
  }
}

TEST_F(CliMemory, IntegersOfABytePerValue_TakeLittleMoreThanFieldAndStream) {
  if (auto const why = why_memory_is_not_ours()) GTEST_SKIP() << why;
  std::size_t const bytes = std::size_t{64} << 20;
  put(file("x"), "");
  std::filesystem::resize_file(file("x"), bytes);
  for (Words const& words : {Words{"compress", "-i", file("x"), "-t", "u8", "--shape",
                                   "64,1024,1024", "-m", "lossless", "-o", file("x.kpk")},
                             Words{"decompress", "-i", file("x.kpk"), "-o", file("y")}}) {
    std::size_t peak = 0;
    Outcome const outcome = watched(words, peak);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_GT(peak, std::size_t{4} << 20);
    EXPECT_LT(peak, 2 * bytes) << words[0];
  }
  EXPECT_EQ(info("x.kpk").at("frames"), 1);
}

TEST_F(CliMemory, LittleAddressSpace_IsUsedSlabBySlab) {
  if (auto const why = why_memory_is_not_ours()) GTEST_SKIP() << why;
  put(file("x"), "");
  std::filesystem::resize_file(file("x"), 400 << 20);
  std::string const start = "(ulimit -s 8192; ulimit -v 500000; export OMP_NUM_THREADS=2; ";
  Outcome const outcome =
      shell(start +
            "$K compress -i x -t f32 --shape 400,512,512 -m abs -e 1e-3 -c fixedlength -o x.kpk "
            "--json)");
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(outcome.json().at("memory_limit"), "RLIMIT_AS");
  EXPECT_GT(outcome.json().at("frames"), 1);
  ASSERT_TRUE(shell("$K compress -i x -t f32 --shape 400,512,512 -m abs -e 1e-3 -c fixedlength -o "
                    "x.kpk --force --memory 2G")
                  .is(Status::ok));
  EXPECT_EQ(info("x.kpk").at("frames"), 1);
  Outcome const back = shell(start + "$K decompress -i x.kpk -o y) && cmp x y");
  EXPECT_TRUE(back.is(Status::ok)) << back;
}

}  // namespace
}  // namespace kompakt::test
