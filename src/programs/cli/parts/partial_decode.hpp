#ifndef KOMPAKT_CLI_STEPS_HPP
#define KOMPAKT_CLI_STEPS_HPP

#include "frames.hpp"
#include "slabs.hpp"
#include "source.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kompakt::cli {

/// What is decompressed in one go: a frame, or a slab of one.
struct DecompressionStep {
  std::vector<std::byte> stream;  ///< of a frame, or what a slab needs of it
  /// In place of it, for slabs of a frame that could only be read whole.
  std::shared_ptr<std::vector<std::byte>> frame;
  FieldShape shape;           ///< of the values
  std::optional<Box> region;  ///< of the frame; none: all of it

  std::span<std::byte const> bytes() const { return frame ? *frame : stream; }
};

/// Memory that the program takes for a frame as a whole; of several frames two are in the works.
/// \param fields  of its values that there are besides what is read ahead
std::uint64_t bytes_as_a_whole(StreamInfo const& frame, int fields);

/// Reads a stream frame by frame; frames that do not fit into memory together with their fields slab by slab, which
/// random access makes possible.
class StepReader {
 public:
  /// \param input         at its first frame, of which the header may have been read
  /// \param memory_bytes  limit for all that the program needs
  /// \param fields        as those of bytes_as_a_whole()
  StepReader(StreamSource const& source, FrameReader& input, std::uint64_t memory_bytes,
             int fields = 1);

  /// The next step, in place of the one before; false behind the last.
  /// \throws Error as FrameReader; bad_argument for a frame in a pipe that leaves no room for a slab
  bool read(DecompressionStep& step);

 private:
  bool begin_frame();
  void cut();
  void read_frame(DecompressionStep& step);
  void read_slab(DecompressionStep& step);

  StreamSource const& m_source;
  FrameReader& m_input;
  std::uint64_t m_memory_bytes;
  int m_fields;
  bool m_begun;
  std::shared_ptr<std::vector<std::byte>> m_frame;  // of a pipe, while slabs of it are left
  std::optional<Slabs> m_slabs;                     // of a frame that does not fit
  std::uint64_t m_slab = 0;
};

}  // namespace kompakt::cli

#endif
