#include "target.hpp"

#include <filesystem>
#include <kompakt/archive.hpp>
#include <kompakt/frames.hpp>
#include <unistd.h>

// An archive in memory: its index, attributes, and the streams of all its fields.

namespace kompakt::fuzz {

void take(std::span<std::byte const> bytes) {
  succeeds([&] {
    ArchiveReader reader(InputFile::of_memory(bytes));
    for (ArchiveEntry const& entry : reader.entries()) {
      succeeds([&] { take_stream(reader.read(entry.name)); });
      succeeds([&] {
        FrameReader frames(reader.open(entry.name));
        while (frames.next()) frames.skip();
      });
    }
  });
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> const streams = stream_seeds(), small = small_stream_seeds();
  auto const path = std::filesystem::temp_directory_path() / ("fuzz_" + std::to_string(getpid()));
  {
    ArchiveWriter writer(path, Overwrite::yes);
    for (std::size_t i = 0; i < streams.size(); i += 11) {
      writer.append("field" + std::to_string(i), {{"units", "K"}, {"long_name", "a field"}},
                    streams[i]);
      writer.append("small" + std::to_string(i), {}, small[i % small.size()]);
    }
    writer.commit();
  }
  {
    ArchiveWriter writer = ArchiveWriter::append_to(path);
    writer.remove("field11");
    writer.remove("small11");
    writer.append("later", {}, streams[5]);
    writer.append("long", {}, long_stream_seed());
    writer.append("behind", {}, small[0]);  // in a bundle that the index repeats
    writer.commit();
  }
  InputFile file(path);
  Bytes whole(*file.bytes());
  file.read(whole);
  std::filesystem::remove(path);
  return {whole};
}

void repair(Bytes& bytes) { repair_archive(bytes); }

}  // namespace kompakt::fuzz
