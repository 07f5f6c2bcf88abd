#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <kompakt/archive.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/slabs.hpp>
#include <set>
#include <support/failing_new.hpp>
#include <support/wave.hpp>
#include <sys/resource.h>

#include "messages_case.hpp"

// One file from many ranks. Functions of MPI-IO are replaced by ones that can fail on one rank.

namespace kompakt::test {

namespace {

/// Which call of which function shall fail, and whether on this rank.
struct Fault {
  std::string function;
  bool here = false;
};
Fault fault;

int with_fault(char const* function, int result) {
  return fault.here && fault.function == function ? MPI_ERR_IO : result;
}

}  // namespace

}  // namespace kompakt::test

extern "C" {

int MPI_File_open(MPI_Comm comm, char const* name, int mode, MPI_Info info, MPI_File* file) {
  return kompakt::test::with_fault("open", PMPI_File_open(comm, name, mode, info, file));
}
int MPI_File_write_at(MPI_File file, MPI_Offset offset, void const* bytes, int count,
                      MPI_Datatype type, MPI_Status* status) {
  int const result = PMPI_File_write_at(file, offset, bytes, count, type, status);
  if (kompakt::test::fault.here && kompakt::test::fault.function == "short write") {
    MPI_Status_set_elements(status, MPI_BYTE, count / 2);
  }
  return kompakt::test::with_fault("write", result);
}
int MPI_File_get_size(MPI_File file, MPI_Offset* size) {
  int const result = PMPI_File_get_size(file, size);
  if (kompakt::test::fault.here && kompakt::test::fault.function == "lost write") *size /= 2;
  return kompakt::test::with_fault("get size", result);
}
int MPI_File_set_size(MPI_File file, MPI_Offset size) {
  return kompakt::test::with_fault("set size", PMPI_File_set_size(file, size));
}
int MPI_File_sync(MPI_File file) { return kompakt::test::with_fault("sync", PMPI_File_sync(file)); }

}  // extern "C"

namespace kompakt::test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t nx = 40, ny = 18, nz = 24;
constexpr std::size_t frame_bytes = 9 * ny * nz * sizeof(float);  // 8 slices in each frame

FieldShape whole_shape(Order order = Order::last_fastest) {
  return shape_from<float>({nx, ny, nz}, order);
}
FramePart whole_part() { return FramePart::whole(whole_shape()); }

/// What part of the field each rank has.
struct Parts {
  char const* name;
  std::function<Box(int rank, int ranks)> box;
};

std::size_t share(std::size_t extent, int rank, int ranks) {
  return extent * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
}
Box cut(std::size_t axis, int rank, int ranks) {
  Box box({0, 0, 0}, {nx, ny, nz});
  std::size_t const extent = box.end[axis];
  box.begin[axis] = share(extent, rank, ranks);
  box.end[axis] = share(extent, rank + 1, ranks);
  return box;
}
Box nothing() { return Box({0, 0, 0}, {0, 0, 0}); }

std::vector<Parts> all_parts() {
  return {{"slabs", [](int rank, int ranks) { return cut(0, rank, ranks); }},
          {"slabs in reverse", [](int rank, int ranks) { return cut(0, ranks - 1 - rank, ranks); }},
          {"cut along y", [](int rank, int ranks) { return cut(1, rank, ranks); }},
          {"cut along z", [](int rank, int ranks) { return cut(2, rank, ranks); }},
          {"blocks",
           [](int rank, int ranks) {
             int const ways = ranks % 2 == 0 ? 2 : 1;
             Box box = cut(0, rank / ways, ranks / ways);
             box.begin[2] = share(nz, rank % ways, ways);
             box.end[2] = share(nz, rank % ways + 1, ways);
             return box;
           }},
          {"all on the last rank",
           [](int rank, int ranks) { return rank + 1 == ranks ? cut(0, 0, 1) : nothing(); }}};
}

template <class View>
View part_view(std::vector<float> const& values, Box const& box) {
  std::vector<float> mine;
  for (std::size_t x = box.begin[0]; x < box.end[0]; ++x)
    for (std::size_t y = box.begin[1]; y < box.end[1]; ++y)
      for (std::size_t z = box.begin[2]; z < box.end[2]; ++z)
        mine.push_back(values[(x * ny + y) * nz + z]);
  return view_of<View>(mine, box.extent(0), box.extent(1), box.extent(2));
}

