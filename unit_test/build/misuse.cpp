#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>
#include <Kokkos_DynRankView.hpp>
#include <kompakt/kompakt.hpp>
#include <span>
#include <vector>

// Does not compile: its test looks at what the compiler says. FIELD is the type that is taken for a field.

using Exec = Kokkos::DefaultHostExecutionSpace;
using DualView = Kokkos::DualView<float**, Exec>;
using DynRankView = Kokkos::DynRankView<float, Exec>;

void misuse(Exec const& exec, FIELD const& field, kompakt::Workspace<Exec>& workspace,
            kompakt::CompressedStream<Exec::memory_space>& stream) {
  kompakt::compress(exec, field, kompakt::Options{}, workspace, stream);
  kompakt::decompress(exec, stream, workspace, field);
}
