// What docs/api.md shows, task by task: the code between "[api NAME]" and "[/api]" is printed there, letter
// by letter.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <span>
#include <utility>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;  // Kokkos::Serial, Kokkos::OpenMP or Kokkos::Cuda
using Space = Exec::memory_space;
using Field = Kokkos::View<double***, Exec>;

Field waves(Exec const& exec, double time) {
  Field const field("field", 40, 64, 48);
  Kokkos::parallel_for(
      "waves", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {40, 64, 48}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        field(i, j, k) = Kokkos::sin(0.1 * i + time) * Kokkos::cos(0.07 * j) + 0.01 * k;
      });
  return field;
}

bool round_trip(Exec const& exec, Field const& field, Field const& restored) {
  // [api compress]
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(0.05);  // in the units of the field

  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Space> stream;
  kompakt::compress(exec, field, options, workspace, stream);
  // [/api]

  // [api host]
  std::vector<std::byte> const host = stream.to_host();
  auto const again = kompakt::CompressedStream<Space>::from_host(host);
  // [/api]

  // [api decompress]
  kompakt::decompress(exec, stream, workspace, restored);
  // [/api]

  kompakt::StreamInfo const info = kompakt::inspect(host);  // the first 1024 bytes are enough
  Field const made("made", info.shape.extents[0], info.shape.extents[1], info.shape.extents[2]);
  kompakt::decompress(exec, again, workspace, made);

  kompakt::ErrorStats const stats =
      kompakt::error_stats(exec, field, restored, stream.info().resolved());
  std::printf("largest error %g, %zu values outside the bound\n", stats.max_abs_error,
              static_cast<std::size_t>(stats.violations));
  return stats.violations == 0 &&
         kompakt::error_stats(exec, field, made, info.resolved()).violations == 0;
}

bool types_of_run_time(Exec const& exec, kompakt::Options const& options,
                       kompakt::Workspace<Exec>& workspace,
                       kompakt::CompressedStream<Space>& stream) {
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const view("values", 300, 500);
  double* const pointer = view.data();
  kompakt::FieldShape shape;
  shape.dtype = kompakt::Dtype::f64;
  shape.rank = 2;
  shape.extents = {300, 500};
  kompakt::compress(exec, kompakt::ConstFieldData(pointer, shape), options, workspace, stream);
  return stream.info().shape == shape;
}

bool subviews(Exec const& exec, kompakt::Options const& options,
              kompakt::Workspace<Exec>& workspace, kompakt::CompressedStream<Space>& stream) {
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const steps("steps", 10, 64, 48);
  auto const one = Kokkos::subview(steps, 7, Kokkos::ALL, Kokkos::ALL);  // side by side: no copy
  auto const part = Kokkos::subview(steps, Kokkos::ALL, Kokkos::ALL, std::pair(0, 8));  // one copy
  kompakt::compress(exec, one, options, workspace, stream);
  kompakt::compress(exec, part, options, workspace, stream);
  return stream.info().shape.extents[2] == 8;
}

bool fill_values(Exec const& exec, Field const& field, kompakt::Options options,
                 kompakt::Workspace<Exec>& workspace, kompakt::CompressedStream<Space>& stream) {
  options.fill = kompakt::FillValue::of(1e20);                // declared; nothing is looked for
  options.fill = kompakt::FillValue::automatic().with(-999);  // declared beside what is found
  kompakt::compress(exec, field, options, workspace, stream);
  return !stream.info().fill;
}

bool text() {
  // [api text]
  kompakt::Options wanted;
  kompakt::set(wanted, "r2r:1e-4,predictor=tile,pack");
  kompakt::set(wanted, "pipeline", "huffman");
  std::puts(kompakt::text_of(wanted).c_str());  // r2r:0.0001,pipeline=huffman,predictor=tile,…
  // [/api]
  return wanted.pack && wanted.predictor == kompakt::Predictor::tile;
}

bool parts(Exec const& exec, Field const& field, kompakt::Options options,
           kompakt::Workspace<Exec>& workspace, kompakt::CompressedStream<Space>& stream) {
  // [api parts]
  options.bound = kompakt::ErrorBound::relative_to_range(1e-3);
  kompakt::FieldRange all = kompakt::field_range(exec, field, options.fill, workspace);
  // min and max over all parts, where any: MPI_Allreduce
  options = kompakt::options_for_parts(all, options);
  kompakt::compress(exec, field, options, workspace, stream);
  // [/api]
  return stream.info().abs_bound == all.bound(1e-3);
}