template <class Exec>
class MpiFiles : public testing::Test {
 protected:
  using View = Cube<Exec>;

  // The folder is that of rank 0, and goes with it.
  void SetUp() override {
    int number = static_cast<int>(::getpid());
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    folder = fs::temp_directory_path() / ("kompakt-mpi-files-" + std::to_string(number));
    if (rank == 0) fs::create_directory(folder);
    path = folder / "fields.kpk";
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    fault = {};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) fs::remove_all(folder);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  mpi::ArchiveWriter<Exec> writer(Overwrite overwrite = Overwrite::no) const {
    return {exec, MPI_COMM_WORLD, path, overwrite, {frame_bytes}};
  }
  View part(Parts const& parts) const { return part_view<View>(values, parts.box(rank, ranks)); }
  FramePart place(Parts const& parts) const {
    FramePart place = whole_part();
    place.origin = parts.box(rank, ranks).begin;
    return place;
  }
  void write(mpi::ArchiveWriter<Exec>& archive, std::string const& name, Parts const& parts) const {
    archive.write(name, {{"units", "K"}}, part(parts), place(parts), usual);
  }
  /// What one process writes slab by slab.
  std::vector<std::byte> serial_archive(Order order = Order::last_fastest) const {
    FieldShape const whole = whole_shape(order);
    Slabs const slabs(whole, frame_bytes);
    AnyCodec codec(exec);
    ConstStridedData const field(values.data(), whole, strides_of(whole_shape()));
    Options of_frames = usual;
    of_frames.range = codec.field_range(field, MemoryOf::host, usual.fill).width();
    kompakt::ArchiveWriter archive(folder / "serial.kpk", Overwrite::yes);
    archive.begin("a", {{"units", "K"}});
    for (std::uint64_t k = 0; k < slabs.count(); ++k) {
      std::vector<std::byte> room(max_compressed_bytes(slabs.shape(k), of_frames));
      auto const info = codec.compress(part_of(field, slabs.box(k)), MemoryOf::host, of_frames,
                                       room, MemoryOf::host);
      auto const stream = std::span(room).first(info.bytes);
      mark_part(stream, slabs.part(k));
      archive.add_frame(stream);
    }
    archive.end();
    archive.commit();
    return read_file(folder / "serial.kpk");
  }
  void expect_same_as_serial(char const* what, Order order = Order::last_fastest) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      EXPECT_TRUE(read_file(path) == serial_archive(order)) << what;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double abs_bound() const {
    auto const [least, most] = std::minmax_element(values.begin(), values.end());
    return usual.bound.value * (static_cast<double>(*most) - static_cast<double>(*least));
  }
  /// Nothing of a file that was not committed is left.
  void expect_empty_folder(std::string const& what) const {
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(fs::is_empty(folder)) << what;
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Exec exec;
  int rank = rank_of(), ranks = ranks_of();
  fs::path folder, path;
  std::vector<float> values = values_of<float>(whole_shape(), 1, Family::walk);
  Options usual;  // 1e-3 of the range
};
TYPED_TEST_SUITE(MpiFiles, Spaces, SpaceName);

TYPED_TEST(MpiFiles, AnyPartsOfAnyRanks_MakeTheFileOfOneProcess) {
  for (Parts const& parts : all_parts()) {
    auto archive = this->writer(Overwrite::yes);
    this->write(archive, "a", parts);
    archive.commit();
    this->expect_same_as_serial(parts.name);
  }
}

TYPED_TEST(MpiFiles, PartsWithFirstIndexFastest_MakeFieldsOfThatOrder) {
  using Left = Kokkos::View<float***, Kokkos::LayoutLeft, typename TypeParam::memory_space>;
  for (Parts const& parts : {all_parts()[0], all_parts()[4]}) {
    auto archive = this->writer(Overwrite::yes);
    Left const part = part_view<Left>(this->values, parts.box(this->rank, this->ranks));
    archive.write("a", {{"units", "K"}}, part, this->place(parts), this->usual);
    archive.commit();
    this->expect_same_as_serial(parts.name, Order::first_fastest);
  }
}

TYPED_TEST(MpiFiles, PartsWithGhostCells_MakeTheSameFile) {
  for (Parts const& parts : {all_parts()[0], all_parts()[4]}) {
    Box const box = parts.box(this->rank, this->ranks);
    typename TestFixture::View const all("with ghosts", box.extent(0) + 2, box.extent(1) + 2,
                                         box.extent(2) + 2);
    auto const inner = [](std::size_t extent) {
      return std::make_pair(std::size_t{1}, extent + 1);
    };
    auto const part =
        Kokkos::subview(all, inner(box.extent(0)), inner(box.extent(1)), inner(box.extent(2)));
    Kokkos::deep_copy(part, this->part(parts));
    auto archive = this->writer(Overwrite::yes);
    archive.write("a", {{"units", "K"}}, part, this->place(parts), this->usual);
    archive.commit();
    this->expect_same_as_serial(parts.name);
  }
}

TYPED_TEST(MpiFiles, FieldsOfASessionAndOfALaterOne_AreAllRead) {
  auto const parts = all_parts();
  {
    auto archive = this->writer();
    this->write(archive, "a", parts[0]);
    this->write(archive, "b", parts[2]);
    archive.commit();
  }
  {
    auto archive = mpi::ArchiveWriter<TypeParam>::append_to(this->exec, MPI_COMM_WORLD, this->path,
                                                            {}, {frame_bytes});
    this->write(archive, "c", parts[4]);
    archive.commit();
  }
  std::vector<float> whole(this->values.size());
  AnyCodec codec(this->exec);
  for (char const* name : {"a", "b", "c"}) {
    kompakt::ArchiveReader archive(this->path);
    EXPECT_EQ(archive.entry(name).attributes, (Attributes{{"units", "K"}}));
    EXPECT_NO_THROW(archive.read(name));  // its checksum is right
    FrameReader frames(archive.open(name));
    codec.decompress(frames, FieldData{whole.data(), whole_shape()}, MemoryOf::host);
    expect_within(this->values, whole, this->abs_bound(), name);
  }
}

TYPED_TEST(MpiFiles, ReadByOtherParts_ReturnsTheValues) {
  auto const all = all_parts();
  auto archive = this->writer();
  this->write(archive, "a", all.front());
  archive.commit();
  mpi::FieldReader reader(this->exec, MPI_COMM_WORLD, this->path, "");
  EXPECT_EQ(reader.info().shape, whole_shape());
  for (Parts const& parts : all) {
    Box const box = parts.box(this->rank, this->ranks);
    typename TestFixture::View const room("room", box.extent(0), box.extent(1), box.extent(2));
    reader.read(room, box);
    expect_within(values_in(this->part(parts)), values_in(room), this->abs_bound(), parts.name);
  }
}

TYPED_TEST(MpiFiles, ComplexNumbers_KeepTheBoundOfTheirMagnitude) {
  constexpr std::size_t size = 20000;
  Wave<TypeParam> const wave(size);
  std::size_t const begin = share(size, this->rank, this->ranks),
                    end = share(size, this->rank + 1, this->ranks);
  auto const part = Kokkos::subview(wave.view, std::make_pair(begin, end));
  FramePart place;
  place.total[0] = size;
  place.origin[0] = begin;
  Options options;
  options.bound = ErrorBound::absolute(wave.bound);
  auto archive = this->writer();
  archive.write("wave", {}, part, place, options);
  archive.commit();
  wave.clear();
  mpi::FieldReader reader(this->exec, MPI_COMM_WORLD, this->path, "wave");
  EXPECT_EQ(reader.info().shape.dtype, Dtype::c64);
  Box all;
  all.rank = 1;
  all.end[0] = size;
  reader.read(wave.view, all);
  EXPECT_GT(wave.largest_error(), 0);
  EXPECT_LE(wave.largest_error(), wave.bound);
}

TYPED_TEST(MpiFiles, ReadOfABox_ReadsOnlyWhatItTouches) {
  auto archive = this->writer();
  this->write(archive, "a", all_parts().front());
  archive.commit();
  mpi::FieldReader reader(this->exec, MPI_COMM_WORLD, this->path, "a");
  std::uint64_t const before = bytes_read();
  typename TestFixture::View const room("room", 1, 1, 1);
  reader.read(room, Box({30, 1, 1}, {31, 2, 2}));
  EXPECT_LT(bytes_read() - before, fs::file_size(this->path) / 3);
}

TYPED_TEST(MpiFiles, FailureOfAnyCallOnAnyRank_FailsOnAllAndLeavesNothing) {
  for (char const* function :
       {"open", "write", "short write", "get size", "lost write", "set size", "sync"}) {
    for (int const bad : std::set<int>{0, this->ranks - 1}) {
      SCOPED_TRACE(function);
      {
        auto archive = this->writer();
        fault = {function, this->rank == bad};
        expect_error(Status::io, "rank " + std::to_string(bad) + ": MPI-IO cannot",
                     [&] { this->write(archive, "a", all_parts()[2]); });
        fault = {};
        expect_error(Status::io, "an earlier call", [&] { archive.commit(); });
      }
      this->expect_empty_folder(function);
    }
  }
}

TYPED_TEST(MpiFiles, FailureWhileAppending_LeavesTheArchiveAsItWas) {
  auto archive = this->writer();
  this->write(archive, "a", all_parts()[0]);
  archive.commit();
  std::vector<std::byte> const before = read_file(this->path);
  for (char const* function : {"write", "sync"}) {
    {
      auto more = mpi::ArchiveWriter<TypeParam>::append_to(this->exec, MPI_COMM_WORLD, this->path,
                                                           {}, {frame_bytes});
      fault = {function, this->rank == this->ranks - 1};
      EXPECT_THROW(this->write(more, "b", all_parts()[2]), Error);
      fault = {};
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(read_file(this->path) == before) << function;
  }
}

// MPI-IO itself meets the limit: what a full disk does to it.
TYPED_TEST(MpiFiles, DiskThatIsFull_FailsOnAll) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  rlimit const low{4096, old.rlim_max};
  {
    auto archive = this->writer();
    ::setrlimit(RLIMIT_FSIZE, &low);
    expect_error(Status::io, "fields.kpk", [&] { this->write(archive, "a", all_parts()[0]); });
    ::setrlimit(RLIMIT_FSIZE, &old);
  }
  this->expect_empty_folder("full disk");
}

#ifndef __CUDACC__
// A rank runs out of memory at one allocation after the other: all others end, too, and nothing is left.
TYPED_TEST(MpiFiles, RankWithoutMemory_FailsOnAllAndLeavesNothing) {
  auto const part = this->part(all_parts()[2]);
  FramePart const place = this->place(all_parts()[2]);
  int const bad = this->ranks - 1;
  for (long left = 0;; left = left < 20 ? left + 1 : left * 5 / 4) {
    SCOPED_TRACE("after " + std::to_string(left));
    std::string failure;
    {
      auto archive = this->writer();
      fail_after(this->rank == bad ? left : -1);
      try {
        archive.write("a", {}, part, place, this->usual);
      } catch (Error const& error) {
        failure = error.what();
      }
      fail_after(-1);
    }
    this->expect_empty_folder("no memory");
    int const mine = failure.empty() ? 0 : 1;
    int all = 0, any = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(all, any);
    if (any == 0) {
      EXPECT_GT(left, 10) << "nothing has failed";
      break;
    }
    EXPECT_EQ(failure.find("rank " + std::to_string(bad) + ": "), 0u) << failure;
    ASSERT_LT(left, 5000);
  }
}
#endif

TYPED_TEST(MpiFiles, WhatCannotBeWritten_IsRefusedOnAll) {
  auto const slabs = all_parts().front();
  auto const refused = [&](std::string const& words, auto const& change) {
    auto part = this->part(slabs);
    FramePart place = this->place(slabs);
    Options options = this->usual;
    change(part, place, options);
    auto archive = this->writer();
    expect_error(Status::bad_argument, words,
                 [&] { archive.write("a", {}, part, place, options); });
  };
  int const bad = this->ranks - 1;
  std::string const name = "rank " + std::to_string(bad);
  bool const mine = this->rank == bad;
  refused(name + ": options: the bound -1", [&](auto&, auto&, Options& options) {
    if (mine) options.bound.value = -1;
  });
  refused("does not lie in the field", [&](auto&, FramePart& place, Options&) {
    if (mine) place.origin[1] = 5;
  });
  refused("the parts of the ranks have", [&](auto& part, auto&, auto&) {
    if (mine) part = typename TestFixture::View("less", part.extent(0), ny - 1, nz);
  });
  if (this->ranks > 1) {
    refused("each value must belong to one rank", [&](auto& part, FramePart& place, auto&) {
      if (mine) place.origin[0] -= 1;
      static_cast<void>(part);
    });
    refused("options differ", [&](auto&, auto&, Options& options) {
      if (mine) options.pipeline = Pipeline::huffman;
    });
    refused("options differ", [&](auto&, auto&, Options& options) {
      options.fill = FillValue::of(7);
      if (mine) options.fill = options.fill.with(8);
    });
    refused("extents of the field differ", [&](auto&, FramePart& place, auto&) {
      if (mine) place.total[0] += 8;
    });
  }
  expect_error(Status::bad_argument, "frame_bytes of 5", [&] {
    mpi::ArchiveWriter(this->exec, MPI_COMM_WORLD, this->path, Overwrite::no, {5});
  });
  this->expect_empty_folder("refused");
}

TYPED_TEST(MpiFiles, NamesThatCannotBeUsed_AreRefusedOnAll) {
  auto const slabs = all_parts().front();
  {
    auto archive = this->writer();
    this->write(archive, "a", slabs);
    expect_error(Status::bad_argument, "rank 0: ArchiveWriter: there is already a field 'a'",
                 [&] { this->write(archive, "a", slabs); });
  }
  this->expect_empty_folder("name");
  expect_error(Status::io, "rank 0: ", [&] {
    mpi::ArchiveWriter(this->exec, MPI_COMM_WORLD, this->folder / "none" / "x.kpk", Overwrite::no);
  });
  expect_error(Status::io, "",
               [&] { mpi::FieldReader(this->exec, MPI_COMM_WORLD, this->path, "a"); });
}

TYPED_TEST(MpiFiles, AnotherFileOfTheSameSize_IsRefusedOnAll) {
  auto archive = this->writer();
  this->write(archive, "a", all_parts()[0]);
  archive.commit();
  fs::path const other = this->folder / "other.kpk";
  MPI_Barrier(MPI_COMM_WORLD);
  if (this->rank == 0) fs::copy_file(this->path, other);
  MPI_Barrier(MPI_COMM_WORLD);
  if (this->ranks == 1) return;
  // As if it had got the name meanwhile.
  expect_error(Status::io, "was written anew while the ranks opened it", [&] {
    mpi::FieldReader(this->exec, MPI_COMM_WORLD, this->rank == 0 ? this->path : other, "a");
  });
}

TYPED_TEST(MpiFiles, DamageInOneFrame_FailsOnAllThatReadIt) {
  auto archive = this->writer();
  this->write(archive, "a", all_parts()[0]);
  archive.commit();
  MPI_Barrier(MPI_COMM_WORLD);
  if (this->rank == 0) {
    std::vector<std::byte> bytes = read_file(this->path);
    ArchiveEntry const entry = kompakt::ArchiveReader(this->path).entry("a");
    bytes[entry.offset + entry.bytes - 3] ^= std::byte{1};
    write_file(this->path, bytes, Overwrite::yes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  mpi::FieldReader reader(this->exec, MPI_COMM_WORLD, this->path, "a");
  Box const box = cut(0, this->rank, this->ranks);
  typename TestFixture::View const room("room", box.extent(0), ny, nz);
  expect_error(Status::corrupt, "rank " + std::to_string(this->ranks - 1),
               [&] { reader.read(room, box); });
}

}  // namespace

}  // namespace kompakt::test
