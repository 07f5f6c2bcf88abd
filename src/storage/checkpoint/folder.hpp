#ifndef KOMPAKT_CHECKPOINT_FOLDER_HPP
#define KOMPAKT_CHECKPOINT_FOLDER_HPP

#include <cstdint>
#include <filesystem>
#include <kompakt/checkpoint.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::impl {

/// What a file of checkpoints is called, without the name that they have in common.
struct CheckpointFileName {
  std::uint64_t number = 0, step = 0;
  std::string rest;  ///< behind the step: ".kpk", or ".rank-3.kpk"

  std::string text(std::string_view name) const;
  /// The reverse; nothing for any other file.
  static std::optional<CheckpointFileName> of(std::string_view file, std::string_view name);
};

/// The checkpoints of a name in a folder.
class CheckpointFolder {
 public:
  /// \throws Error bad_argument for a name that cannot be used; io if there is no such folder
  CheckpointFolder(std::filesystem::path folder, std::string_view name);

  /// The newest first.
  std::vector<CheckpointFile> list() const { return list_checkpoints(m_folder, m_name); }
  /// The newest one that was ever completed, if it is gone.
  std::optional<CheckpointFile> missing() const;
  /// The file of a checkpoint, which need not be there.
  CheckpointFile file(std::uint64_t number, std::uint64_t step) const;
  /// What the next one is called.
  CheckpointFile next(std::uint64_t step) const;
  /// The file of a rank of a checkpoint.
  std::filesystem::path of_rank(CheckpointFile const& file, std::uint64_t rank) const;

  /// Removes what killed programs have left: what was not given its name, and files of ranks without a checkpoint.
  void remove_leftovers() const;
  /// Brings the names of files to the disk.
  /// \throws Error io
  void sync() const;
  /// Remembers a checkpoint that is complete as the newest one.
  /// \throws Error io
  void note(CheckpointFile const& newest) const;
  /// Removes the checkpoints that are older than the `keep` newest ones that look sound.
  void remove_old(int keep) const;
  /// Does not count as one of these any more.
  void note_damaged(std::filesystem::path const& file) { m_damaged.insert(file); }

  /// Of a file that is there; 0 if somebody else has taken it away.
  static std::uint64_t bytes_of(std::filesystem::path const& file);

  std::filesystem::path const& path() const { return m_folder; }
  std::string const& name() const { return m_name; }

 private:
  std::filesystem::path note_path() const { return m_folder / (m_name + ".latest"); }
  bool looks_sound(std::filesystem::path const& file) const;
  void remove(CheckpointFile const& file) const;
  /// Calls use(path, name) for each file of checkpoints, those of ranks too.
  template <class Use>
  void for_each_file(Use const& use) const;

  std::filesystem::path m_folder;
  std::string m_name;
  std::set<std::filesystem::path> m_damaged;
};

}  // namespace kompakt::impl

#endif
