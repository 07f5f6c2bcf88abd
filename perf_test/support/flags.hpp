#ifndef KOMPAKT_PERF_SUPPORT_FLAGS_HPP
#define KOMPAKT_PERF_SUPPORT_FLAGS_HPP

#include <cstddef>
#include <kompakt/options.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::perf {

/// A command line from which a program takes its own flags; what is left is Google Benchmark's.
class Flags {
 public:
  Flags(int argc, char** argv);

  /// The values of every `name VALUE` and `name=VALUE`, in order; they are removed.
  /// \throws Error bad_argument if a value is missing
  std::vector<std::string> take_all(std::string_view name);
  /// The last of take_all(), or `otherwise`.
  std::string take(std::string_view name, std::string const& otherwise);
  /// Whether `name` is there; it is removed.
  bool take_switch(std::string_view name);
  /// Throws Error bad_argument, naming the first word that is neither taken nor --benchmark_….
  void require_only_benchmark_flags() const;

  /// What is left, in the form of main()'s arguments; valid as long as this object.
  int& argc() { return m_argc; }
  char** argv();

 private:
  std::vector<std::string> m_words;
  std::vector<char*> m_argv;
  int m_argc = 0;
};

/// The parts of a text between commas; an empty text has none.
std::vector<std::string> split_at_commas(std::string const& text);
/// Positive numbers between commas, such as "256,256,256".
/// \throws Error bad_argument, naming `flag` and the text
std::vector<std::size_t> parse_extents(std::string const& flag, std::string const& text);
std::size_t parse_count(std::string const& flag, std::string const& text);
/// \throws Error bad_argument unless all of the text is one finite number
double parse_number(std::string const& flag, std::string const& text);

struct BoundWord {
  std::string word;  ///< as typed
  double value;
};
/// Takes --bounds, numbers between commas.
std::vector<BoundWord> take_bounds(Flags& flags, std::string const& otherwise);
/// Takes --pipeline, words between commas; all if there are none.
std::vector<Pipeline> take_pipelines(Flags& flags);
/// Takes --predictor, words between commas; `automatic` if there are none.
std::vector<Predictor> take_predictors(Flags& flags);
/// Takes both, each pipeline with each predictor.
/// \throws Error bad_argument for one that does not go with the other
std::vector<Options> take_codings(Flags& flags);

}  // namespace kompakt::perf

#endif
