#include "frame_output.hpp"
#include "frames.hpp"
#include "kept_groups.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>

namespace kompakt::cli {

namespace {

/// A file or pipe of its own.
class StreamOutput final : public FrameOutput {
 public:
  explicit StreamOutput(OutputFile file) : m_file(std::move(file)) {}

  void write(std::span<std::byte const> frame) override {
    static constexpr std::array<std::byte, frame_alignment> zeros{};
    std::size_t const padding = padding_at(m_bytes);
    m_file.write(std::span(zeros).first(padding));
    m_file.write(frame);
    m_bytes += padding + frame.size();
  }
  void commit() override { m_file.commit(); }

 private:
  OutputFile m_file;
  std::uint64_t m_bytes = 0;
};

/// The only field that is added to an archive.
class OnlyFieldOutput final : public FrameOutput {
 public:
  OnlyFieldOutput(ArchiveWriter archive, std::string const& name, Attributes const& attributes)
      : m_archive(std::move(archive)), m_field(m_archive, name, attributes) {}

  void write(std::span<std::byte const> frame) override { m_field.write(frame); }
  void commit() override {
    m_field.commit();
    m_archive.commit();
  }

 private:
  ArchiveWriter m_archive;
  ArchiveFieldOutput m_field;
};

Attributes parse_attributes(std::vector<std::string> const& words) {
  Attributes attributes;
  for (std::string const& word : words) {
    std::size_t const equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(Status::bad_argument, "--attribute: '" + word + "' is not a key and its value",
                  "give one such as units=K");
    }
    attributes.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return attributes;
}

// What the second list says counts.
Attributes joined(Attributes attributes, Attributes const& more) {
  for (auto const& [key, value] : more) {
    std::erase_if(attributes, [&key = key](auto const& attribute) {
      return files::key_of_part(attribute.first) == key;
    });
  }
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

/// \param from   a variable or a group
void note_unread(auto const& from, std::string const& owner) {
  for (std::string const& key : from.unread) {
    note("the attribute '" + in_one_line(key) + "' of " + owner +
         " is left out: it has neither numbers nor texts");
  }
  for (std::string const& key : from.flattened) {
    note("the attribute '" + in_one_line(key) + "' of " + owner +
         " loses its shape: an archive keeps arrays of numbers, and of texts of one line each");
  }
  for (std::string const& key : from.unnamed) {
    note("the attribute '" + in_one_line(key) + "' of " + owner +
         " loses the names of its numbers: an archive keeps an enumeration as numbers");
  }
}

}  // namespace

Attributes kept_attributes(files::Variable const& variable, std::string const& field) {
  std::vector<files::LeftOutAttribute> left_out;
  Attributes attributes = files::attributes_of(variable, field, left_out);
  for (auto const& [key, reason] : left_out) {
    note("the attribute '" + in_one_line(key) + "' of '" + variable.name +
         "' is left out: " + reason);
  }
  note_unread(variable, "'" + variable.name + "'");
  for (files::Group const& group : variable.groups) {
    std::string const owner = group.name.empty() ? "the file" : "the group '" + group.name + "'";
    note_unread(group, owner);
    if (group.has_unlisted) {
      note("attributes of " + owner +
           " are left out: a newer HDF5 has written one of them, or it is damaged");
    }
  }
  return attributes;
}

void OutputArguments::note_left_out(files::Variable const& variable) const {
  if (name) return;
  if (variable.is_boolean) {
    note("'" + path + "' has the numbers 0 and 1 of the Booleans of '" + variable.name +
         "'; --name " + variable.name + " makes an archive that keeps them Booleans");
  }
  std::vector<std::string> lost;
  for (files::VariableAttribute const& attribute : variable.attributes) {
    lost.push_back(attribute.key);
  }
  for (std::string const& dimension : variable.dimensions) {
    if (!dimension.starts_with("phony_dim_")) lost.push_back(dimension);  // netCDF's own
  }
  if (lost.empty()) return;
  note("'" + path + "' has values alone; attributes and names of dimensions of '" + variable.name +
       "' are left out: " + files::text_of_names(lost) + "; --name " + variable.name +
       " makes an archive that keeps them");
}

void OutputArguments::add_to(CLI::App& verb) {
  verb.add_option("-o", path, "stream or archive to write, - for standard output")
      ->required()
      ->type_name("FILE");
  CLI::Option* const field =
      verb.add_option("--name", name, "write an archive, with the field under this name");
  field->type_name("NAME");
  verb.add_option("--attribute", attributes, "attribute of the field, such as units=K")
      ->allow_extra_args(false)
      ->needs(field)
      ->type_name("KEY=VALUE");
  CLI::Option* const replace_file = overwrite.add_to(verb);
  CLI::Option* const to_archive = verb.add_flag(
      "--append", append, "add the field to an archive; without one a new one is made");
  to_archive->excludes(replace_file);
  verb.add_flag("--replace", replace, "with --append: replace a field of the same name")
      ->needs(to_archive);
  wait.add_to(verb)->needs(to_archive);
}

void OutputArguments::require_usable(std::string const& input) const {
  if (append && path == "-") {
    throw Error(Status::bad_argument, "--append: nothing can be appended to standard output",
                "name a file with -o");
  }
  if (append) return OverwriteArguments{true, true}.require_writable(path, input);
  overwrite.require_writable(path, input,
                             std::string("give ") + (name ? "--append" : "--name and --append") +
                                 " to add the field to it");
}

std::unique_ptr<FrameOutput> OutputArguments::open(files::Variable const& variable) const {
  if (!name) return std::make_unique<StreamOutput>(overwrite.open(path));
  Attributes const asked = parse_attributes(attributes), own = kept_attributes(variable, *name);
  ArchiveWriter archive = open_archive();
  free_name(archive, *name);
  Attributes const all = joined(KeptGroups(archive).without_others(own, *name), asked);
  return std::make_unique<OnlyFieldOutput>(std::move(archive), *name, all);
}

Attributes OutputArguments::attributes_with(files::Variable const& variable) const {
  return joined(kept_attributes(variable, name.value_or("")), parse_attributes(attributes));
}

ArchiveWriter OutputArguments::open_archive() const {
  if (append) return ArchiveWriter::append_to_or_create(path, wait.time);
  if (path == "-") return ArchiveWriter::standard_output();
  return ArchiveWriter(path, overwrite.mode());
}

void OutputArguments::free_name(ArchiveWriter& archive, std::string const& field) const {
  bool const taken = std::ranges::count(archive.entries(), field, &ArchiveEntry::name) > 0;
  if (taken && !replace) {
    throw Error(Status::bad_argument, "'" + path + "' has a field '" + field + "' already",
                "choose another name, or give --replace to put this one in its place");
  }
  if (taken) archive.remove(field);
}

std::string OutputArguments::label() const { return name ? path + ":" + *name : path; }

}  // namespace kompakt::cli
