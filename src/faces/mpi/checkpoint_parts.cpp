#include "checkpoint_parts.hpp"

#include <algorithm>
#include <checkpoint/opened.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/slabs.hpp>
#include <sstream>

#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

constexpr char const *origin_key = "kompakt.origin", *total_key = "kompakt.total";

using Numbers = std::array<std::size_t, max_rank>;

std::string text_of(Numbers const& numbers, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(numbers[static_cast<std::size_t>(i)]);
  }
  return text;
}

Numbers numbers_of(ArchiveEntry const& entry, std::string_view key, int count) {
  Numbers numbers{};
  for (auto const& [name, text] : entry.attributes) {
    if (name != key) continue;
    std::istringstream words(text);
    for (int i = 0; i < count; ++i) words >> numbers[static_cast<std::size_t>(i)];
    if (words) return numbers;
  }
  throw Error(Status::corrupt, "value '" + entry.name + "' lacks '" + std::string(key) + "'");
}

SavedPart part_of_file(impl::OpenedCheckpoint const& opened, impl::CheckpointValue const& value,
                       std::uint64_t rank, std::uint64_t number) {
  ArchiveEntry const& entry = opened.archive().entry(value.name);
  FrameReader frames(opened.archive().open(value.name));
  frames.next();
  SavedPart part{rank, number, frames.sequence().whole().shape, {}};
  part.place.origin = numbers_of(entry, origin_key, part.shape.rank);
  part.place.total = numbers_of(entry, total_key, part.shape.rank);
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.shape.rank); ++i) {
    if (part.place.origin[i] <= part.place.total[i] &&
        part.shape.extents[i] <= part.place.total[i] - part.place.origin[i]) {
      continue;
    }
    throw Error(Status::corrupt, "value '" + value.name + "' does not lie in its field");
  }
  return part;
}

/// The parts in the file of a rank.
void look_at_file(std::filesystem::path const& path, std::uint64_t rank,
                  impl::Manifest const& whole, impl::CheckpointValues const& values,
                  std::vector<SavedPart>& parts) {
  if (std::error_code error; !std::filesystem::exists(path, error)) {
    throw Error(
        Status::corrupt, impl::checkpoint_function,
        impl::in_quotes(path) + ": the file of rank " + std::to_string(rank) + " is missing",
        "put it back beside the others");
  }
  impl::OpenedCheckpoint const opened(path);
  impl::Manifest expected = whole;
  expected.attributes = opened.manifest().attributes;  // of the user's, which only the whole has
  if (opened.manifest() != expected) {
    throw Error(Status::corrupt, impl::checkpoint_function,
                impl::in_quotes(path) + " is not a file of this checkpoint", "");
  }
  opened.require_sound(values);
  std::uint64_t number = 0;
  for (impl::CheckpointValue const& value : values) {
    SavedPart const part = part_of_file(opened, value, rank, number++);
    FieldShape total = part.shape;
    total.extents = part.place.total;
    impl::require_same_shape(path, value, total);
    parts.push_back(part);
  }
}

/// The parts of each value have as many values as the field.
void require_complete(CheckpointFile const& file, std::vector<SavedPart> const& parts,
                      impl::CheckpointValues const& values) {
  std::uint64_t number = 0;
  for (impl::CheckpointValue const& value : values) {
    std::uint64_t found = 0;
    for (SavedPart const& part : parts)
      if (part.value == number) found += part.shape.size();
    ++number;
    if (found == value.whole().size()) continue;
    throw Error(Status::corrupt, impl::checkpoint_function,
                impl::in_quotes(file.path) + ": the parts of value '" + value.name + "' have " +
                    std::to_string(found) + " of its " + std::to_string(value.whole().size()) +
                    " values",
                "");
  }
}

}  // namespace

Attributes attributes_of_part(impl::CheckpointValue const& value) {
  int const rank = value.field.shape.rank;
  return {{origin_key, text_of(value.place.origin, rank)},
          {total_key, text_of(value.place.total, rank)}};
}

std::vector<SavedPart> find_parts(Communicator const& comm, impl::CheckpointFolder const& folder,
                                  CheckpointFile const& file, impl::Manifest const& whole,
                                  impl::CheckpointValues const& values) {
  std::vector<SavedPart> const mine = together(comm, [&] {
    std::vector<SavedPart> parts;
    auto const ranks = static_cast<std::uint64_t>(comm.ranks());
    for (auto rank = static_cast<std::uint64_t>(comm.rank()); rank < whole.ranks; rank += ranks) {
      look_at_file(folder.of_rank(file, rank), rank, whole, values, parts);
    }
    return parts;
  });
  std::vector<SavedPart> const all =
      list_of_rank_0(comm, gathered(comm, std::span<SavedPart const>(mine)));
  together(comm, [&] { require_complete(file, all, values); });
  return all;
}

void read_parts(impl::CheckpointFolder const& folder, CheckpointFile const& file,
                std::vector<SavedPart> const& parts, impl::CheckpointValues const& values,
                AnyCodec& codec) {
  std::map<std::uint64_t, ArchiveReader> archives;
  for (SavedPart const& part : parts) {
    impl::CheckpointValue const& value =
        *(values.begin() + static_cast<std::ptrdiff_t>(part.value));
    Box const saved = Box::at(part.place.origin, part.shape),
              wanted = Box::at(value.place.origin, value.field.shape),
              common = saved.common_with(wanted);
    if (common.is_empty()) continue;
    ArchiveReader const& archive =
        archives.try_emplace(part.rank, folder.of_rank(file, part.rank)).first->second;
    FrameReader frames(archive.open(value.name));
    impl::naming_value(value.name, [&] {
      codec.decompress(frames, part_of(value.field, common.seen_from(wanted)), value.memory(),
                       common.seen_from(saved));
    });
  }
}

}  // namespace kompakt::mpi
