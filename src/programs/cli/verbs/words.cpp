#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/arguments.hpp>
#include <cli/parts/coding_arguments.hpp>
#include <cli/parts/report.hpp>
#include <cstdio>
#include <files/hdf5_copy.hpp>
#include <kompakt/chunks.hpp>
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct WordsArguments {
  BoundArguments bound;
  CodingArguments coding;
  bool json = false;
};

std::string joined(std::vector<unsigned> const& words, char const* separator) {
  std::string text;
  for (unsigned const word : words) {
    text.append(text.empty() ? "" : separator).append(std::to_string(word));
  }
  return text;
}

int print_words(WordsArguments const& arguments) {
  // The filter sees a chunk at a time, and chooses no pipeline.
  auto [options, chooses, goal] = arguments.coding.options_with(arguments.bound);
  if (chooses) options.pipeline = Pipeline::automatic;
  if (goal != Goal::balanced) options.goal = goal;
  options = options_without_range(options);
  files::FilterWords const filter = files::filter_words(options);
  std::string const id = std::to_string(filter.id), list = joined(filter.words, ",");
  Report report;
  report.values = {{"filter", filter.id}, {"words", filter.words}};
  report.lines = {
      {"filter", id},
      {"words", joined(filter.words, " ")},
      // Without a name both programs would compress coordinates too, and move them.
      {"h5repack", "-f NAME:UD=" + id + ",0," + std::to_string(filter.words.size()) + "," + list},
      {"nccopy", "-F 'NAME," + id + "," + list + "'"},
      {"ncgen", "NAME:_Filter = \"" + id + "," + list + "\" ;"},
      {"NAME", "stands for a variable with this bound; all others stay as they are"}};
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_words(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<WordsArguments>();
  CLI::App& verb = *app.add_subcommand(
      "words", "print the parameters of the HDF5 filter, for h5repack, nccopy and netCDF");
  arguments->bound.add_to(verb);
  arguments->coding.add_to(verb);
  verb.add_flag("--json", arguments->json, "as JSON");
  verb.callback([arguments, &action] { action = [arguments] { return print_words(*arguments); }; });
}

}  // namespace kompakt::cli
