#include "target.hpp"

#include <Kokkos_Core.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

// The functions that libFuzzer calls. With --seeds=FOLDER as the first argument the program writes its seeds and ends.

using kompakt::fuzz::Bytes;

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  Kokkos::initialize(
      Kokkos::InitializationSettings().set_num_threads(2));  // for as long as the process lives
  constexpr std::string_view asked = "--seeds=";
  std::string_view const first = *count > 1 ? (*arguments)[1] : "";
  if (!first.starts_with(asked)) return 0;
  std::filesystem::path const folder(first.substr(asked.size()));
  std::filesystem::create_directories(folder);
  int number = 0;
  for (Bytes const& seed : kompakt::fuzz::seeds()) {
    std::ofstream file(folder / ("seed" + std::to_string(number++)), std::ios::binary);
    file.write(reinterpret_cast<char const*>(seed.data()),
               static_cast<std::streamsize>(seed.size()));
  }
  std::_Exit(0);
}

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  kompakt::fuzz::take(std::as_bytes(std::span(data, size)));
  return 0;
}

// Of eight changes seven look sound again.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  std::size_t const changed = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 == 0) return changed;
  auto const bytes = std::as_bytes(std::span(data, changed));
  Bytes copy(bytes.begin(), bytes.end());
  kompakt::fuzz::repair(copy);
  std::memcpy(data, copy.data(), changed);
  return changed;
}
}
