#include "frames.hpp"
#include "files.hpp"

namespace kompakt::cli {

namespace {

/// work(), with advice behind its messages.
template <class Work>
auto advising(Work const& work) {
  try {
    return work();
  } catch (Error const& error) {
    throw with_advice(error, advice_for(error.status()));
  }
}

}  // namespace

FrameReader::FrameReader(StreamSource const& source)
    : kompakt::FrameReader(source.open(), source.label()) {}

bool FrameReader::next() {
  return advising([&] {
    try {
      return kompakt::FrameReader::next();
    } catch (Error const& error) {
      // An archive; one in a file has been recognised before.
      if (error.status() != Status::bad_argument) throw;
      throw Error(error.status(),
                  "'standard input': it is an archive, which cannot be read from a pipe, because "
                  "its index is at its end",
                  "write it into a file and name that");
    }
  });
}

void FrameReader::read(std::vector<std::byte>& stream) {
  advising([&] { kompakt::FrameReader::read(stream); });
}

void FrameReader::skip() {
  advising([&] { kompakt::FrameReader::skip(); });
}

FrameSequence scan_frames(StreamSource const& source) {
  FrameReader reader(source);
  while (reader.next()) reader.skip();
  return reader.sequence();
}

}  // namespace kompakt::cli
