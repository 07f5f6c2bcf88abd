#include <array>
#include <kompakt/error.hpp>
#include <kompakt/spaces.hpp>
#include <string>

namespace kompakt {

namespace {

template <class... Entries>
constexpr std::array<Space, sizeof...(Entries)> spaces_of(std::tuple<Entries...> const&) {
  return {Entries::space...};
}
constexpr auto all_compiled = spaces_of(impl::CompiledSpaces());

std::string advice_on_words() {
  std::string words;
  for (Space const space : all_compiled) {
    words += (words.empty() ? "" : ", ") + std::string(to_string(space));
  }
  return "use one of " + words;
}

std::string text_of_missing(Space space) {
  return std::string("execution space '") + to_string(space) + "' is not part of this build";
}

}  // namespace

void impl::throw_not_compiled(Space space) {
  throw Error(Status::device, "with_space", text_of_missing(space), advice_on_words());
}

std::span<Space const> compiled_spaces() noexcept { return all_compiled; }
Space default_space() noexcept { return all_compiled.front(); }

char const* to_string(Space space) noexcept {
  switch (space) {
    case Space::serial: return "serial";
    case Space::openmp: return "openmp";
    case Space::cuda: break;
  }
  return "cuda";
}

Space parse_space(std::string_view word) {
  if (word.empty()) return default_space();
  for (Space const space : all_compiled) {
    if (word == to_string(space)) return space;
  }
  for (Space const space : {Space::serial, Space::openmp, Space::cuda}) {
    if (word == to_string(space))
      throw Error(Status::device, text_of_missing(space), advice_on_words());
  }
  throw Error(Status::bad_argument, "execution space '" + std::string(word) + "' is not known",
              advice_on_words());
}

}  // namespace kompakt
