#ifndef KOMPAKT_CLI_FRAME_OUTPUT_HPP
#define KOMPAKT_CLI_FRAME_OUTPUT_HPP

#include "output.hpp"
#include "parser_names.hpp"
#include "wait.hpp"
#include <cstddef>
#include <files/variable.hpp>
#include <kompakt/archive.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

/// Where the frames of a field go, one after the other. What has been written counts when it is committed.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual void write(std::span<std::byte const> frame) = 0;
  virtual void commit() = 0;
};

/// A field of an archive; committing it leaves the archive open.
class ArchiveFieldOutput final : public FrameOutput {
 public:
  ArchiveFieldOutput(ArchiveWriter& archive, std::string const& name, Attributes const& attributes)
      : m_archive(archive) {
    m_archive.begin(name, attributes);
  }
  /// A field without commit() is given up.
  ~ArchiveFieldOutput() override {
    try {
      if (m_is_open) m_archive.give_up();
    } catch (Error const&) {  // of an archive that cannot be written any more
    }
  }

  void write(std::span<std::byte const> frame) override { m_archive.add_frame(frame); }
  void commit() override {
    m_is_open = false;
    m_archive.end();
  }

 private:
  ArchiveWriter& m_archive;
  bool m_is_open = true;
};

/// What an archive keeps of a variable, with a note on what it cannot keep.
/// \param field  its name there
Attributes kept_attributes(files::Variable const& variable, std::string const& field);

/// Which file the frames make, and as what.
struct OutputArguments {
  std::string path;                     ///< -o
  std::optional<std::string> name;      ///< --name
  std::vector<std::string> attributes;  ///< --attribute, key=value
  WaitArguments wait;                   ///< of an append
  bool append = false;
  bool replace = false;  ///< the field of this name
  OverwriteArguments overwrite;

  void add_to(CLI::App& verb);
  /// Throws Error unless the output can be written, before any work is done for it.
  void require_usable(std::string const& input) const;
  /// A stream of its own, or a field of an archive that is new or appended to; the latter is locked.
  /// \param variable  what its file says of the field; an archive keeps that, where --attribute does not say else
  std::unique_ptr<FrameOutput> open(files::Variable const& variable) const;
  /// Says in a line what a stream of its own has no room for.
  void note_left_out(files::Variable const& variable) const;
  /// What an archive keeps of a variable of the input, and --attribute.
  Attributes attributes_with(files::Variable const& variable) const;
  /// The archive, new or appended to; the latter is locked.
  ArchiveWriter open_archive() const;
  /// Makes a name free in an archive, if it is taken and --replace is given.
  /// \throws Error bad_argument if it is not
  void free_name(ArchiveWriter& archive, std::string const& field) const;
  /// What reports call it.
  std::string label() const;
};

}  // namespace kompakt::cli

#endif
