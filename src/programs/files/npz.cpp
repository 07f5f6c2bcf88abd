#include "npz.hpp"
#include "npy.hpp"
#include "zip.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace kompakt::files {

namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::size_t copied_at_once = std::size_t{1} << 20;

class NpzFile final : public FieldFile {
 public:
  explicit NpzFile(InputFile file) : m_file(std::move(file)), m_members(zip_members(m_file)) {
    for (ZipMember const& member : m_members) m_variables.push_back(variable_of(member));
  }

  std::vector<Variable> const& variables() const override { return m_variables; }
  InputFile const& file() const override { return m_file; }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const found = std::ranges::find(m_variables, variable.name, &Variable::name);
    ZipMember const& member = m_members[static_cast<std::size_t>(found - m_variables.begin())];
    auto source = read_member(m_file, member);
    NpyArray array = read_npy_front(*source, label_of(variable));
    return read_npy(std::move(source), std::move(array));
  }

 private:
  std::string label_of(Variable const& variable) const {
    return FileName{m_file.path().string(), variable.name}.label();
  }
  Variable variable_of(ZipMember const& member) const {
    Variable variable{.name = member.name};
    if (!member.name.ends_with(suffix)) {
      variable.refusal = "it is not a NumPy array";
      return variable;
    }
    variable.name.resize(member.name.size() - suffix.size());
    variable.refusal = why_unreadable(member);
    if (!variable.refusal.empty()) return variable;
    std::string const label = label_of(variable);
    try {
      NpyArray const array = read_npy_front(*read_member(m_file, member), label);
      array.require_bytes(member.bytes, label);
      variable = array.variable;
      variable.name = member.name.substr(0, member.name.size() - suffix.size());
    } catch (Error const& error) {
      variable.refused_as = error.status();
      std::string const start = "'" + label + "': ";
      std::string const text(error.text());
      variable.refusal = text.substr(text.starts_with(start) ? start.size() : 0);
    }
    return variable;
  }

  InputFile m_file;
  std::vector<ZipMember> m_members;
  std::vector<Variable> m_variables;
};

}  // namespace

std::unique_ptr<FieldFile> open_npz(InputFile file) {
  return std::make_unique<NpzFile>(std::move(file));
}

InputFile as_file(std::span<std::byte const> front, InputFile& pipe) {
  std::shared_ptr<std::FILE> const copy(std::tmpfile(), [](std::FILE* file) {
    if (file != nullptr) std::fclose(file);
  });
  std::vector<std::byte> piece(front.begin(), front.end());
  std::uint64_t bytes = 0;
  while (copy && !piece.empty() &&
         std::fwrite(piece.data(), 1, piece.size(), copy.get()) == piece.size()) {
    bytes += piece.size();
    piece.resize(copied_at_once);
    piece.resize(pipe.read(piece));
  }
  if (!copy || !piece.empty() || std::fflush(copy.get()) != 0) {
    throw Error(Status::io, "'" + pipe.path().string() + "' cannot be copied into a temporary file",
                "make room for one, or write it into a file and name that");
  }
  auto const read_at = [copy](std::uint64_t position, std::span<std::byte> to) {
    bool const is_there = ::fseeko(copy.get(), static_cast<off_t>(position), SEEK_SET) == 0;
    if (is_there && std::fread(to.data(), 1, to.size(), copy.get()) == to.size()) return;
    throw Error(Status::io, "a temporary file cannot be read", "try again");
  };
  return InputFile::of_calls(bytes, read_at, pipe.path());
}

}  // namespace kompakt::files
