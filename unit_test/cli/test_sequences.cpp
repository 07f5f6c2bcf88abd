#include "slabs.hpp"

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

/// A file of several frames, and what can be done to it.
class CliSequences : public CliSlabs {
 protected:
  void SetUp() override {
    m_field = smooth_field<float>({61, 66, 67});
    ASSERT_TRUE(kompakt(compress(m_field, {"-m", "abs", "-e", "1e-3", "--memory", little_memory,
                                           "-c", "fixedlength"}))
                    .is(Status::ok));
    m_frames = split_frames(contents(file("x.kpk")));
    ASSERT_GE(m_frames.size(), 4u);
    put(file("out"), "old");
  }

  /// Reading these bytes must fail with one line, from a file and from a pipe; the output stays.
  void expect_corrupt(std::string const& bytes, std::string const& mention,
                      Status status = Status::corrupt) {
    put(file("bad.kpk"), bytes);
    expect_refused({"decompress", "-i", file("bad.kpk"), "-o", file("out"), "--force"}, status,
                   {"bad.kpk", mention});
    expect_refused({"info", file("bad.kpk")}, status, {"bad.kpk", mention});
    EXPECT_TRUE(kompakt({"compare", "-i", file("x"), file("bad.kpk")}).is(status));
    Outcome const piped = shell("cat bad.kpk | $K decompress -i - -o out --force");
    EXPECT_TRUE(piped.is(status)) << piped;
    EXPECT_EQ(std::count(piped.err.begin(), piped.err.end(), '\n'), 1) << piped;
    EXPECT_NE(piped.err.find("standard input"), std::string::npos) << piped;
    EXPECT_TRUE(piped.out.empty()) << piped;
    EXPECT_EQ(contents(file("out")), "old");
    EXPECT_EQ(names(), Names({"x", "x.kpk", "bad.kpk", "out"}));
  }

  std::string marked(std::string frame, FramePart const& part) const {
    mark_part(std::as_writable_bytes(std::span(frame.data(), frame.size())), part);
    return frame;
  }
  StreamInfo info_of(std::size_t frame) const { return inspect(bytes_of(m_frames[frame])); }

  LargeField m_field;
  std::vector<std::string> m_frames;
};

TEST_F(CliSequences, MissingFrame_IsCorrupt) {
  for (std::size_t const missing : {std::size_t{0}, std::size_t{2}, m_frames.size() - 1}) {
    std::vector<std::string> frames = m_frames;
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(missing));
    expect_corrupt(join_frames(frames), "frames are missing");
  }
}

TEST_F(CliSequences, FrameTwiceOrOutOfOrder_IsCorrupt) {
  std::vector<std::string> frames = m_frames;
  frames.insert(frames.begin() + 1, frames[1]);
  expect_corrupt(join_frames(frames), "frame 3 does not begin at value");
  frames = m_frames;
  std::swap(frames[1], frames[2]);
  expect_corrupt(join_frames(frames), "frame 2 does not begin at value");
  frames = m_frames;
  frames.push_back(frames.back());
  expect_corrupt(join_frames(frames), "the field is complete without it");
}

TEST_F(CliSequences, FramesOfDifferentFields_AreCorrupt) {
  struct Other {
    Words more;
    std::string mention;
  };
  for (Other const& other :
       {Other{{"-m", "abs", "-e", "2e-3", "-c", "fixedlength"}, "bound"},
        Other{{"-m", "abs", "-e", "1e-3", "-c", "fixedlength", "--no-checksum"},
              "use of checksums"},
        Other{{"-m", "abs", "-e", "1e-3", "--variant", "plain"}, "pipeline"},
        Other{{"-m", "abs", "-e", "1e-3", "-c", "huffman"}, "pipeline"}}) {
    Words more = other.more;
    more.insert(more.end(), {"--memory", little_memory});
    ASSERT_TRUE(kompakt(compress(m_field, more, "z")).is(Status::ok));
    std::vector<std::string> frames = m_frames;
    frames[1] = split_frames(contents(file("z.kpk")))[1];
    std::filesystem::remove(file("z"));
    std::filesystem::remove(file("z.kpk"));
    expect_corrupt(join_frames(frames), "frame 2 has another " + other.mention);
  }
}

