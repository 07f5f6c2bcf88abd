#include <api/checks.hpp>
#include <core/fp_environment.hpp>
#include <limits>
#include <pipeline/arguments.hpp>

namespace kompakt::impl {

namespace {

constexpr std::uint32_t bit(TileKind kind) { return 1u << static_cast<int>(kind); }

}  // namespace

std::string describe(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(shape.extents[static_cast<std::size_t>(i)]);
  }
  return text + " values of " + to_string(shape.dtype);
}

void require_shape(char const* function, FieldShape const& shape) {
  std::string const name(function);
  if (shape.rank < 1 || shape.rank > max_rank) {
    throw Error(Status::bad_argument, name + ": rank " + std::to_string(shape.rank) +
                                          " is not supported; ranks 1 to 8 are");
  }
  std::size_t size = 1;
  for (int i = 0; i < shape.rank; ++i) {
    std::size_t const extent = shape.extents[static_cast<std::size_t>(i)];
    if (extent != 0 && size > (std::size_t{1} << 60) / extent) {
      throw Error(Status::bad_argument,
                  name + ": " + describe(shape) + " are more than 2^60; split the field");
    }
    size *= extent;
  }
}

void require_field(char const* function, void const* field, FieldShape const& shape) {
  require_shape(function, shape);
  if (shape.size() > 0 && field == nullptr) {
    throw Error(Status::bad_argument, std::string(function) + ": the field of " + describe(shape) +
                                          " has no memory; allocate the View");
  }
}

void require_bound_for(char const* function, Dtype dtype, Options const& options) {
  if (!is_integer(dtype)) return;
  std::string const start = std::string(function) + ": values of " + to_string(dtype) + " ";
  if (options.bound.mode != ErrorBound::Mode::lossless) {
    throw Error(Status::bad_argument,
                start + "are only compressed lossless, not within a bound of " +
                    to_string(options.bound.mode) + "; use ErrorBound::lossless()");
  }
  if (options.fill.mode != FillValue::Mode::none) {
    throw Error(Status::bad_argument,
                start + "have no fill value to look for; use FillValue::none()");
  }
}

void require_floating_point(char const* function, Dtype dtype) {
  if (!is_integer(dtype)) return;
  throw Error(Status::bad_argument, std::string(function) + ": values of " + to_string(dtype) +
                                        " are integers; this is for f32 and f64");
}

void require_aligned(char const* function, void const* stream) {
  if (reinterpret_cast<std::uintptr_t>(stream) % section_alignment == 0) return;
  throw Error(Status::bad_argument, std::string(function) +
                                        ": the stream's memory is not aligned to 16 bytes; use a "
                                        "managed View or an aligned allocation");
}

void require_capacity(std::size_t needed, std::size_t capacity) {
  if (needed <= capacity) return;
  throw Error(Status::buffer_too_small, "compress: the stream needs " + std::to_string(needed) +
                                            " bytes, but there is room for " +
                                            std::to_string(capacity) +
                                            "; max_compressed_bytes() says what is always enough");
}

void require_chunk_count(char const* function, std::int64_t chunks) {
  // The number of teams of one launch is an int.
  if (chunks < std::numeric_limits<int>::max()) return;
  throw Error(Status::bad_argument, std::string(function) + ": " + std::to_string(chunks) +
                                        " chunks of 4096 values are more than one call can take; "
                                        "split the field");
}

void require_chunk(std::int64_t chunk, std::uint64_t chunks) {
  if (chunk >= 0 && static_cast<std::uint64_t>(chunk) < chunks) return;
  throw Error(Status::bad_argument, "decompress: there is no chunk " + std::to_string(chunk) +
                                        " in a stream of " + std::to_string(chunks) + " chunks");
}

void require_same_field(char const* whose, FieldShape const& decoded, FieldShape const& view) {
  if (decoded.dtype == view.dtype && decoded.rank == view.rank && decoded.extents == view.extents) {
    return;
  }
  throw Error(Status::type_mismatch, whose + describe(decoded) + ", but the View takes " +
                                         describe(view) +
                                         "; pass a View of this type and these extents");
}

double bound_within(double value, double range) {
  FpEnvironment const environment;
  return environment.inside(environment.inside(value) * environment.inside(range));
}

huffman::CodebookHead require_codebook_head(char const* function, StreamFront const& front) {
  auto const head = huffman::CodebookHead::of(front.codebook_head);
  if (head.radius > 0 && head.section_bytes() == front.codebook_bytes) return head;
  throw Error(Status::corrupt, std::string(function) + ": the codebook of " +
                                   std::to_string(front.codebook_bytes) +
                                   " bytes does not begin as one of that length does");
}

void require_sound(char const* function, DecodeFault fault) {
  char const* what = "a tile's record is damaged";
  switch (fault) {
    case DecodeFault::none: return;
    case DecodeFault::index: what = "the chunk index is damaged"; break;
    case DecodeFault::checksum: what = "the checksum of a chunk does not match"; break;
    case DecodeFault::codebook: what = "the codebook is damaged"; break;
    case DecodeFault::record: break;
  }
  throw Error(Status::corrupt, std::string(function) + ": " + what + "; the stream was altered");
}

std::uint32_t candidate_kinds(Extents3 extents, Predictor predictor) {
  std::uint32_t tiles = 0;
  if (extents.y > 1) tiles |= bit(TileKind::square);
  if (extents.z > 1) tiles |= bit(TileKind::brick);
  if (predictor == Predictor::chain || tiles == 0) return bit(TileKind::chain);
  return predictor == Predictor::tile ? tiles : tiles | bit(TileKind::chain);
}

}  // namespace kompakt::impl
