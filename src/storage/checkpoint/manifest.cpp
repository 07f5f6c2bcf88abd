#include <algorithm>
#include <archive/names.hpp>
#include <charconv>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <kompakt/compress.hpp>
#include <string_view>

namespace kompakt::impl {

namespace {

constexpr std::string_view own_prefix = "kompakt.";
constexpr char const *version_key = "kompakt.checkpoint", *step_key = "kompakt.step",
                     *schema_key = "kompakt.schema", *values_key = "kompakt.values",
                     *ranks_key = "kompakt.ranks";
constexpr std::uint64_t version = 1;

std::string const& text_of(Attributes const& attributes, std::string_view key) {
  auto const found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](auto const& pair) { return pair.first == key; });
  if (found != attributes.end()) return found->second;
  throw Error(Status::corrupt, "its manifest lacks '" + std::string(key) + "'");
}

std::uint64_t number_of(Attributes const& attributes, std::string_view key) {
  std::string const& text = text_of(attributes, key);
  std::uint64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw Error(Status::corrupt, "its manifest says '" + std::string(key) + "' is '" + text + "'");
}

void require_users(Attributes const& attributes) {
  for (auto const& [key, text] : attributes) {
    if (!key.starts_with(own_prefix)) continue;
    throw Error(Status::bad_argument, checkpoint_function,
                std::string("the attribute '") + key + "' is the library's",
                "choose a key that does not begin with 'kompakt.'");
  }
}

}  // namespace

Attributes Manifest::to_attributes() const {
  require_users(attributes);
  Attributes all = {{version_key, std::to_string(version)},
                    {step_key, std::to_string(step)},
                    {schema_key, schema},
                    {values_key, std::to_string(values)},
                    {ranks_key, std::to_string(ranks)}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  named(checkpoint_function, [&] { require_usable(manifest_name, all); });
  return all;
}

Manifest Manifest::from_attributes(Attributes const& attributes) {
  std::uint64_t const found = number_of(attributes, version_key);
  if (found != version) {
    throw Error(Status::unsupported_version,
                "it is a checkpoint of version " + std::to_string(found),
                "read it with a newer kompakt");
  }
  Manifest manifest{.step = number_of(attributes, step_key),
                    .schema = text_of(attributes, schema_key),
                    .values = number_of(attributes, values_key),
                    .ranks = number_of(attributes, ranks_key),
                    .attributes = {}};
  for (auto const& pair : attributes) {
    if (!pair.first.starts_with(own_prefix)) manifest.attributes.push_back(pair);
  }
  return manifest;
}

Manifest manifest_of(std::vector<ArchiveEntry> const& entries) {
  if (entries.empty() || entries.back().name != manifest_name) {
    throw Error(Status::corrupt, "its last field is not '" + std::string(manifest_name) + "'");
  }
  Manifest manifest = Manifest::from_attributes(entries.back().attributes);
  std::uint64_t const values = entries.size() - 1;
  if (manifest.ranks == 0 && manifest.values != values) {
    throw Error(Status::corrupt, "its manifest says it has " + std::to_string(manifest.values) +
                                     " values, but there are " + std::to_string(values));
  }
  return manifest;
}

std::vector<std::byte> manifest_stream(AnyCodec& codec, Manifest const& manifest) {
  FieldShape const shape{.dtype = Dtype::u64, .extents = {1}};
  Options const options{.bound = ErrorBound::lossless()};
  std::vector<std::byte> stream(max_compressed_bytes(shape, options));
  stream.resize(codec
                    .compress(ConstFieldData(&manifest.step, shape), MemoryOf::host, options,
                              stream, MemoryOf::host)
                    .bytes);
  return stream;
}

}  // namespace kompakt::impl
