#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <kompakt/environment.hpp>
#include <kompakt/error.hpp>
#include <string>
#include <string_view>

namespace kompakt {

namespace {

// Kokkos takes what follows the digits for nothing; threads are counted before it does, so that is refused.
bool is_number(std::string_view word, int least) {
  word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
  word = word.substr(0, word.find_last_not_of(" \t") + 1);
  int number = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= least;
}

bool is_count(std::string_view word) { return is_number(word, 1); }
bool is_device(std::string_view word) { return is_number(word, 0); }

bool is_yes_or_no(std::string_view word) {
  std::string small(word);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view words[] = {"yes", "true", "1", "no", "false", "0"};
  return std::ranges::count(words, small) > 0;
}

bool is_way_to_a_device(std::string_view word) { return word == "random" || word == "mpi_rank"; }

struct Variable {
  char const* name;
  bool (*takes)(std::string_view);
  char const* advice;
};

constexpr Variable variables[] = {
    {"KOKKOS_NUM_THREADS", is_count, "a number from 1 on"},
    {"KOKKOS_DEVICE_ID", is_device, "the number of a device, from 0 on"},
    {"KOKKOS_MAP_DEVICE_ID_BY", is_way_to_a_device, "random or mpi_rank"},
    {"KOKKOS_DISABLE_WARNINGS", is_yes_or_no, "yes or no"},
    {"KOKKOS_PRINT_CONFIGURATION", is_yes_or_no, "yes or no"},
    {"KOKKOS_TUNE_INTERNALS", is_yes_or_no, "yes or no"},
};

}  // namespace

void require_kokkos_environment() {
  for (Variable const& variable : variables) {
    char const* const value = std::getenv(variable.name);
    if (value == nullptr || variable.takes(value)) continue;
    throw Error(
        Status::bad_argument,
        std::string("'") + variable.name + "=" + value + "' is not a value that Kokkos accepts",
        std::string("set it to ") + variable.advice + ", or unset it");
  }
}

}  // namespace kompakt