bool region(Exec const& exec, kompakt::CompressedStream<Space> const& stream,
            kompakt::Workspace<Exec>& workspace) {
  // [api region]
  kompakt::Box const box{{10, 0, 5}, {20, 64, 6}};  // from, to behind, in the order of the indices
  Kokkos::View<double***, Exec> const region("region", 10, 64, 1);
  kompakt::decompress(exec, stream, workspace, region, box);
  // [/api]
  Kokkos::View<double***, Exec> const before("before", 10, 64, 1);
  Kokkos::deep_copy(before, region);

  // [api files]
  stream.save("field.kpk", kompakt::Overwrite::yes);
  std::vector<std::byte> const some = kompakt::read_region("field.kpk", box);
  auto const front = kompakt::CompressedStream<Space>::from_host(some);
  kompakt::decompress(exec, front, workspace, region, box);
  // [/api]
  return kompakt::error_stats(exec, before, region, 0.0).violations == 0;
}

bool batch(Exec const& exec, Field const& u, Field const& v, kompakt::Options const& options,
           kompakt::Workspace<Exec>& workspace) {
  // [api batch]
  std::vector<Field> const fields{u, v};  // Views
  std::vector<kompakt::CompressedStream<Space>> streams(fields.size());
  kompakt::compress_batch(exec, fields, options, workspace, streams);
  // [/api]
  return streams[0].info().bytes > 0 && streams[1].info().bytes > 0;
}

bool own_memory(Exec const& exec, Field const& field, Field const& restored,
                kompakt::Options const& options) {
  // [api memory]
  kompakt::WorkspaceSizes const writing = kompakt::compress_workspace<Exec>(field, options);
  kompakt::WorkspaceSizes const reading =
      kompakt::decompress_workspace<Exec>(kompakt::shape_of(field), options, restored);
  kompakt::WorkspaceSizes const both = max(writing, reading);  // for one call after the other

  Kokkos::View<std::byte*, Space> const device("mine", both.device_bytes());
  kompakt::Workspace<Exec>::ReadbackBytes const readback("mine too", both.readback);
  kompakt::Workspace<Exec> workspace(exec, both, device, readback);
  // [/api]

  Kokkos::View<std::byte*, Space> const bytes(
      "stream", kompakt::max_compressed_bytes(kompakt::shape_of(field), options));
  kompakt::StreamInfo const info = kompakt::compress(exec, field, options, workspace, bytes);
  auto const exactly = Kokkos::subview(bytes, std::make_pair(std::size_t{0}, info.bytes));
  kompakt::decompress(exec, exactly, workspace, restored);
  return workspace.sizes() == both;
}

bool without_waiting(Exec const& exec, Field const& field, Field const& restored,
                     kompakt::Options const& options, kompakt::Workspace<Exec>& workspace,
                     kompakt::CompressedStream<Space>& stream) {
  kompakt::Workspace<Exec> other_workspace(exec);
  // [api async]
  auto compression = kompakt::compress_async(exec, field, options, workspace, stream);
  auto decompression = kompakt::decompress_async(exec, stream, other_workspace, restored);
  // … the host, and other instances, do something else …
  kompakt::StreamInfo const info = compression.finish();
  decompression.finish();
  // [/api]
  return kompakt::error_stats(exec, field, restored, info.resolved()).violations == 0;
}

bool choosing(Exec const& exec, Field const& field, kompakt::Options const& options,
              kompakt::Workspace<Exec>& workspace, kompakt::CompressedStream<Space>& stream) {
  // [api choose]
  kompakt::Choice const choice =
      kompakt::choose(exec, field, options, kompakt::Goal::ratio, workspace);
  kompakt::compress(exec, field, choice.options, workspace, stream, choice.reason);
  std::puts(choice.reason_text().c_str());  // huffman: ratio 9.2 in a sample; bitshuffle 8.8, …
  // [/api]
  return stream.info().pipeline == choice.options.pipeline;
}

