#ifndef KOMPAKT_TEST_CLI_SLABS_HPP
#define KOMPAKT_TEST_CLI_SLABS_HPP

#include "program.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <kompakt/stream.hpp>
#include <numeric>
#include <support/codec.hpp>
#include <support/random.hpp>
#include <thread>

namespace kompakt::test {

/// A field that is larger than what the program may use: slabs of 256 KiB.
struct LargeField {
  std::string type;
  std::vector<std::size_t> extents;  // slowest first
  std::string bytes;

  std::string shape_word() const {
    std::string word;
    for (std::size_t const extent : extents) {
      if (!word.empty()) word += ',';
      word += std::to_string(extent);
    }
    return word;
  }
  FieldShape shape() const {
    FieldShape shape;
    shape.dtype = type == "f32" ? Dtype::f32 : Dtype::f64;
    shape.rank = static_cast<int>(extents.size());
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    return shape;
  }
};

inline constexpr char const* little_memory = "33M";  // the least that the program takes

template <class T>
std::vector<T> values_of(std::string const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T, class Value>
LargeField make_field(std::vector<std::size_t> const& extents, Value const& value) {
  std::size_t const size =
      std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(value(i));
  return {sizeof(T) == 4 ? "f32" : "f64",
          extents,
          {reinterpret_cast<char const*>(values.data()), size * sizeof(T)}};
}

/// Waves whose range is found in no single slab: they rise from slab to slab.
template <class T>
LargeField smooth_field(std::vector<std::size_t> const& extents) {
  return make_field<T>(extents, [&](std::size_t i) {
    double const x = static_cast<double>(i % extents.back()), y = static_cast<double>(i);
    return std::sin(0.1 * x) + 1e-5 * y;
  });
}

/// Any bits: NaN, infinities and denormals among them.
template <class T>
LargeField random_field(std::vector<std::size_t> const& extents) {
  Random random(11);
  return make_field<T>(extents, [&](std::size_t) { return random.any<T>(); });
}

/// The frames of a file, without what separates them.
inline std::vector<std::string> split_frames(std::string const& file) {
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < file.size(); at = (at + 15) / 16 * 16) {
    std::string const rest = file.substr(at);
    frames.push_back(rest.substr(0, inspect_next(bytes_of(rest)).bytes));
    at += frames.back().size();
  }
  return frames;
}

/// The file that these frames make.
inline std::string join_frames(std::vector<std::string> const& frames) {
  std::string file;
  for (std::string const& frame : frames) {
    file.resize((file.size() + 15) / 16 * 16);
    file += frame;
  }
  return file;
}

/// The largest memory that a process has taken so far, in bytes; 0 when it is gone.
inline std::size_t peak_memory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

class CliSlabs : public CliTest {
 protected:
  void SetUp() override {}

  Words compress(LargeField const& field, Words const& more, std::string const& name = "x") const {
    put(file(name), field.bytes);
    Words words = {"compress",         "-i", file(name),          "-t",     field.type, "--shape",
                   field.shape_word(), "-o", file(name + ".kpk"), "--exec", "serial"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// Runs a line of the shell in which K stands for the program.
  Outcome shell(std::string const& line) const {
    std::string const command = "K=" KOMPAKT_CLI_PATH "; cd '" + m_files.path().string() + "'; { " +
                                line + "; } >'" + (m_output / "out").string() + "' 2>'" +
                                (m_output / "err").string() + "'";
    int const status = std::system(command.c_str());
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    outcome.out = contents(m_output / "out");
    outcome.err = contents(m_output / "err");
    return outcome;
  }

  /// Runs the program; `peak` becomes the largest memory that it has taken.
  Outcome watched(Words const& words, std::size_t& peak) const {
    Program program(m_output, words);
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(program.pid()), &ended, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           ended.si_pid == 0) {
      peak = std::max(peak, peak_memory(program.pid()));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return program.wait();
  }

  nlohmann::json info(std::string const& name) const {
    return kompakt({"info", file(name), "--json"}).json();
  }
};

}  // namespace kompakt::test

#endif
