#include "engine.hpp"
#include <Kokkos_Core.hpp>
#include <c/archive_reader.hpp>
#include <c/context.hpp>
#include <c/convert.hpp>
#include <c/start.hpp>
#include <core/fill.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/threads.hpp>
#include <plugin/pool.hpp>
#include <plugin/target.hpp>
#include <predictor/table.hpp>

namespace kompakt::python {

void check(kompakt_status status) {
  if (status == KOMPAKT_OK) return;
  throw Error(static_cast<Status>(status), kompakt_last_where(), kompakt_last_problem(),
              kompakt_last_advice());
}

namespace {

std::unique_ptr<kompakt_context> new_context(ExecTarget const& on) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (on.space == KOMPAKT_SPACE_OPENMP && on.threads > 0) {
    host_threads(on.threads);
    return std::make_unique<kompakt_context>(AnyCodec(Kokkos::OpenMP(on.threads)));
  }
#endif
  kompakt_context* context = nullptr;
  check(kompakt_context_create(on.space, on.stream, &context));
  return std::unique_ptr<kompakt_context>(context);
}

/// Never destroyed: other threads may be in a call while the process ends.
plugin::Pool<ExecTarget, kompakt_context>& waiting_contexts() {
  static auto& once = *new plugin::Pool<ExecTarget, kompakt_context>;
  return once;
}

ExecTarget settled(ExecTarget const& wanted, std::size_t bytes) {
  c::require_kokkos();
  ExecTarget on = wanted;
  if (on.space == ExecTarget::any) {
    on.space = wanted.threads == 1 ? KOMPAKT_SPACE_SERIAL
                                   : static_cast<kompakt_space>(plugin::space_for({}, bytes));
  }
  bool const is_alone = wanted.threads == 1 || lacks_host_threads();
  if (on.space != KOMPAKT_SPACE_OPENMP || is_alone) on.threads = 0;
  return on;
}

}  // namespace

LentContext::LentContext(ExecTarget const& on, std::size_t bytes)
    : m_on(settled(on, bytes)),
      m_context(waiting_contexts().take(m_on, [&] { return new_context(m_on); })) {}
LentContext::~LentContext() { waiting_contexts().give_back(m_on, std::move(m_context)); }
LentContext::operator kompakt_context*() const noexcept { return m_context.get(); }

int cuda_device() {
#ifdef KOKKOS_ENABLE_CUDA
  c::require_kokkos();
  return Kokkos::device_id();
#else
  return -1;
#endif
}

std::vector<std::byte> copy_from_device(void const* data, std::size_t bytes) {
  std::vector<std::byte> copy(bytes);
#ifdef KOKKOS_ENABLE_CUDA
  c::require_kokkos();
  Kokkos::deep_copy(
      Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(copy.data(), bytes),
      Kokkos::View<std::byte const*, Kokkos::CudaSpace, Kokkos::MemoryUnmanaged>(
          static_cast<std::byte const*>(data), bytes));
#else
  static_cast<void>(data);
#endif
  return copy;
}

kompakt_archive_reader* open_archive(std::string const& name, std::uint64_t bytes, ReadAt read_at) {
  ArchiveReader archive(InputFile::of_calls(bytes, std::move(read_at), name));
  return std::make_unique<kompakt_archive_reader>(std::move(archive)).release();
}

char const* word_of_method(kompakt_method method) {
  for (impl::PredictorRow const* row : impl::predictor_rows()) {
    if (static_cast<kompakt_method>(row->method) == method) return row->word.data();
  }
  return "mixed";
}

std::vector<double> conventional_fills() {
  return {std::begin(impl::conventional_fills), std::end(impl::conventional_fills)};
}

bool goes_by_range(kompakt_options const& options) {
  Options const given = c::options_of(&options).options;
  return given.bound.needs_range() && given.range == 0;
}

kompakt_options options_of_filter(kompakt_options const& options) {
  return c::options_without_range(&options);
}

struct RangeOfParts::State {
  FieldRange whole;
};

RangeOfParts::RangeOfParts() : m_state(new State) {}
RangeOfParts::~RangeOfParts() = default;

kompakt_range RangeOfParts::add(kompakt_context* context, kompakt_field const& field,
                                void const* values, kompakt_options const& options) {
  c::Array const array = c::array_of_field("array", &field);
  FieldRange const part =
      context->codec.field_range(array.at(values), array.in, c::options_of(&options).options.fill);
  m_state->whole = joined(m_state->whole, part);
  return c::to_c(part);
}

void RangeOfParts::resolve(kompakt_options& options, bool is_absolute) const {
  Options const given = c::options_of(&options).options;
  FieldRange const& whole = m_state->whole;
  c::set(options,
         is_absolute ? absolute_options_for_parts(whole, given) : options_for_parts(whole, given));
}

struct Frames::State {
  FrameReader reader;
};

Frames::Frames(std::span<std::byte const> memory)
    : m_state(new State{FrameReader(InputFile::of_memory(memory), "buffer")}) {}
Frames::Frames(std::uint64_t bytes, ReadAt read_at)
    : m_state(new State{FrameReader(InputFile::of_calls(bytes, std::move(read_at)), "reader")}) {}
Frames::~Frames() = default;

kompakt_info Frames::whole() {
  FrameReader& reader = m_state->reader;
  reader.rewind();
  while (reader.next()) reader.skip();
  return c::to_c(reader.sequence().whole());
}

void Frames::decompress(kompakt_context* context, kompakt_field const& field, void* values) {
  c::Array const array = c::array_of_field("out", &field);
  m_state->reader.rewind();
  context->codec.decompress(m_state->reader, array.at(values), array.in);
}

void Frames::decompress_region(kompakt_context* context, std::uint64_t const* begin,
                               std::uint64_t const* end, kompakt_field const& region,
                               void* values) {
  c::Array const array = c::array_of_field("out", &region);
  Box const box = c::box_of(begin, end, array.shape.rank);
  m_state->reader.rewind();
  context->codec.decompress(m_state->reader, array.at(values), array.in, box);
}

}  // namespace kompakt::python
