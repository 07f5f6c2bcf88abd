#include "target.hpp"

#include <kompakt/option_keys.hpp>
#include <string_view>

// Options as a text: what is taken reads back as the same options.

namespace kompakt::fuzz {

void take(std::span<std::byte const> bytes) {
  std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  Options options;
  if (!succeeds([&] { set(options, text); })) return;
  std::string const canonical = text_of(options);
  Options again;
  require(succeeds([&] { set(again, canonical); }), "what text_of() writes is refused");
  require(text_of(again) == canonical, "a text does not read back");
  succeeds([&] { validate(options); });
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  for (std::string_view const text :
       {"r2r:1e-3", "abs:0.01,predictor=interpolate,pack", "pwr:1e-3,fill=1e20,fill=-9999",
        "psnr:60,goal=smallest", "mode=lossless,steps=1:0",
        "pipeline=huffman,radius=512,variant=dictionary", "limits=0:100,axis=1,checksum=0",
        "axis=3:-1:0"}) {
    auto const letters = std::as_bytes(std::span(text.data(), text.size()));
    result.emplace_back(letters.begin(), letters.end());
  }
  return result;
}

void repair(Bytes&) {}

}  // namespace kompakt::fuzz