bool quality(Exec const& exec, Field const& field, Field const& restored,
             kompakt::CompressedStream<Space> const& stream) {
  kompakt::Metrics const all = kompakt::metrics(exec, field, restored, stream.info().resolved(),
                                                kompakt::MetricsOptions::all());
  return all.violations == 0;
}

bool archives(Exec const& exec, kompakt::CompressedStream<Space> const& stream,
              kompakt::Workspace<Exec>& workspace, Field const& restored) {
  // [api archive]
  kompakt::ArchiveWriter writer("run.kpk", kompakt::Overwrite::yes);  // or append_to("run.kpk")
  writer.append("temperature", {{"units", "K"}, {"step", "1200"}}, stream.to_host());
  writer.commit();

  kompakt::ArchiveReader reader("run.kpk");
  for (kompakt::ArchiveEntry const& entry : reader.entries()) std::puts(entry.name.c_str());
  auto const stored = kompakt::CompressedStream<Space>::from_host(reader.read("temperature"));
  kompakt::decompress(exec, stored, workspace, restored);
  // [/api]
  // [api frames]
  kompakt::FrameReader frames(reader.open("temperature"));  // or of InputFile("large.kpk")
  kompakt::AnyCodec codec(exec);
  codec.decompress(frames, kompakt::FieldData{restored.data(), kompakt::shape_of(restored)},
                   kompakt::MemoryOf::space);
  // [/api]
  return stored.info().bytes == stream.info().bytes;
}

bool any_codec(kompakt::Options const& options, std::vector<float>& values) {
  // [api any codec]
  kompakt::FieldShape shape;  // as a file or another language has it
  shape.dtype = kompakt::Dtype::f32;
  shape.rank = 2;
  shape.extents = {64, 96};

  kompakt::AnyCodec codec;  // on the default space; or codec("serial"), "openmp", "cuda"
  std::vector<std::byte> bytes(kompakt::max_compressed_bytes(shape, options));
  auto const host = kompakt::MemoryOf::host;
  kompakt::FieldData const field(values.data(), shape);
  bytes.resize(codec.compress(field, host, options, bytes, host).bytes);
  codec.decompress(bytes, host, field, host);
  // [/api]
  return kompakt::inspect(bytes).shape.size() == values.size();
}

bool damage(Exec const& exec, kompakt::CompressedStream<Space> const& stream,
            kompakt::Workspace<Exec>& workspace, Field const& restored) {
  Kokkos::deep_copy(Kokkos::subview(stream.bytes(), 0), std::byte{0});
  try {
    kompakt::decompress(exec, stream, workspace, restored);
  } catch (kompakt::Error const& error) {
    std::printf("%s: %s\n", kompakt::to_string(error.status()), error.what());
    return error.status() == kompakt::Status::bad_magic;
  }
  return false;
}

int run() {
  Exec const exec;
  Field const field = waves(exec, 0), next = waves(exec, 1);
  Field const restored("restored", 40, 64, 48);

  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-4);
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Space> stream;

  bool good = true;
  auto const expect = [&good](char const* task, bool as_expected) {
    if (!as_expected) std::fprintf(stderr, "%s: not as expected\n", task);
    good = good && as_expected;
  };
  expect("round trip", round_trip(exec, field, restored));
  expect("types of run time", types_of_run_time(exec, options, workspace, stream));
  expect("subviews", subviews(exec, options, workspace, stream));
  expect("fill values", fill_values(exec, field, options, workspace, stream));
  expect("batch", batch(exec, field, next, options, workspace));
  expect("own memory", own_memory(exec, field, restored, options));
  expect("text", text());
  expect("parts", parts(exec, field, options, workspace, stream));
  expect("region", region(exec, stream, workspace));
  expect("without waiting", without_waiting(exec, field, restored, options, workspace, stream));
  expect("choosing", choosing(exec, field, options, workspace, stream));
  kompakt::decompress(exec, stream, workspace, restored);
  expect("quality", quality(exec, field, restored, stream));
  expect("archives", archives(exec, stream, workspace, restored));
  std::vector<float> values(64 * 96, 1.5f);
  expect("any codec", any_codec(options, values));
  expect("damage", damage(exec, stream, workspace, restored));
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run();
}
