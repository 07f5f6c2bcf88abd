#include "codec.hpp"
#include <algorithm>
#include <kompakt/h5z_values.h>
#include <kompakt/printable.hpp>
#include <memory>
#include <mutex>
#include <nanobind/stl/optional.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace kompakt::python {

namespace {

/// A str of the caller's for the C interface, which reads texts up to a zero.
/// \param name  what the package calls the argument
/// \throws nb::value_error for a text that would be cut there, and one with half of a surrogate pair
std::string text_of(std::string const& name, nb::handle text) {
  Py_ssize_t size = 0;
  char const* const letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (letters == nullptr) PyErr_Clear();
  std::string found(letters == nullptr ? "" : letters, static_cast<std::size_t>(size));
  if (letters != nullptr && found.find('\0') == std::string::npos) return found;
  nb::object const shown = nb::module_::import_("kompakt._messages").attr("shown")(text);
  throw nb::value_error((name + "=" + nb::cast<std::string>(shown) + " has " +
                         (letters == nullptr ? "half of a surrogate pair" : "a null byte") +
                         ", which no text of options has; leave it out")
                            .c_str());
}

/// check(), where a problem that begins with what the library calls its subject begins with what it is called here.
void check_about(std::string const& subject, std::string const& name, kompakt_status status) {
  try {
    check(status);
  } catch (Error const& error) {
    std::string_view const problem = error.problem();
    if (!problem.starts_with(subject)) throw;
    throw Error(error.status(), error.where(), name + std::string(problem.substr(subject.size())),
                error.advice());
  }
}

/// What the package calls a key of the library.
std::string name_of(std::string_view key) {
  return key == "fill" ? "fill_value" : key == "range" ? "value_range" : std::string(key);
}

std::string names_of_options() {
  std::string names;
  for (int i = 0; kompakt_option_key(i) != nullptr; ++i) {
    names.append(name_of(kompakt_option_key(i))).append(", ");
  }
  return names + "threads, space and stream";
}

void set_word(kompakt_options& options, char const* key, std::string const& word) {
  check_about(std::string(key) + ": ", name_of(key) + "=",
              kompakt_options_set(&options, key, word.c_str()));
}

/// check() of a call that reads the text of a bound.
void check_text(std::string const& text, kompakt_status status) {
  check_about(printable("options '" + text + "'"), "bound='" + text + "'", status);
}

/// The word of a number that a stream or an option has.
char const* word_of(char const* key, std::int32_t number) {
  char const* const word = kompakt_option_word_of(key, number);
  return word == nullptr ? "" : word;
}

/// What compress() is told.
struct Wanted {
  kompakt_options options = kompakt_options_default();
  std::optional<bool> pack;
};

/// What of a call is said by position, and what is not.
struct Request {
  nb::handle bound;  ///< a number, or a text of options
  nb::handle mode;
  nb::handle pipeline;  ///< None: the library's, without a look at the field
  nb::handle predictor, pack, fill;
  nb::dict more;
};

using Text = std::string_view;

std::string fill_word(nb::handle fill) {
  if (fill.is_none()) return "none";
  if (nb::isinstance<nb::str>(fill)) return text_of("fill_value", fill);
  return nb::cast<std::string>(nb::repr(nb::float_(nb::cast<double>(fill))));
}

/// Sets what stands for no value: a number, a word, or several of these.
void set_fill(kompakt_options& options, nb::handle fill) {
  bool const is_list = nb::isinstance<nb::list>(fill) || nb::isinstance<nb::tuple>(fill);
  if (!is_list) {
    std::string const word = fill_word(fill);
    // The default, which does not count more than what the text of a bound says.
    return word == "auto" ? void() : set_word(options, "fill", word);
  }
  std::string words;
  for (nb::handle const item : fill) {
    if (!words.empty()) words.append("/");
    words.append(fill_word(item));
  }
  set_word(options, "fill", words.empty() ? "none" : words);
}

/// A value of Python as the library reads it: numbers come back to the same bits.
/// \param name  what the package calls the option
std::string text_of_value(std::string const& name, nb::handle value) {
  if (nb::isinstance<nb::tuple>(value) || nb::isinstance<nb::list>(value)) {
    std::string ends;
    char const* separator = "";
    for (nb::handle const end : value) {
      ends.append(separator).append(end.is_none() ? "" : text_of_value(name, end));
      separator = ":";
    }
    return ends;
  }
  if (nb::isinstance<nb::str>(value)) return text_of(name, value);
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::string>(nb::str(value));
  return nb::cast<std::string>(nb::repr(nb::float_(value)));
}

kompakt_bound bound_of(double value, nb::handle mode) {
  kompakt_options options = kompakt_options_default();
  set_word(options, "mode", text_of("mode", mode));
  return kompakt_bound_of(options.bound.mode,
                          options.bound.mode == KOMPAKT_BOUND_LOSSLESS ? 0 : value);
}

/// \param mode  gives way to the text of a bound that names one
void set_bound(kompakt_options& options, nb::handle bound, nb::handle mode) {
  if (nb::isinstance<nb::str>(bound)) {
    std::string const text = text_of("bound", bound), named = text_of("mode", mode);
    if (named != "r2r") set_word(options, "mode", named);
    check_text(text, kompakt_options_set_text(&options, text.c_str()));
    return;
  }
  options.bound = bound_of(nb::cast<double>(bound), mode);
}

bool names_bound(nb::handle bound) {
  std::string const text = text_of("bound", bound);
  std::int32_t names = 0;
  check_text(text, kompakt_options_names_bound(text.c_str(), &names));
  return names != 0;
}

bool names_method(kompakt_options const& options) {
  std::int32_t names = 0;
  check(kompakt_options_names_method(&options, &names));
  return names != 0;
}

/// The rest of what compress() is told, which calls seldom say.
Wanted wanted_of(Request const& request) {
  Wanted wanted;
  kompakt_options& options = wanted.options;
  options.pipeline = KOMPAKT_PIPELINE_AUTO;
  std::string const named =
      request.pipeline.is_none() ? "auto" : text_of("pipeline", request.pipeline);
  if (named != "auto") set_word(options, "pipeline", named);
  set_bound(options, request.bound, request.mode);
  if (!request.predictor.is_none()) {
    set_word(options, "predictor", text_of("predictor", request.predictor));
  }
  if (!request.pack.is_none()) wanted.pack = nb::cast<bool>(request.pack);
  set_fill(options, request.fill);
  for (auto const& [key, value] : request.more) {
    std::string const name = text_of("option", key);
    if (name == "goal" && !value.is_none() && named != "auto") {
      throw Error(Status::bad_argument,
                  "goal='" + text_of_value(name, value) + "' chooses the pipeline, but '" + named +
                      "' is named",
                  "leave one of them out");
    }
    bool const is_named_otherwise = name == "mode" || name == "bound";
    std::string const here = name_of(name);
    if (here != name) {
      throw nb::type_error(
          ("compress() has no option '" + name + "'; it is called " + here + " here").c_str());
    }
    char const* const known = name == "value_range" ? "range" : name.c_str();
    if (is_named_otherwise || kompakt_option_help(known, nullptr) == nullptr) {
      throw nb::type_error((printable("compress() has no option '" + name + "'") + "; there are " +
                            names_of_options())
                               .c_str());
    }
    if (!value.is_none()) set_word(options, known, text_of_value(name, value));
  }
  // Of the pipeline "auto": as the default it gives way to a predictor or a variant.
  if (!request.pipeline.is_none() && !names_method(options)) set_word(options, "pipeline", "auto");
  if (wanted.pack) options.pack = *wanted.pack ? 1 : 0;
  return wanted;
}

/// \param exact  what has no bound, such as bool; empty if the values are numbers
void require_bound_for(std::string const& exact, kompakt_options const& options) {
  if (exact.empty() || options.bound.mode == KOMPAKT_BOUND_LOSSLESS) return;
  throw nb::value_error((exact + " is only compressed without loss, not with mode='" +
                         word_of("mode", options.bound.mode) + "'; pass mode='lossless'")
                            .c_str());
}

/// Sets what is left to be chosen, and compresses.
std::uint64_t compress_array(kompakt_context* context, Array const& array, Wanted& wanted,
                             void* stream, std::uint64_t capacity, kompakt_memory stream_in) {
  kompakt_options& options = wanted.options;
  if (options.goal != KOMPAKT_GOAL_NONE) {
    check(kompakt_choose(context, &array.field(), array.values(), options.goal, &options));
    nb::gil_scoped_acquire const acquired;
    raise_interrupts();
  }
  if (wanted.pack) options.pack = *wanted.pack ? 1 : 0;
  kompakt_info info = kompakt_info_default();
  check(kompakt_compress(context, &array.field(), array.values(), &options, stream, capacity,
                         stream_in, &info));
  return info.bytes;
}

std::uint64_t max_bytes(kompakt_field const& field, Wanted const& wanted) {
  std::uint64_t most = 0;
  check(kompakt_max_compressed_bytes(&field, &wanted.options, &most));
  return most;
}

nb::object compress(nb::handle values, nb::handle bound, nb::handle mode, nb::handle pipeline,
                    nb::handle predictor, nb::handle pack, nb::handle fill, nb::dict const& more,
                    std::string const& exact, nb::handle out, int threads, kompakt_space space,
                    std::uintptr_t stream) {
  Wanted wanted = wanted_of({bound, mode, pipeline, predictor, pack, fill, more});
  Array const array(values, "array", Access::read);
  require_bound_for(exact, wanted.options);
  check(kompakt_validate_options(&wanted.options));
  std::uint64_t bytes = 0;
  if (!out.is_none()) {
    Bytes const to(out, "out", Access::write);
    ExecTarget const on =
        exec_target_of(threads, space, stream, array.is_on_device() || to.is_on_device());
    without_gil([&] {
      LentContext const context(on, array.bytes());
      bytes = compress_array(context, array, wanted, to.data(), to.size(), to.memory());
    });
    return nb::int_(bytes);
  }
  // Memory that is never touched costs nothing, and what is too much is given back in place.
  std::uint64_t const most = max_bytes(array.field(), wanted);
  PyObject* result = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(most));
  if (result == nullptr) throw nb::python_error();
  nb::object owner = nb::steal(result);
  void* const to = PyBytes_AsString(result);
  ExecTarget const on = exec_target_of(threads, space, stream, array.is_on_device());
  without_gil([&] {
    LentContext const context(on, array.bytes());
    bytes = compress_array(context, array, wanted, to, most, KOMPAKT_HOST);
  });
  result = owner.release().ptr();
  if (_PyBytes_Resize(&result, static_cast<Py_ssize_t>(bytes)) != 0) throw nb::python_error();
  return nb::steal(result);
}

