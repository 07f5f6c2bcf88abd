#ifndef KOMPAKT_CLI_PARSER_NAMES_HPP
#define KOMPAKT_CLI_PARSER_NAMES_HPP

// The names of CLI11 that headers pass on. Its own headers take a compiler as long as the rest of a source together;
// only sources that add flags include them.
namespace CLI {
class App;
class Option;
}  // namespace CLI

#endif
