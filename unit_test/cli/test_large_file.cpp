#include "slabs.hpp"

// A file of 20 GB with more than 2^32 values, in the lane `long`: almost all of it is a hole, so it takes
// little of the disk.

namespace kompakt::test {
namespace {

TEST_F(CliSlabs, FileOf20Gigabytes_KeepsThePromise) {
  constexpr std::uint64_t file_bytes = 20'000'000'000, block_bytes = std::uint64_t{1} << 20;
  std::string const block = smooth_field<float>({block_bytes / 4}).bytes;
  {
    std::ofstream x(file("x"), std::ios::binary);
    for (std::uint64_t const at : {std::uint64_t{0}, file_bytes / 2, file_bytes - block_bytes}) {
      x.seekp(static_cast<std::streamoff>(at));
      x << block;
    }
  }
  ASSERT_EQ(std::filesystem::file_size(file("x")), file_bytes);
  std::size_t peak = 0;
  Outcome const compress =
      watched({"compress", "-i", file("x"), "-t", "f32", "--shape", "5000,1000,1000", "-m", "r2r",
               "-e", "1e-3", "-o", file("x.kpk"), "--memory", "512M"},
              peak);
  ASSERT_TRUE(compress.is(Status::ok)) << compress;
#ifndef KOKKOS_ENABLE_CUDA
  EXPECT_LT(peak, std::size_t{512} << 20);
#endif
  nlohmann::json const json = info("x.kpk");
  EXPECT_EQ(json.at("original_bytes"), file_bytes);
  EXPECT_GT(json.at("frames"), 100);

  Outcome const compare = kompakt({"compare", "-i", file("x"), file("x.kpk"), "--json"});
  ASSERT_TRUE(compare.is(Status::ok)) << compare;
  EXPECT_EQ(compare.json().at("values"), file_bytes / 4);

  ASSERT_TRUE(shell("$K decompress -i x.kpk -o - | tail -c 1048576 >end").is(Status::ok));
  expect_promise(values_of<float>(block), values_of<float>(contents(file("end"))),
                 json.at("bound_abs").get<double>());
}

// One frame of more than 4 GiB, and many frames that have as much together: bits at random, which no coder makes smaller.
TEST_F(CliSlabs, StreamOfMoreThan4GiB_ComesBackBitForBit) {
  constexpr std::uint64_t count = (std::uint64_t{1} << 30) + (std::uint64_t{1} << 24) + 7;
  if (std::filesystem::space(std::filesystem::path(file("x")).parent_path()).available < 12 * count)
    GTEST_SKIP() << "there is no room for 12 GB of files";
  ASSERT_TRUE(shell("head -c " + std::to_string(4 * count) + " /dev/urandom >x").is(Status::ok));
  for (std::string const memory : {"12G", "512M"}) {
    Outcome const compress =
        kompakt({"compress", "-i", file("x"), "-t", "f32", "--shape", std::to_string(count), "-m",
                 "lossless", "-o", file("x.kpk"), "--force", "--memory", memory});
    ASSERT_TRUE(compress.is(Status::ok)) << compress;
    EXPECT_GT(std::filesystem::file_size(file("x.kpk")), std::uint64_t{1} << 32);
    Outcome const back = shell("$K decompress -i x.kpk -o - --memory " + memory + " | cmp - x");
    EXPECT_TRUE(back.is(Status::ok)) << memory << ": " << back;
  }
}

}  // namespace
}  // namespace kompakt::test