std::uint64_t max_compressed_bytes(nb::handle values, nb::handle bound, nb::handle mode,
                                   nb::handle pipeline, nb::handle predictor, nb::handle pack,
                                   nb::handle fill, nb::dict const& more,
                                   std::string const& exact) {
  Wanted const wanted = wanted_of({bound, mode, pipeline, predictor, pack, fill, more});
  Array const array(values, "array", Access::read);
  require_bound_for(exact, wanted.options);
  return max_bytes(array.field(), wanted);
}

/// The header of a stream, or of the frames that there are in its place.
/// \param is_one  set to whether it is a stream
kompakt_info inspect_bytes(Bytes const& stream, bool& is_one) {
  kompakt_info info = kompakt_info_default();
  is_one = true;
  if (stream.is_on_device()) {
    auto const front = copy_from_device(stream.data(), std::min<std::size_t>(stream.size(), 1024));
    check(kompakt_inspect(front.data(), front.size(), &info));
    return info;
  }
  // What follows a stream is a part of the field, or nothing that belongs here.
  std::size_t const front = std::min<std::size_t>(stream.size(), 1024);
  check(kompakt_inspect(stream.data(), front, &info));
  is_one = info.bytes == stream.size();
  if (is_one) return info;
  return Frames(stream.span()).whole();
}

