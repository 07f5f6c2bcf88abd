#include "target.hpp"

#include <Kokkos_Core.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>

// A target without libFuzzer: takes files, or for some seconds what changes at random make of its seeds.
//
// usage: PROGRAM FILE...                     each file once, as one that libFuzzer has left
//        PROGRAM --random SECONDS [NUMBER]   the same changes at every call with this number, as far as the time goes

namespace {

using kompakt::fuzz::Bytes;

/// Some changes of a few bytes each: bits, numbers of interest, pieces that are moved, left out or cut off.
void change(Bytes& bytes, std::mt19937_64& random) {
  auto const below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    // Headers decide more than payloads.
    std::size_t const reach =
        below(2) == 0 ? std::min<std::size_t>(bytes.size(), 400) : bytes.size();
    std::size_t const at = below(reach);
    std::size_t const length = std::min<std::size_t>(bytes.size() - at, std::size_t{1} << below(4));
    switch (below(7)) {
      case 0:
      case 1: bytes[at] ^= std::byte{1} << below(8); break;
      case 2: bytes[at] = static_cast<std::byte>(below(256)); break;
      case 3:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length,
                    static_cast<std::byte>(below(2) == 0 ? 0 : 255));
        break;
      case 4:
        std::copy_n(bytes.data() + below(bytes.size() - length + 1), length, bytes.data() + at);
        break;
      case 5:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
        break;
      default:
        if (below(8) == 0) bytes.resize(at);
    }
  }
}

void run_random(double seconds, unsigned long number) {
  auto const seeds = kompakt::fuzz::seeds();
  kompakt::fuzz::require(!seeds.empty(), "no seeds");
  for (Bytes const& seed : seeds) kompakt::fuzz::take(seed);
  std::mt19937_64 random(number);
  auto const begin = std::chrono::steady_clock::now();
  auto const is_over = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(seconds);
  };
  long inputs = 0;
  for (; !is_over(); ++inputs) {
    Bytes bytes = seeds[random() % seeds.size()];
    change(bytes, random);
    if (random() % 8 != 0) kompakt::fuzz::repair(bytes);
    kompakt::fuzz::take(bytes);
  }
  std::printf("%ld inputs from %zu seeds\n", inputs, seeds.size());
}

void run_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  kompakt::fuzz::require(file.good(), "a file cannot be read");
  std::string const text((std::istreambuf_iterator<char>(file)), {});
  kompakt::fuzz::take(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

int main(int count, char** arguments) {
  Kokkos::ScopeGuard const kokkos(count, arguments);
  if ((count == 3 || count == 4) && std::string(arguments[1]) == "--random") {
    run_random(std::stod(arguments[2]), count == 4 ? std::stoul(arguments[3]) : 1);
  } else {
    for (int i = 1; i < count; ++i) run_file(arguments[i]);
  }
}
