#include "limited_memory.hpp"
#include "slabs.hpp"

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

class CliThreads : public CliSlabs {
 protected:
  void SetUp() override {
    put(file("x"), smooth_field<float>({61, 66, 67}).bytes);
    ASSERT_TRUE(shell("$K " + m_compress).is(Status::ok));
    ASSERT_TRUE(shell("cp y.kpk x.kpk").is(Status::ok));
  }

  std::string const m_compress =
      "compress -i x -t f32 --shape 61,66,67 -m abs -e 1e-3 -c fixedlength -o y.kpk --force ";
  Words const m_verbs{m_compress, "decompress -i x.kpk -o z --force ",
                      "extract -i x.kpk --roi 3,:,: -o z --force ", "compare -i x x.kpk "};
};

TEST_F(CliThreads, MoreThanKokkosHasPlacesFor_AreRefused) {
  for (std::string const& verb : m_verbs) {
    for (std::string const count : {"513", "600", "1024", "99999999999"}) {
      Outcome const outcome = shell("timeout 60 $K " + verb + "--threads " + count);
      EXPECT_TRUE(outcome.is(Status::bad_argument)) << verb << outcome;
      EXPECT_NE(outcome.err.find("--threads: " + count), std::string::npos) << outcome;
    }
  }
  EXPECT_EQ(names(), Names({"x", "x.kpk", "y.kpk"}));
}

TEST_F(CliThreads, MoreInTheEnvironment_BecomeAsManyAsAreThereWithANote) {
  for (std::string const& verb : m_verbs) {
    for (std::string const variable : {"OMP_NUM_THREADS=600", "KOKKOS_NUM_THREADS=514"}) {
      for (std::string const space : {"", "--exec serial"}) {
        Outcome const outcome = shell(variable + " timeout 60 $K " + verb + space);
        EXPECT_TRUE(outcome.is(Status::ok)) << verb << variable << outcome;
        EXPECT_NE(outcome.err.find("note"), std::string::npos) << outcome;
      }
    }
  }
  EXPECT_EQ(contents(file("y.kpk")), contents(file("x.kpk")));
  Outcome const limited = shell("OMP_NUM_THREADS=600 OMP_THREAD_LIMIT=2 $K " + m_compress);
  EXPECT_TRUE(limited.is(Status::ok)) << limited;
  EXPECT_TRUE(limited.err.empty()) << limited;
}

TEST_F(CliThreads, MoreThanOpenMPAllows_AreRefused) {
  for (std::string const& verb : m_verbs) {
    Outcome const outcome = shell("OMP_THREAD_LIMIT=2 timeout 60 $K " + verb + "--threads 4");
    EXPECT_TRUE(outcome.is(Status::bad_argument)) << verb << outcome;
    EXPECT_NE(outcome.err.find("--threads: 4 threads are not possible: OMP_THREAD_LIMIT allows 2"),
              std::string::npos)
        << outcome;
  }
  EXPECT_EQ(names(), Names({"x", "x.kpk", "y.kpk"}));
}

TEST_F(CliThreads, ThreadsThatOpenMPMayNotGive_LeaveNoValueUndone) {
  std::string const environments[] = {
      "OMP_DYNAMIC=true $K V --threads 4", "KOKKOS_NUM_THREADS=4 OMP_DYNAMIC=true $K V",
      "KOKKOS_NUM_THREADS=4 OMP_THREAD_LIMIT=2 $K V", "OMP_NUM_THREADS=30000 $K V"};
  ASSERT_TRUE(shell("$K decompress -i x.kpk -o w --exec serial").is(Status::ok));
  for (std::string const& how : environments) {
    for (std::string const& verb : m_verbs) {
      std::string line = how;
      line.replace(line.find('V', line.find("$K")), 1, verb);
      Outcome const outcome = shell("rm -f y.kpk z; timeout 60 env " + line);
      EXPECT_TRUE(outcome.is(Status::ok)) << line << outcome;
      if (verb == m_compress) {
        EXPECT_EQ(contents(file("y.kpk")), contents(file("x.kpk"))) << line;
      }
      if (verb.starts_with("decompress")) {
        EXPECT_EQ(contents(file("z")), contents(file("w"))) << line;
      }
    }
  }
}

