#include <kompakt/compress.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_files.hpp>
#include <string>

#include "engine.hpp"
#include "frame_plan.hpp"
#include "frame_values.hpp"
#include "own_failure.hpp"
#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

constexpr std::size_t least_frame_bytes = std::size_t{1} << 10,
                      max_frame_bytes = std::size_t{1} << 30;  // a message counts in int

void require_usable(FileOptions const& options) {
  if (options.frame_bytes >= least_frame_bytes && options.frame_bytes <= max_frame_bytes) return;
  throw Error(
      Status::bad_argument, "ArchiveWriter",
      "frame_bytes of " + std::to_string(options.frame_bytes) + " cannot be used",
      "give " + std::to_string(least_frame_bytes) + " to " + std::to_string(max_frame_bytes));
}

RankPart rank_part_of(FieldSource const& part, FramePart const& place, Options const& options,
                      std::size_t frame_bytes) {
  validate(options);
  FramePart used;  // indices that the field does not have may say anything
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.shape.rank); ++i) {
    used.origin[i] = place.origin[i];
    used.total[i] = place.total[i];
  }
  return {part.shape, used, options, frame_bytes};
}

void add_frame(AnyCodec& codec, FramePlan const& plan, FrameValues const& values,
               std::uint64_t frame, Options const& options, FrameBlock& block) {
  Slabs const& slabs = plan.slabs();
  auto const room = block.room(max_compressed_bytes(slabs.shape(frame), options));
  StreamInfo info =
      codec.compress(values.of(frame), values.memory_of(frame), options, room, MemoryOf::host);
  if (slabs.count() > 1) info = mark_part(room.first(info.bytes), slabs.part(frame));
  block.add(info);
}

}  // namespace

SharedFields::SharedFields(AnyCodec codec, MPI_Comm comm,
                           std::function<kompakt::ArchiveWriter()> const& open,
                           FileOptions const& options)
    : SharedFields(Messages(std::move(codec), comm, MessageOptions()), comm, open, options) {}
SharedFields::SharedFields(Messages messages, MPI_Comm comm,
                           std::function<kompakt::ArchiveWriter()> const& open,
                           FileOptions const& options)
    : m_options(options),
      m_messages(std::move(messages)),
      m_output(
          comm,
          [&] {
            require_usable(options);
            return open();
          },
          options.hints) {}

StreamInfo SharedFields::write(std::string_view name, Attributes const& attributes,
                               FieldSource const& part, FramePart const& place,
                               Options const& options) {
  Engine& engine = *m_messages.engine();
  Communicator const& comm = engine.collective;
  RankPart const mine =
      together(comm, [&] { return rank_part_of(part, place, options, m_options.frame_bytes); });
  std::vector<RankPart> const rank_parts = values_of_all(comm, mine);
  FramePlan const plan = together(comm, [&] { return FramePlan(rank_parts, comm.rank()); });
  Options const resolved = m_messages.agreed(part, options);
  m_output.begin(name, attributes);

  ConstStridedData ordered = part;
  ordered.shape.order = plan.slabs().whole().order;
  FrameValues values(engine.codec.space(), engine.pieces, plan, ordered, memory_of(part.access));
  m_block.clear();
  OwnFailure failure;
  for (std::uint64_t round = 0; round < plan.rounds(); ++round) {
    values.exchange(round, failure.get());
    auto const frame = plan.frame(static_cast<std::size_t>(comm.rank()), round);
    if (!frame || failure) continue;
    failure.guard([&] { add_frame(engine.codec, plan, values, *frame, resolved, m_block); });
  }
  agree(comm, failure.get());
  m_output.add_frames(m_block);
  return m_output.end().whole();
}

}  // namespace kompakt::mpi
