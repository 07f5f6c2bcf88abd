#ifndef KOMPAKT_PIPELINE_DECOMPRESS_BATCH_HPP
#define KOMPAKT_PIPELINE_DECOMPRESS_BATCH_HPP

#include <algorithm>
#include <kompakt/batch.hpp>
#include <memory_resource>
#include <optional>
#include <pipeline/decompress.hpp>
#include <span>
#include <string>
#include <vector>

// Several decompressions in one call: those that are hoped to be of one coding, with words of the same type, share launches
// where bodies decode before the host has seen the header. What is not as hoped is decoded in the end.

namespace kompakt::impl {

/// Calls body(), for the number-th stream of a batch, counted from 0.
template <class Body>
StreamInfo for_stream(std::size_t number, std::size_t count, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    std::string const which =
        "; it is stream " + std::to_string(number + 1) + " of " + std::to_string(count);
    throw Error(error.status(), error.where(), std::string(error.problem()) + which,
                error.advice());
  }
}

/// Whether a call of a batch can share launches. A field that the host writes at the end cannot: its values wait in memory
/// that the call alone has.
template <class Tag, class Exec>
bool shares_launches_of(DecompressCall<Exec> const& call, StreamCoding const& coding) {
  FieldShape const& shape = call.field.shape;
  if (!shares_launches<Tag> || shape.size() == 0 || !is_decoded_speculatively(shape.dtype) ||
      call.field.access == FieldAccess::staged) {
    return false;
  }
  return with_kernels<Tag, Exec, float>(
      coding, []<class Kernels>(TypeTag<Kernels>) { return Kernels::is_speculative; });
}

/// The calls of a batch that share launches: of one coding, their values words of type T.
template <class Tag, class T, class Exec>
class DecompressBatchOf {
 public:
  /// \param lists  that the memory of the object comes from
  DecompressBatchOf(std::span<BatchedDecompression<Exec>> batch, StreamCoding const& coding,
                    std::pmr::memory_resource* lists)
      : m_coding(coding), m_calls(lists), m_memory(lists), m_args(lists) {
    m_calls.reserve(batch.size());
    for (auto& [call, of_call] : batch) {
      if (of_call != coding || coded_bytes(call.field.shape.dtype) != sizeof(T)) continue;
      if (shares_launches_of<Tag>(call, coding)) m_calls.push_back(&call);
    }
    m_memory.resize(m_calls.size());
  }

  void place(CallMemory& memory) {
    with_own_kernels([&]<class Kernels>(TypeTag<Kernels>) {
      std::size_t const entries =
          m_calls.size() * batch_decode_entry_bytes(typename Kernels::Tag{});
      m_arguments.device = memory.scratch.take<std::byte>(entries);
      m_arguments.staging = memory.readback.take<std::byte>(entries);
      for (std::size_t i = 0; i < m_calls.size(); ++i) {
        FieldShape const& shape = m_calls[i]->field.shape;
        m_memory[i].place(Kernels::decode_scratch_bytes(speculative_radius, shape.size()), shape,
                          *m_calls[i], memory, m_coding.method);
      }
    });
  }

  /// Enqueues them.
  /// \param counter  of a BatchMemory
  void start(Exec const& exec, std::byte* counter) {
    m_arguments.counter = counter;
    with_own_kernels([&]<class Kernels>(TypeTag<Kernels>) {
      m_args.reserve(m_calls.size());
      for (std::size_t i = 0; i < m_calls.size(); ++i) {
        m_calls[i]->result = m_memory[i].result;
        m_args.push_back(speculative_args(*m_calls[i], m_coding, Kernels::variants,
                                          m_memory[i].values(*m_calls[i]), m_memory[i]));
      }
      Kernels::decode_batch(exec, std::span<SpeculativeArgs<T> const>(m_args), m_arguments);
      for (std::size_t i = 0; i < m_calls.size(); ++i) {
        m_memory[i].enqueue_move(*m_calls[i], m_calls[i]->field.shape, m_args[i].field);
      }
    });
  }

 private:
  template <class Body>
  void with_own_kernels(Body const& body) {
    if (!m_calls.empty()) with_kernels<Tag, Exec, T>(m_coding, body);
  }

  StreamCoding m_coding;
  std::pmr::vector<DecompressCall<Exec>*> m_calls;
  std::pmr::vector<DecodeMemory<Exec, T>> m_memory;
  std::pmr::vector<SpeculativeArgs<T>> m_args;
  BatchMemory m_arguments;
};

/// Several decompressions whose arguments have been checked, but for what finish() does: those that share no launches are
/// complete on return.
template <class Tag, class Exec>
void start_decompressions(Exec const& exec, Workspace<Exec>& workspace,
                          std::span<BatchedDecompression<Exec>> batch) {
  std::vector<StreamCoding> codings;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    // Not a structured binding: Clang captures none before its version 16.
    DecompressCall<Exec>& call = batch[i].call;
    StreamCoding const& coding = batch[i].coding;
    if (!shares_launches_of<Tag>(call, coding)) {
      workspace.expect(coding);
      call.info = for_stream(i, batch.size(), [&] {
        return finish_decompression<Tag>(start_decompression<Tag>(call));
      });
    } else if (std::find(codings.begin(), codings.end(), coding) == codings.end()) {
      codings.push_back(coding);
    }
  }
  std::vector<DecompressBatchOf<Tag, float, Exec>> floats;
  std::vector<DecompressBatchOf<Tag, double, Exec>> doubles;
  std::pmr::memory_resource* const lists = &workspace.lists();
  for (StreamCoding const& coding : codings) {
    floats.emplace_back(batch, coding, lists);
    doubles.emplace_back(batch, coding, lists);
  }
  place_in(workspace, exec, [&](CallMemory& memory) {
    for (auto& group : floats) group.place(memory);
    for (auto& group : doubles) group.place(memory);
  });
  if (codings.empty()) return;
  std::byte* const counter = workspace.batch_slots(exec, 0, 0).counter;
  for (auto& group : floats) group.start(exec, counter);
  for (auto& group : doubles) group.start(exec, counter);
}

/// Copies of what the calls that share launches came to.
template <class Exec>
std::vector<DecodeResult> results_of(std::span<BatchedDecompression<Exec> const> batch) {
  std::vector<DecodeResult> results(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].call.result != nullptr) results[i] = *batch[i].call.result;
  }
  return results;
}

/// Waits for them and judges the streams; decodes now what no body could take as it came.
/// \throws Error which tells the number of a stream, from 1 on
template <class Tag, class Exec>
std::vector<StreamInfo> finish_decompressions(std::span<BatchedDecompression<Exec> const> batch) {
  if (!batch.empty()) batch[0].call.exec.fence("kompakt::decompress_batch: status");
  std::vector<StreamInfo> infos;
  infos.reserve(batch.size());
  std::vector<DecodeResult> kept;  // results from `first_kept` on
  std::size_t first_kept = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    DecompressCall<Exec> const* call = &batch[i].call;
    // What is decoded now takes the memory of the results.
    if (kept.empty() && call->result != nullptr && call->result->decoded == 0) {
      first_kept = i;
      kept = results_of(batch.subspan(i));
    }
    std::optional<DecompressCall<Exec>> with_kept;
    if (!kept.empty() && call->result != nullptr) {
      with_kept.emplace(*call);
      with_kept->result = &kept[i - first_kept];
      call = &*with_kept;
    }
    infos.push_back(for_stream(i, batch.size(), [&] { return judge_decompression<Tag>(*call); }));
  }
  return infos;
}

}  // namespace kompakt::impl

#endif