kompakt_field field_of_info(kompakt_info const& info) {
  kompakt_field field = kompakt_field_of(info.dtype, info.rank, info.extents);
  field.order = info.order;
  return field;
}

/// Throws ValueError for an output that is not of the type and shape of the result.
void require_fit(kompakt_field const& given, kompakt_field const& wanted) {
  bool const fits = given.dtype == wanted.dtype && given.rank == wanted.rank &&
                    std::equal(given.extents, given.extents + given.rank, wanted.extents);
  if (fits) return;
  auto const text = [](kompakt_field const& field) {
    return std::string(dtype_name(field.dtype)) + " of shape " +
           text_of_shape(field.extents, field.rank);
  };
  throw nb::value_error(
      ("out has " + text(given) + ", but the result has " + text(wanted)).c_str());
}

/// Into an array of the caller's, from a stream whose header the library reads together with the rest.
void decompress_at_once(Bytes const& stream, Array const& array, ExecTarget const& on) {
  without_gil([&] {
    LentContext const context(on, array.bytes());
    check(kompakt_decompress(context, stream.data(), stream.size(), stream.memory(), &array.field(),
                             array.values(), nullptr));
  });
}

nb::object decompress(nb::handle buffer, nb::handle out, int threads, kompakt_space space,
                      std::uintptr_t cuda_stream) {
  Bytes const stream(buffer, "buffer", Access::read);
  bool is_one = true;
  if (stream.is_on_device() && !out.is_none()) {
    // To ask for the header first would be a copy to the host, and to wait for it.
    Array const array(out, "out", Access::write);
    try {
      decompress_at_once(stream, array, exec_target_of(threads, space, cuda_stream, true));
    } catch (Error const& error) {
      if (error.status() != Status::type_mismatch) throw;
      require_fit(array.field(), field_of_info(inspect_bytes(stream, is_one)));
      throw;
    }
    return nb::borrow(out);
  }
  kompakt_info const info = inspect_bytes(stream, is_one);
  Target target(out, field_of_info(info));
  Array const& array = target.array();
  bool const on_device = array.is_on_device() || stream.is_on_device();
  ExecTarget const on = exec_target_of(threads, space, cuda_stream, on_device);
  if (is_one) {
    decompress_at_once(stream, array, on);
    return target.take();
  }
  without_gil([&] {
    LentContext const context(on, array.bytes());
    Frames(stream.span()).decompress(context, array.field(), array.values());
  });
  return target.take();
}

