#include "target.hpp"

#include <archive/blocks.hpp>
#include <archive/stream_checksum.hpp>
#include <checkpoint/manifest.hpp>
#include <container/header.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <kompakt/checkpoint.hpp>
#include <sstream>
#include <unistd.h>

// A checkpoint in a stream of C++, one in a file, and the attributes of a manifest. The first byte of an input says which of these
// it is.

namespace kompakt::fuzz {

namespace {

enum Kind : unsigned { stream_kind, file_kind, manifest_kind, kinds };

/// A folder of this process alone.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(m_path); }
  ~Folder() { std::filesystem::remove_all(m_path); }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  std::filesystem::path const& path() const { return m_path; }

 private:
  std::filesystem::path m_path =
      std::filesystem::temp_directory_path() / ("fuzz_checkpoint_" + std::to_string(getpid()));
};

std::filesystem::path const& folder() {
  static Folder const made;
  return made.path();
}

/// A state with its checkpoint.
struct State {
  using Exec = Kokkos::Serial;
  Kokkos::View<float**, Exec> field{"field", 40, 31};
  Kokkos::View<int*, Exec> numbers{"numbers", 300};
  Checkpoint<Exec> checkpoint{
      Exec(), folder(), "flow", {.schema = "fuzz", .keep = 9, .frame_bytes = 2048}};

  State() {
    for (std::size_t i = 0; i < field.size(); ++i) {
      field.data()[i] = static_cast<float>(i % 31) * 0.5f + static_cast<float>(i / 31);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<int>(i * i);
    checkpoint.add("field", field, Options{.bound = ErrorBound::absolute(0.01)});
    checkpoint.add_lossless("numbers", numbers);
  }
};

State& state() {
  static State& made = *new State;  // Kokkos ends first
  return made;
}

Bytes bytes_of(std::string const& text) {
  auto const letters = std::as_bytes(std::span(text.data(), text.size()));
  return {letters.begin(), letters.end()};
}

void take_stream_of_checkpoint(std::span<std::byte const> bytes) {
  std::istringstream in(std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
  succeeds([&] { require(!state().checkpoint.read(in).text().empty(), "nothing is told"); });
}

void take_file(std::span<std::byte const> bytes) {
  {
    std::ofstream file(folder() / "flow-000001-step-7.kpk", std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  succeeds([&] { require(!state().checkpoint.restore().text().empty(), "nothing is told"); });
}

/// Keys and texts, each up to a zero. A manifest that is taken says the same of itself again.
void take_manifest(std::span<std::byte const> bytes) {
  std::vector<std::string> texts(1);
  for (std::byte const byte : bytes) {
    if (byte == std::byte{0}) {
      texts.emplace_back();
    } else {
      texts.back() += static_cast<char>(byte);
    }
  }
  Attributes attributes;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    attributes.emplace_back(texts[i], texts[i + 1]);
  }
  impl::Manifest manifest;
  if (!succeeds([&] { manifest = impl::Manifest::from_attributes(attributes); })) return;
  Attributes written;
  if (!succeeds([&] { written = manifest.to_attributes(); })) return;
  require(impl::Manifest::from_attributes(written) == manifest, "a manifest does not read back");
  std::vector<ArchiveEntry> entries(Choices(bytes).below(4));
  if (!entries.empty()) entries.back().name = impl::manifest_name;
  if (!entries.empty()) entries.back().attributes = attributes;
  bool const is_found = succeeds([&] { impl::manifest_of(entries); });
  bool const fits = manifest.ranks > 0 || manifest.values + 1 == entries.size();
  require(is_found == (!entries.empty() && fits), "a manifest of another archive is taken");
}

}  // namespace

void take(std::span<std::byte const> bytes) {
  if (bytes.empty()) return;
  auto const rest = bytes.subspan(1);
  switch (std::to_integer<unsigned>(bytes[0]) % kinds) {
    case stream_kind: return take_stream_of_checkpoint(rest);
    case file_kind: return take_file(rest);
    default: return take_manifest(rest);
  }
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  auto const add = [&](Kind kind, Bytes bytes) {
    bytes.insert(bytes.begin(), static_cast<std::byte>(kind));
    result.push_back(std::move(bytes));
  };
  std::ostringstream out;
  state().checkpoint.write(out, 7, {{"time", "0.5"}});
  add(stream_kind, bytes_of(out.str()));
  SavedCheckpoint const saved = state().checkpoint.save(7, {{"time", "0.5"}});
  std::ifstream file(saved.file, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  add(file_kind, bytes_of(all.str()));
  for (std::uint64_t const ranks : {0, 3}) {
    impl::Manifest const manifest{
        .step = 7, .schema = "fuzz", .values = 1, .ranks = ranks, .attributes = {{"time", "0.5"}}};
    std::string text;
    for (auto const& [key, value] : manifest.to_attributes()) text += key + '\0' + value + '\0';
    add(manifest_kind, bytes_of(text));
  }
  return result;
}

void repair(Bytes& bytes) {
  if (bytes.size() < 9) return;
  Kind const kind = static_cast<Kind>(std::to_integer<unsigned>(bytes[0]) % kinds);
  std::span<std::byte> const rest = std::span(bytes).subspan(1);
  if (kind == stream_kind) {
    impl::StreamChecksum sum;
    sum.add(rest.first(rest.size() - 8));
    impl::put(rest.data() + rest.size() - 8, sum.value(), 8);
  } else if (kind == file_kind) {
    repair_archive(rest);
  }
}

}  // namespace kompakt::fuzz