TEST_F(CliSequences, WrongTotalsOrPlaces_AreCorrupt) {
  FramePart const part = info_of(1).part;
  std::vector<std::string> frames = m_frames;
  FramePart other = part;
  ++other.total[0];
  frames[1] = marked(m_frames[1], other);
  expect_corrupt(join_frames(frames), "another extents of the whole");
  other = part;
  ++other.origin[0];
  frames[1] = marked(m_frames[1], other);
  expect_corrupt(join_frames(frames), "frame 2 does not begin at value");
  // All agree on a whole that has more, or other, values.
  for (std::size_t const axis : {0, 1}) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      other = info_of(i).part;
      ++other.total[axis];
      frames[i] = marked(m_frames[i], other);
    }
    expect_corrupt(join_frames(frames),
                   axis == 0 ? "frames are missing at its end" : "not a contiguous run of values");
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    other = info_of(i).part;
    other.total[0] = 0;
    frames[i] = marked(m_frames[i], other);
  }
  expect_corrupt(join_frames(frames), "a part of a field without values");
}

TEST_F(CliSequences, WholeFieldWithMoreBehindIt_IsCorrupt) {
  ASSERT_TRUE(kompakt(compress(m_field, {"-m", "abs", "-e", "1e-3"}, "z")).is(Status::ok));
  std::string const whole = contents(file("z.kpk"));
  std::filesystem::remove(file("z"));
  std::filesystem::remove(file("z.kpk"));
  put(file("bad.kpk"), join_frames({whole, whole}));
  expect_refused({"decompress", "-i", file("bad.kpk"), "-o", file("out"), "--force"},
                 Status::corrupt, {"frame 2 follows", "complete"});
}

TEST_F(CliSequences, TruncatedAnywhere_IsCorrupt) {
  std::string const all = join_frames(m_frames);
  std::size_t const second = (m_frames[0].size() + 15) / 16 * 16;
  for (std::size_t const size :
       {m_frames[0].size() - 1, second, second + 1, second + 7, second + 63, second + 200,
        second + m_frames[1].size() - 1, all.size() - 1, all.size() - m_frames.back().size()}) {
    SCOPED_TRACE(size);
    expect_corrupt(all.substr(0, size), "");
  }
}

TEST_F(CliSequences, BytesBetweenOrBehindFrames_AreCorrupt) {
  std::string const all = join_frames(m_frames);
  std::string const behind = "bytes that are not a frame";
  expect_corrupt(all + "x", behind);
  expect_corrupt(all + std::string(16 - all.size() % 16, '\0'), behind);
  expect_corrupt(all + std::string(2000, '\0'), behind);
  std::size_t frame = 0, at = 0;  // a frame that is followed by zeros
  for (;; ++frame) {
    at = (at + 15) / 16 * 16 + m_frames[frame].size();
    if (at % 16 != 0) break;
  }
  ASSERT_LT(frame + 1, m_frames.size());
  std::string padded = all;
  padded[at] = 'x';
  expect_corrupt(padded, behind);
}

TEST_F(CliSequences, FlippedBit_IsFoundOrHarmless) {
  ASSERT_TRUE(kompakt({"decompress", "-i", file("x.kpk"), "-o", file("intact")}).is(Status::ok));
  std::string const intact = contents(file("intact")), all = contents(file("x.kpk"));
  for (std::size_t i = 0; i < all.size(); i += all.size() / 61) {
    std::string damaged = all;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    put(file("bad.kpk"), damaged);
    put(file("out"), "old");
    Outcome const outcome =
        kompakt({"decompress", "-i", file("bad.kpk"), "-o", file("out"), "--force"});
    bool const found = outcome.is(Status::bad_magic) || outcome.is(Status::unsupported_version) ||
                       outcome.is(Status::corrupt);
    EXPECT_TRUE(found || outcome.is(Status::ok)) << "byte " << i << outcome;
    EXPECT_EQ(contents(file("out")), found ? "old" : intact) << "byte " << i << outcome;
  }
}

TEST_F(CliSequences, FieldLargerThanAllowed_IsRefusedBeforeAnythingIsWritten) {
  std::size_t const bytes = m_field.bytes.size();
  std::string const less = std::to_string(bytes - 1);
  expect_refused({"decompress", "-i", file("x.kpk"), "-o", file("new"), "--max-output", less},
                 Status::buffer_too_small, {std::to_string(bytes), less});
  EXPECT_TRUE(shell("cat x.kpk | $K decompress -i - -o new --max-output " + less)
                  .is(Status::buffer_too_small));
  EXPECT_EQ(names(), Names({"x", "x.kpk", "out"}));
}

}  // namespace
}  // namespace kompakt::test
