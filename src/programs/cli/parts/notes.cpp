#include "notes.hpp"
#include <cstdio>
#include <kompakt/printable.hpp>

namespace kompakt::cli {

namespace {

bool g_quiet = false, g_verbose = false;

}  // namespace

bool is_quiet() { return g_quiet; }

void be_quiet() { g_quiet = true; }

bool is_verbose() { return g_verbose; }

void be_verbose() { g_verbose = true; }

void note(std::string const& text) {
  if (!g_quiet) std::fprintf(stderr, "kompakt: note: %s\n", printable(text).c_str());
}

}  // namespace kompakt::cli
