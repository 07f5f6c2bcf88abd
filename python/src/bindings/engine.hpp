#ifndef KOMPAKT_PYTHON_ENGINE_HPP
#define KOMPAKT_PYTHON_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kompakt/error.hpp>
#include <kompakt/kompakt.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

// What the module needs of the library beside the C interface. Neither Kokkos nor Python is seen here, so that of a CUDA
// build nvcc compiles the one side and the host's compiler the other.

namespace kompakt::python {

/// Throws what a call of the C interface ended with, unless that was success.
void check(kompakt_status status);

/// Where a call is to work.
struct ExecTarget {
  static constexpr kompakt_space any = -2;  ///< threads of the host, or one of them for small work

  kompakt_space space = any;
  int threads = 0;         ///< of the host; 0: as many as OpenMP gives
  void* stream = nullptr;  ///< a cudaStream_t, which must live as long as the process

  friend bool operator==(ExecTarget const&, ExecTarget const&) = default;
};

/// A context that nobody else has at the moment. Contexts stay until the process ends.
class LentContext {
 public:
  /// \param bytes  of the work
  /// \throws Error as kompakt_context_create()
  LentContext(ExecTarget const& on, std::size_t bytes);
  ~LentContext();
  LentContext(LentContext const&) = delete;
  LentContext& operator=(LentContext const&) = delete;

  operator kompakt_context*() const noexcept;

 private:
  ExecTarget m_on;
  std::unique_ptr<kompakt_context> m_context;
};

/// The device that kernels of CUDA run on; -1 in a build without, or where there is none.
int cuda_device();
/// The first bytes of what lies on that device.
std::vector<std::byte> copy_from_device(void const* data, std::size_t bytes);

/// Fills a span with the bytes from a position on, or throws.
using ReadAt = std::function<void(std::uint64_t position, std::span<std::byte> destination)>;

/// An archive of so many bytes, which kompakt_archive_close() closes.
/// \param name  what messages call it
/// \throws Error as kompakt_archive_open(); what ReadAt throws
kompakt_archive_reader* open_archive(std::string const& name, std::uint64_t bytes, ReadAt read_at);

/// The word of the prediction of a stream, from the library's table; "mixed" for KOMPAKT_METHOD_MIXED.
char const* word_of_method(kompakt_method method);

/// Fill values that many files have.
std::vector<double> conventional_fills();

/// Whether the bound that a field has depends on its range.
bool goes_by_range(kompakt_options const& options);

/// What the words of the HDF5 filter keep of options.
/// \throws Error bad_argument for those that cannot be used, and for one that the filter does not keep
kompakt_options options_of_filter(kompakt_options const& options);

/// The range of a field that is seen part by part, and the one bound that it gives all parts. For one thread at a time.
class RangeOfParts {
 public:
  RangeOfParts();
  ~RangeOfParts();

  /// Joins the range of one more part.
  /// \param options  only the fill value counts
  /// \throws Error as kompakt_field_range()
  kompakt_range add(kompakt_context* context, kompakt_field const& field, void const* values,
                    kompakt_options const& options);
  /// Gives options the bound that the whole field has, by options_for_parts(), or by absolute_options_for_parts().
  /// \throws Error bad_argument if outliers make the range
  void resolve(kompakt_options& options, bool is_absolute) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// A stream, or the frames of one field, in host memory or wherever a function fetches bytes from.
class Frames {
 public:
  explicit Frames(std::span<std::byte const> memory);
  Frames(std::uint64_t bytes, ReadAt read_at);
  ~Frames();

  /// What the headers say, of all frames together.
  /// \throws Error bad_magic, unsupported_version, corrupt; what ReadAt throws
  kompakt_info whole();
  /// Decompresses all of it frame by frame.
  /// \throws Error as kompakt_decompress(), and what ReadAt throws
  void decompress(kompakt_context* context, kompakt_field const& field, void* values);
  /// Decompresses a box from the chunks alone that it touches.
  void decompress_region(kompakt_context* context, std::uint64_t const* begin,
                         std::uint64_t const* end, kompakt_field const& region, void* values);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace kompakt::python

#endif
