#ifndef KOMPAKT_PIPELINE_OPENED_STREAM_HPP
#define KOMPAKT_PIPELINE_OPENED_STREAM_HPP

#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <kompakt/stream_reader.hpp>
#include <memory>
#include <pipeline/call_memory.hpp>
#include <pipeline/decode_call.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/stream_tiles.hpp>
#include <string>

// A stream that is decoded part by part: its header is judged once, then parts are enqueued without the host.

namespace kompakt::impl {

template <class Exec>
struct OpenedStream {
  explicit OpenedStream(Exec const& e) : workspace(e) {}

  std::byte const* stream = nullptr;
  Header header{};
  mutable Workspace<Exec> workspace;  ///< has what follows
  std::byte* coder_scratch = nullptr;
  DecodeResult* result = nullptr;

  bool is_empty() const { return header.shape.size() == 0; }
  /// To be used in a standard floating-point environment.
  template <class T>
  DecodeArgs<T> args(FpEnvironment const& environment, T* field) const {
    DecodeArgs<T> args = decode_args(within(environment, header), stream, field, result);
    args.coder_scratch = coder_scratch;
    return args;
  }
};

/// What can be decoded part by part.
inline void require_parts(Header const& header) {
  auto const refuse = [](std::string const& problem, char const* advice = "") {
    throw Error(Status::bad_argument, "StreamReader", problem, advice);
  };
  if (has_levels(header.method)) {
    refuse("tiles of the predictor interpolate need tiles of other levels",
           "compress with the predictor tile or chain, or take a region");
  }
  if (row_of(header.method)->section_bytes != nullptr) {
    refuse(
        "tiles of the predictor " + std::string(row_of(header.method)->word) + " need its section",
        "take a region");
  }
  if (header.is_packed()) {
    refuse("the chunks of a packed stream do not lie side by side",
           "compress without Options::pack");
  }
  if (header.extra.limits > 0) {
    refuse("limits are applied once all values are decoded",
           "take a region, or compress without limits");
  }
  if (!header.coded.is_natural()) {
    refuse("the indices of the field are coded in the order " +
               text_of_axes(axes_of(header.shape, header.coded, header.has_parts)) +
               ", so that chunks are no parts of planes",
           "take a region, or compress without Options::axis");
  }
  if (!is_number(header.shape.dtype)) {
    refuse(std::string("the stream holds ") + to_string(header.shape.dtype) +
           "; only parts of f32 and f64 can be decoded");
  }
}

/// body(T{}, TypeTag of the Kernels) for an opened stream.
template <class Exec, class Body>
void with_kernels_of(OpenedStream<Exec> const& opened, Body const& body) {
  auto const with_values = [&]<class T>(T value) {
    with_kernels<backend_tag_t<Exec>, Exec, T>(
        coding_of(opened.header),
        [&]<class Kernels>(TypeTag<Kernels> kernels) { body(value, kernels); });
  };
  opened.header.shape.dtype == Dtype::f32 ? with_values(float{}) : with_values(double{});
}

/// Reads and checks the header, and enqueues what the coder looks up.
template <class Exec>
std::shared_ptr<OpenedStream<Exec> const> open_checked(Exec const& exec,
                                                       StreamSource<Exec> const& source) {
  auto const opened = std::make_shared<OpenedStream<Exec>>(exec);
  DecompressCall<Exec> call = source.call(exec, opened->workspace, {});
  call.where = "StreamReader";
  opened->stream = call.stream;
  opened->header = fetch_header(call);
  require_parts(opened->header);
  if (opened->is_empty()) return opened;
  with_kernels_of(*opened, [&]<class T, class Kernels>(T, TypeTag<Kernels>) {
    std::size_t const bytes = Kernels::decode_scratch_bytes(radius_of(opened->header), 0);
    place_in(opened->workspace, exec, [&](CallMemory& memory) {
      opened->coder_scratch = memory.scratch.template take<std::byte>(bytes);
      opened->result = memory.readback.template take<DecodeResult>();
    });
    opened->result->clear();
    FpEnvironment const environment;
    Kernels::prepare(exec, opened->template args<T>(environment, nullptr));
  });
  return opened;
}

/// Throws what kernels have found on an instance, which it waits for.
template <class Exec>
void finish_parts(Exec const& exec, OpenedStream<Exec> const& opened) {
  if (opened.is_empty()) return;
  exec.fence("kompakt::stream_reader: status");
  DecodeFault const fault = opened.result->worst();
  opened.result->clear();
  require_sound(fault);
}

/// What one tile takes of a stream of T.
template <class Exec, class T>
StreamTiles<T> tiles_of(OpenedStream<Exec> const& opened) {
  FpEnvironment const environment;
  return StreamTiles<T>::of(opened.template args<T>(environment, nullptr));
}

/// Judges all chunks and waits.
template <class Exec>
void check_all_chunks(Exec const& exec, OpenedStream<Exec> const& opened) {
  if (opened.is_empty()) return;
  auto const enqueue = [&]<class T>(T) {
    with_tile_shape(opened.header.tile_shape, [&]<class Shape>(Shape) {
      parallel_teams("kompakt::stream_reader::check",
                     generic_policy(exec, opened.header.chunks(), 0),
                     CheckChunks<Shape, T>{tiles_of<Exec, T>(opened), opened.result});
    });
  };
  opened.header.shape.dtype == Dtype::f32 ? enqueue(float{}) : enqueue(double{});
  finish_parts(exec, opened);
}

}  // namespace kompakt::impl

#endif