nb::object decompress_region(nb::handle buffer, nb::sequence const& begin, nb::sequence const& end,
                             nb::handle out, int threads, kompakt_space space,
                             std::uintptr_t cuda_stream) {
  Bytes const stream(buffer, "buffer", Access::read);
  bool is_one = true;
  kompakt_info const info = inspect_bytes(stream, is_one);
  BoxArgument const box(begin, end, info.rank);
  Target target(out, box.field_of(info));
  Array const& array = target.array();
  bool const on_device = array.is_on_device() || stream.is_on_device();
  ExecTarget const on = exec_target_of(threads, space, cuda_stream, on_device);
  without_gil([&] {
    LentContext const context(on, array.bytes());
    if (is_one) {
      check(kompakt_decompress_region(context, stream.data(), stream.size(), stream.memory(),
                                      box.begin.data(), box.end.data(), &array.field(),
                                      array.values(), nullptr));
    } else {
      Frames(stream.span())
          .decompress_region(context, box.begin.data(), box.end.data(), array.field(),
                             array.values());
    }
  });
  return target.take();
}

}  // namespace

Fetcher::Fetcher(nb::callable const& read)
    : m_read(new nb::callable(read), [](auto* last) {
        nb::gil_scoped_acquire const acquired;
        delete last;
      }) {}

void Fetcher::operator()(std::uint64_t position, std::span<std::byte> destination) const {
  nb::gil_scoped_acquire const acquired;
  nb::object const got = (*m_read)(position, destination.size());
  Bytes const bytes(got, "what read() returned", Access::read);
  if (bytes.is_on_device() || bytes.size() != destination.size()) {
    throw nb::value_error(
        ("read(" + std::to_string(position) + ", " + std::to_string(destination.size()) +
         ") returned " + std::to_string(bytes.size()) + " bytes; return as many as were asked for")
            .c_str());
  }
  std::copy_n(bytes.data(), bytes.size(), destination.begin());
  raise_interrupts();
}

namespace {

/// A stream, or frames, that are read part by part.
class PartReader {
 public:
  PartReader(nb::callable const& read, std::uint64_t size) : m_fetcher(read) {
    m_frames = std::make_unique<Frames>(size, m_fetcher);
    without_gil([&] { m_info = m_frames->whole(); });
  }
  Fetcher const& fetcher() const { return m_fetcher; }
  void clear() {
    m_frames.reset();
    m_fetcher = {};
  }
  nb::dict info() const { return dict_of(m_info); }
  nb::object region(nb::sequence const& begin, nb::sequence const& end, nb::handle out, int threads,
                    kompakt_space space, std::uintptr_t stream) {
    BoxArgument const box(begin, end, m_info.rank);
    Target target(out, box.field_of(m_info));
    Array const& array = target.array();
    ExecTarget const on = exec_target_of(threads, space, stream, array.is_on_device());
    without_gil([&] {
      LentContext const context(on, array.bytes());
      std::lock_guard const lock(m_mutex);
      m_frames->decompress_region(context, box.begin.data(), box.end.data(), array.field(),
                                  array.values());
    });
    return target.take();
  }

