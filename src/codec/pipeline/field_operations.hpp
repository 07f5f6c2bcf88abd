#ifndef KOMPAKT_PIPELINE_FIELD_OPERATIONS_HPP
#define KOMPAKT_PIPELINE_FIELD_OPERATIONS_HPP

// The operations that know values only, or nothing of a field, as record_operations.hpp has those that know records.

#include <pipeline/backend_memory.hpp>
#include <pipeline/resolve.hpp>
#include <pipeline/side_instance.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/resolve.hpp>
#include <cuda/resolve_batch.hpp>
#include <cuda/side_instance.hpp>
#endif

#endif
