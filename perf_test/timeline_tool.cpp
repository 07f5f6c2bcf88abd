// A tool for Kokkos: writes when regions, kernels, copies and fences began and ended to the file that KOMPAKT_TIMELINE names,
// as JSON. KOKKOS_TOOLS_LIBS=libkompakt_timeline.so KOMPAKT_TIMELINE=run.json PROGRAM; scripts/profile_picture.py draws it.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Span {
  char const* kind;
  std::string label;
  double begin_us, end_us;
};

struct Timeline {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::vector<Span> spans;
  std::vector<std::size_t> regions;  // that are open

  double now_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  }
  std::size_t begin(char const* kind, char const* label) {
    spans.push_back({kind, label, now_us(), 0});
    return spans.size() - 1;
  }
  void end(std::size_t number) {
    if (number < spans.size()) spans[number].end_us = now_us();
  }
};

Timeline& timeline() {
  static Timeline one;
  return one;
}

void begin(char const* kind, char const* label, std::uint64_t* number) {
  *number = timeline().begin(kind, label);
}

// Labels are those of a program; what JSON has another meaning for is left out.
std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c >= ' ' && c != '"' && c != '\\') result += c;
  }
  return result + '"';
}

}  // namespace

extern "C" {

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) { timeline(); }

void kokkosp_begin_parallel_for(char const* label, std::uint32_t, std::uint64_t* number) {
  begin("kernel", label, number);
}
void kokkosp_begin_parallel_reduce(char const* label, std::uint32_t, std::uint64_t* number) {
  begin("kernel", label, number);
}
void kokkosp_begin_parallel_scan(char const* label, std::uint32_t, std::uint64_t* number) {
  begin("kernel", label, number);
}
void kokkosp_end_parallel_for(std::uint64_t number) { timeline().end(number); }
void kokkosp_end_parallel_reduce(std::uint64_t number) { timeline().end(number); }
void kokkosp_end_parallel_scan(std::uint64_t number) { timeline().end(number); }

void kokkosp_push_profile_region(char const* label) {
  timeline().regions.push_back(timeline().begin("region", label));
}
void kokkosp_pop_profile_region() {
  if (timeline().regions.empty()) return;
  timeline().end(timeline().regions.back());
  timeline().regions.pop_back();
}

void kokkosp_finalize_library() {
  char const* const path = std::getenv("KOMPAKT_TIMELINE");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "kompakt_timeline: cannot write '%s'; set KOMPAKT_TIMELINE to a file\n",
                 path == nullptr ? "" : path);
    return;
  }
  std::fprintf(file, "[\n");
  char const* separator = "";
  for (Span const& span : timeline().spans) {
    std::fprintf(file, "%s{\"kind\": \"%s\", \"label\": %s, \"begin_us\": %.1f, \"end_us\": %.1f}",
                 separator, span.kind, quoted(span.label).c_str(), span.begin_us, span.end_us);
    separator = ",\n";
  }
  std::fprintf(file, "\n]\n");
  std::fclose(file);
}
}