 private:
  std::mutex m_mutex;
  Fetcher m_fetcher;
  std::unique_ptr<Frames> m_frames;
  kompakt_info m_info = kompakt_info_default();
};

nb::dict dict_of_quality(kompakt_quality const& quality, std::uint32_t groups) {
  nb::dict d;
  d["values"] = quality.values;
  d["nonfinite"] = quality.nonfinite;
  d["violations"] = quality.violations;
  d["first_violation"] = quality.first_violation;
  d["max_abs_error"] = quality.max_abs_error;
  d["max_rel_error"] = quality.max_rel_error;
  d["mean_error"] = quality.mean_error;
  d["min"] = quality.min;
  d["max"] = quality.max;
  d["rmse"] = quality.rmse;
  d["nrmse"] = quality.nrmse;
  d["psnr"] = quality.psnr_db;
  d["pearson"] = quality.pearson;
  if ((groups & KOMPAKT_QUALITY_SSIM) != 0) {
    d["ssim"] = quality.ssim;
    d["ssim_windows"] = quality.ssim_windows;
  }
  if ((groups & KOMPAKT_QUALITY_AUTOCORRELATION) != 0) {
    nb::list lags;
    for (double const value : quality.autocorrelation) lags.append(value);
    d["autocorrelation"] = nb::tuple(lags);
  }
  if ((groups & KOMPAKT_QUALITY_HISTOGRAM) != 0) {
    nb::list counts;
    for (std::uint64_t const count : quality.histogram) counts.append(count);
    d["histogram"] = nb::tuple(counts);
    d["histogram_below"] = quality.histogram_below;
    d["histogram_above"] = quality.histogram_above;
  }
  if ((groups & KOMPAKT_QUALITY_ENTROPY) != 0) {
    d["entropy_original"] = quality.entropy_original;
    d["entropy_reconstructed"] = quality.entropy_reconstructed;
  }
  return d;
}

nb::dict compare(nb::handle original, nb::handle reconstructed, double bound, nb::handle mode,
                 std::uint32_t groups, int threads, kompakt_space space, std::uintptr_t stream) {
  Array const a(original, "original", Access::read),
      b(reconstructed, "reconstructed", Access::read);
  kompakt_bound const within = bound_of(bound, mode);
  ExecTarget const on =
      exec_target_of(threads, space, stream, a.is_on_device() || b.is_on_device());
  kompakt_quality quality = kompakt_quality_default();
  // In the order of the first one, of which the other may be a copy in another order.
  kompakt_field field = b.field();
  field.order = a.field().order;
  without_gil([&] {
    LentContext const context(on, a.bytes());
    check(kompakt_compare(context, &a.field(), a.values(), &field, b.values(), &within, groups,
                          &quality));
  });
  return dict_of_quality(quality, groups);
}

/// The text of options, as the library writes it; of the pipeline None it has none.
std::string text_of(kompakt_options const& options) {
  std::uint64_t length = 0;
  kompakt_options_text(&options, nullptr, 0, &length);
  std::string text(length + 1, '\0');
  check(kompakt_options_text(&options, text.data(), text.size(), &length));
  text.resize(length);
  if (options.pipeline != KOMPAKT_PIPELINE_AUTO || options.goal != KOMPAKT_GOAL_NONE) return text;
  std::size_t const begin = text.find(",pipeline=");
  return text.erase(begin, text.find(',', begin + 1) - begin);
}

/// What a text of options says of a key.
std::string word_in(kompakt_options const& options, std::string const& key) {
  std::string const text = text_of(options);
  std::size_t const begin = text.find(key + "=") + key.size() + 1;
  return text.substr(begin, text.find(',', begin) - begin);
}

/// The index that is coded as the fastest; with the next ones, if they are not those in memory, a text.
nb::object word_of_axes(std::int32_t axis, std::int32_t second, std::int32_t third) {
  if (second < 0 && third < 0) return axis < 0 ? nb::none() : nb::cast(axis);
  kompakt_options options = kompakt_options_default();
  options.axis = axis;
  options.second_axis = second;
  options.third_axis = third;
  return nb::cast(word_in(options, "axis"));
}

/// What values are made of, as a word; None if nothing is said of it.
nb::object word_of_steps(kompakt_steps_kind kind, double step, double offset) {
  if (kind == KOMPAKT_STEPS_AUTO || kind == KOMPAKT_STEPS_NONE) return nb::none();
  kompakt_options options = kompakt_options_default();
  options.bound = kompakt_lossless();
  options.steps_kind = kind;
  options.step = step;
  options.step_offset = offset;
  return nb::cast(word_in(options, "steps"));
}

nb::dict choose(nb::handle values, nb::handle bound, nb::handle mode, nb::handle goal,
                nb::handle fill, nb::handle axis, std::string const& exact, int threads,
                kompakt_space space, std::uintptr_t stream) {
  Array const array(values, "array", Access::read);
  kompakt_options options = kompakt_options_default();
  set_bound(options, bound, mode);
  set_fill(options, fill);
  require_bound_for(exact, options);
  set_word(options, "goal", text_of("goal", goal));
  if (!axis.is_none()) set_word(options, "axis", text_of_value("axis", axis));
  ExecTarget const on = exec_target_of(threads, space, stream, array.is_on_device());
  without_gil([&] {
    LentContext const context(on, array.bytes());
    check(kompakt_choose(context, &array.field(), array.values(), options.goal, &options));
  });
  nb::dict d;
  d["pipeline"] = word_of("pipeline", options.pipeline);
  d["variant"] = word_of("variant", options.variant);
  d["predictor"] = word_of("predictor", options.predictor);
  d["pack"] = options.pack != 0;
  d["axis"] = word_of_axes(options.axis, options.second_axis, options.third_axis);
  d["steps"] = word_of_steps(options.steps_kind, options.step, options.step_offset);
  return d;
}

nb::dict dict_of(kompakt_range const& range) {
  nb::dict d;
  d["min"] = range.any != 0 ? nb::cast(range.min) : nb::none();
  d["max"] = range.any != 0 ? nb::cast(range.max) : nb::none();
  d["width"] = range.width;
  d["fill_value"] = range.has_fill != 0 ? nb::cast(range.fill) : nb::none();
  if (range.other_fill_count > 0) {
    nb::list fills;
    fills.append(range.fill);
    for (int i = 0; i < range.other_fill_count; ++i) fills.append(range.other_fills[i]);
    d["fill_value"] = fills;
  }
  return d;
}

nb::dict value_range(nb::handle values, nb::handle fill, int threads, kompakt_space space,
                     std::uintptr_t stream) {
  Array const array(values, "array", Access::read);
  kompakt_options options = kompakt_options_default();
  set_fill(options, fill);
  ExecTarget const on = exec_target_of(threads, space, stream, array.is_on_device());
  kompakt_range range = kompakt_range_default();
  without_gil([&] {
    LentContext const context(on, array.bytes());
    check(kompakt_field_range(context, &array.field(), array.values(), &options, &range));
  });
  return dict_of(range);
}

nb::dict add_part(RangeOfParts& whole, nb::handle values, nb::handle fill) {
  Array const array(values, "array", Access::read);
  kompakt_options options = kompakt_options_default();
  set_fill(options, fill);
  ExecTarget const on = exec_target_of(0, ExecTarget::any, 0, array.is_on_device());
  kompakt_range range = kompakt_range_default();
  without_gil([&] {
    LentContext const context(on, array.bytes());
    range = whole.add(context, array.field(), array.values(), options);
  });
  return dict_of(range);
}

nb::tuple tuple_of(std::uint64_t const* numbers, int rank) {
  nb::list list;
  for (int i = 0; i < rank; ++i) list.append(numbers[i]);
  return nb::tuple(list);
}

/// Where a large array begins: a multiple of the longest vectors. NumPy's own ones begin 16 bytes behind a page, and values are
/// written to them a fifth slower.
constexpr std::size_t alignment = 64;
constexpr std::size_t large_bytes = 1 << 16;

/// The type of ml_dtypes, which NumPy does not have itself.
nb::object bfloat16() {
  return nb::module_::import_("kompakt._arrays").attr("dtype_named")(dtype_name(KOMPAKT_BF16));
}

/// An array of NumPy's whose memory nobody has touched; of integers of as many bits where NumPy lends no memory of the type.
nb::object empty_array(kompakt_field field) {
  if (field.dtype == KOMPAKT_BF16) field.dtype = KOMPAKT_U16;
  static nb::handle const numpy = nb::module_::import_("numpy").release();
  static nb::handle const empty = nb::object(numpy.attr("empty")).release();
  static nb::handle const over = nb::object(numpy.attr("ndarray")).release();
  nb::tuple const shape = tuple_of(field.extents, field.rank);
  char const* const dtype = dtype_name(field.dtype);
  char const* const order = field.order == KOMPAKT_FIRST_FASTEST ? "F" : "C";
  std::size_t const bytes = bytes_of(field);
  if (bytes < large_bytes) return empty(shape, dtype, order);
  nb::object const room = empty(bytes + alignment, "uint8");
  auto const begin = reinterpret_cast<std::uintptr_t>(Bytes(room, "room", Access::write).data());
  return over(shape, dtype, room, (alignment - begin % alignment) % alignment, nb::none(), order);
}

}  // namespace