TEST_F(CliThreads, NoActiveLevelsOfOpenMP_AreALine) {
  std::filesystem::remove(file("y.kpk"));
  for (std::string const& verb : m_verbs) {
    Outcome const outcome = shell("OMP_MAX_ACTIVE_LEVELS=0 timeout 60 $K " + verb + "--threads 2");
    EXPECT_TRUE(outcome.is(Status::device)) << verb << outcome;
    EXPECT_NE(outcome.err.find("omp_get_max_active_levels() is 0"), std::string::npos) << outcome;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
  }
  EXPECT_EQ(names(), Names({"x", "x.kpk"}));
}

TEST_F(CliThreads, VariablesThatKokkosDoesNotTake_AreALineAndLeaveNothing) {
  std::filesystem::remove(file("y.kpk"));
  for (std::string const variable :
       {"KOKKOS_NUM_THREADS=abc", "KOKKOS_NUM_THREADS=0", "KOKKOS_NUM_THREADS=-3",
        "KOKKOS_NUM_THREADS=", "KOKKOS_NUM_THREADS=600x", "KOKKOS_NUM_THREADS=99999999999",
        "KOKKOS_DEVICE_ID=abc", "KOKKOS_DEVICE_ID=-1", "KOKKOS_MAP_DEVICE_ID_BY=foo",
        "KOKKOS_DISABLE_WARNINGS=foo", "KOKKOS_PRINT_CONFIGURATION=", "KOKKOS_TUNE_INTERNALS=2"}) {
    for (std::string const& verb : m_verbs) {
      for (std::string const threads : {"", "--threads 2"}) {
        Outcome const outcome = shell(variable + " timeout 60 $K " + verb + threads);
        std::string const start = "kompakt: '" + variable + "' is ";
        EXPECT_TRUE(outcome.is(Status::bad_argument)) << verb << variable << outcome;
        EXPECT_EQ(outcome.err.substr(0, start.size()), start);
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
      }
    }
  }
  EXPECT_EQ(names(), Names({"x", "x.kpk"}));
  EXPECT_TRUE(shell("KOKKOS_NUM_THREADS=abc $K info x.kpk").is(Status::ok));  // needs no Kokkos
}

TEST_F(CliThreads, VariablesThatKokkosTakes_ChangeNoByte) {
  for (std::string const variable :
       {"KOKKOS_NUM_THREADS=' 2 '", "KOKKOS_DEVICE_ID=0", "KOKKOS_MAP_DEVICE_ID_BY=random",
        "KOKKOS_DISABLE_WARNINGS=No", "KOKKOS_PRINT_CONFIGURATION=1",
        "KOKKOS_TUNE_INTERNALS=FALSE"}) {
    Outcome const outcome = shell(variable + " $K " + m_compress + " && cmp x.kpk y.kpk");
    EXPECT_TRUE(outcome.is(Status::ok)) << variable << outcome;
    Outcome const piped = shell(variable +
                                " $K decompress -i x.kpk -o - 2>/dev/null >z && "
                                "$K decompress -i x.kpk -o w --force --quiet && cmp z w");
    EXPECT_TRUE(piped.is(Status::ok)) << variable << piped;
  }
}

TEST_F(CliThreads, MoreThanTheSystemStarts_AreALineAndLeaveNothing) {
  if (auto const why = why_memory_is_not_ours()) GTEST_SKIP() << why;
  std::filesystem::remove(file("y.kpk"));
  for (std::string const how : {"OMP_NUM_THREADS=1 $K V --threads 400", "OMP_NUM_THREADS=400 $K V",
                                "OMP_NUM_THREADS=400 $K V --exec serial"}) {
    for (std::string const& verb : m_verbs) {
      std::string line = "ulimit -s 8192; ulimit -v 700000; " + how;
      line.replace(line.find('V', line.find("$K")), 1, verb);
      Outcome const outcome = shell("(" + line + ")");
      EXPECT_TRUE(outcome.is(Status::device)) << line << outcome;
      EXPECT_EQ(outcome.err.substr(0, 22), "kompakt: cannot start ") << outcome;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome;
    }
  }
  EXPECT_EQ(names(), Names({"x", "x.kpk"}));
}

}  // namespace
}  // namespace kompakt::test