Target::Target(nb::handle out, kompakt_field const& wanted)
    : m_object(out.is_none() ? empty_array(wanted) : nb::borrow(out)),
      m_array(m_object, "out", Access::write) {
  if (out.is_none() && wanted.dtype == KOMPAKT_BF16) {
    m_array.set_dtype(wanted.dtype);
    m_object = m_object.attr("view")(bfloat16());
  }
  require_fit(m_array.field(), wanted);
}

ExecTarget exec_target_of(int threads, kompakt_space space, std::uintptr_t stream,
                          bool is_on_device) {
  if (threads < 0) {
    throw nb::value_error(
        ("threads=" + std::to_string(threads) + "; pass a number from 1 on, or None").c_str());
  }
  ExecTarget on{space, threads, reinterpret_cast<void*>(stream)};
  if (is_on_device) on.space = KOMPAKT_SPACE_CUDA;
  if (on.space != KOMPAKT_SPACE_CUDA) on.stream = nullptr;
  return on;
}

BoxArgument::BoxArgument(nb::sequence const& from, nb::sequence const& to, int rank) {
  for (nb::handle const number : from) begin.push_back(nb::cast<std::uint64_t>(number));
  for (nb::handle const number : to) end.push_back(nb::cast<std::uint64_t>(number));
  auto const count = static_cast<std::size_t>(rank);
  if (begin.size() == count && end.size() == count) return;
  throw nb::value_error(("the box has " + std::to_string(begin.size()) +
                         " dimensions, but the field has " + std::to_string(rank))
                            .c_str());
}

kompakt_field BoxArgument::field_of(kompakt_info const& info) const {
  kompakt_field field = field_of_info(info);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] > end[i] || end[i] > info.extents[i]) {
      throw nb::index_error(("the box from " + std::to_string(begin[i]) + " to " +
                             std::to_string(end[i]) + " does not lie in dimension " +
                             std::to_string(i) + " of extent " + std::to_string(info.extents[i]))
                                .c_str());
    }
    field.extents[i] = end[i] - begin[i];
  }
  return field;
}

nb::dict dict_of(kompakt_info const& info) {
  nb::dict d;
  d["format_version"] = info.version;
  d["dtype"] = dtype_name(info.dtype);
  d["shape"] = tuple_of(info.extents, info.rank);
  d["order"] = info.order == KOMPAKT_FIRST_FASTEST ? "F" : "C";
  d["mode"] = word_of("mode", info.bound.mode);
  d["bound"] = info.bound.value;
  d["resolved_mode"] = word_of("mode", info.resolved.mode);
  d["resolved_bound"] = info.resolved.value;
  d["pipeline"] = word_of("pipeline", info.pipeline);
  d["variant"] = word_of("variant", info.variant);
  d["method"] = word_of_method(info.method);
  d["tile_shape"] = info.tile_shape == KOMPAKT_TILE_CHAIN    ? "chain"
                    : info.tile_shape == KOMPAKT_TILE_SQUARE ? "square"
                                                             : "brick";
  d["goal"] = info.goal == KOMPAKT_GOAL_NONE ? nb::none() : nb::cast(word_of("goal", info.goal));
  d["pack"] = info.packed != 0;
  d["fill_value"] = info.has_fill != 0 ? nb::cast(info.fill) : nb::none();
  d["limits"] = info.has_limits != 0
                    ? nb::object(nb::make_tuple(info.lower_limit, info.upper_limit))
                    : nb::none();
  d["checksum"] = info.checksum != 0;
  d["constant"] = info.constant != 0;
  d["chunks"] = info.chunks;
  d["exceptions"] = info.exceptions;
  d["axis"] = word_of_axes(info.axis, info.second_axis, info.third_axis);
  d["steps"] = word_of_steps(info.steps_kind, info.step, info.step_offset);
  d["radius"] = info.radius;
  d["codebook_bytes"] = info.codebook_bytes;
  d["is_part"] = info.is_part != 0;
  d["origin"] = tuple_of(info.origin, info.rank);
  d["total"] = tuple_of(info.total, info.rank);
  d["stream_bytes"] = info.bytes;
  return d;
}

/// The words that a key of options takes, in the order of the library's table.
nb::tuple option_words(nb::handle option) {
  std::string const key = text_of("option", option);
  nb::list list;
  for (std::int32_t i = 0; char const* const word = kompakt_option_word(key.c_str(), i); ++i) {
    list.append(word);
  }
  return nb::tuple(list);
}

/// Throws ValueError unless compress() takes these options for a field of floating-point numbers.
void validate_options(nb::handle bound, nb::handle mode, nb::handle pipeline, nb::handle predictor,
                      nb::handle pack, nb::handle fill, nb::dict const& more) {
  Wanted const wanted = wanted_of({bound, mode, pipeline, predictor, pack, fill, more});
  check(kompakt_validate_options(&wanted.options));
}

std::string options_text(nb::handle bound, nb::handle mode, nb::handle pipeline,
                         nb::handle predictor, nb::handle pack, nb::handle fill,
                         nb::dict const& more) {
  return text_of(wanted_of({bound, mode, pipeline, predictor, pack, fill, more}).options);
}

/// Whether a pipeline is chosen by the values of a field.
bool chooses(nb::handle bound, nb::handle mode, nb::handle pipeline, nb::handle predictor,
             nb::handle pack, nb::handle fill, nb::dict const& more) {
  return wanted_of({bound, mode, pipeline, predictor, pack, fill, more}).options.goal !=
         KOMPAKT_GOAL_NONE;
}

kompakt_options options_of_text(std::string const& text) {
  kompakt_options options = kompakt_options_default();
  options.pipeline = KOMPAKT_PIPELINE_AUTO;
  check_text(text, kompakt_options_set_text(&options, text.c_str()));
  return options;
}

/// The text of options for a part of a field, which go by the range of the whole.
std::string options_for_parts(RangeOfParts const& whole, std::string const& text,
                              bool is_absolute) {
  kompakt_options options = options_of_text(text);
  whole.resolve(options, is_absolute);
  return text_of(options);
}

/// The words of the HDF5 filter for options.
nb::tuple hdf5_words(nb::handle bound, nb::handle mode, nb::handle pipeline, nb::handle predictor,
                     nb::handle pack, nb::handle fill, nb::dict const& more) {
  Wanted const wanted = wanted_of({bound, mode, pipeline, predictor, pack, fill, more});
  kompakt_options const kept = options_of_filter(wanted.options);
  unsigned words[KOMPAKT_H5Z_MAX_WORDS];
  unsigned const count = kompakt_h5z_words(&kept, words);
  nb::list list;
  for (unsigned const word : std::span(words).first(count)) list.append(word);
  return nb::tuple(list);
}

void define_codec(nb::module_& module) {
  using namespace nb::literals;
  module.def("option_words", &option_words, "key"_a);
  module.def("validate_options", &validate_options, "bound"_a, "mode"_a, "pipeline"_a.none(),
             "predictor"_a.none(), "pack"_a.none(), "fill_value"_a.none(), "more"_a);
  module.def("options_text", &options_text, "bound"_a, "mode"_a, "pipeline"_a.none(),
             "predictor"_a.none(), "pack"_a.none(), "fill_value"_a.none(), "more"_a);
  module.def("chooses", &chooses, "bound"_a, "mode"_a, "pipeline"_a.none(), "predictor"_a.none(),
             "pack"_a.none(), "fill_value"_a.none(), "more"_a);
  module.def("names_bound", &names_bound, "text"_a);
  module.def(
      "conventional_fills",
      [] {
        nb::list fills;
        for (double const fill : conventional_fills()) fills.append(fill);
        return fills;
      },
      "Values that stand for no value by convention.");
  module.def(
      "goes_by_range", [](std::string const& text) { return goes_by_range(options_of_text(text)); },
      "text"_a);
  nb::class_<RangeOfParts>(module, "RangeOfParts")
      .def(nb::init<>())
      .def("add", &add_part, "array"_a, "fill_value"_a.none())
      .def("options_for_parts", &options_for_parts, "text"_a, "absolute"_a);
  module.def("hdf5_words", &hdf5_words, "bound"_a, "mode"_a, "pipeline"_a.none(),
             "predictor"_a.none(), "pack"_a.none(), "fill_value"_a.none(), "more"_a);
  module.def("compress", &compress, "array"_a, "bound"_a, "mode"_a, "pipeline"_a.none(),
             "predictor"_a.none(), "pack"_a.none(), "fill_value"_a.none(), "more"_a, "exact"_a,
             "out"_a.none(), "threads"_a, "space"_a, "stream"_a);
  module.def("max_compressed_bytes", &max_compressed_bytes, "array"_a, "bound"_a, "mode"_a,
             "pipeline"_a.none(), "predictor"_a.none(), "pack"_a.none(), "fill_value"_a.none(),
             "more"_a, "exact"_a);
  module.def("decompress", &decompress, "buffer"_a, "out"_a.none(), "threads"_a, "space"_a,
             "stream"_a);
  module.def("decompress_region", &decompress_region, "buffer"_a, "begin"_a, "end"_a,
             "out"_a.none(), "threads"_a, "space"_a, "stream"_a);
  module.def(
      "inspect",
      [](nb::handle buffer) {
        bool is_one = true;
        return dict_of(inspect_bytes(Bytes(buffer, "buffer", Access::read), is_one));
      },
      "buffer"_a);
  module.def("compare", &compare, "original"_a, "reconstructed"_a, "bound"_a, "mode"_a, "groups"_a,
             "threads"_a, "space"_a, "stream"_a);
  module.def("choose", &choose, "array"_a, "bound"_a, "mode"_a, "goal"_a, "fill_value"_a.none(),
             "axis"_a.none(), "exact"_a, "threads"_a, "space"_a, "stream"_a);
  module.def("value_range", &value_range, "array"_a, "fill_value"_a.none(), "threads"_a, "space"_a,
             "stream"_a);
  nb::class_<PartReader>(module, "PartReader", nb::type_slots(Collected<PartReader>::slots))
      .def(nb::init<nb::callable const&, std::uint64_t>(), "read"_a, "size"_a)
      .def_prop_ro("info", &PartReader::info)
      .def("region", &PartReader::region, "begin"_a, "end"_a, "out"_a.none(), "threads"_a,
           "space"_a, "stream"_a);
}

}  // namespace kompakt::python
