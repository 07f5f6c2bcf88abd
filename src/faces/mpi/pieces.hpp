#ifndef KOMPAKT_MPI_PIECES_HPP
#define KOMPAKT_MPI_PIECES_HPP

#include <cstddef>
#include <span>

#include "engine.hpp"
#include "head.hpp"
#include "piece_layout.hpp"

// What becomes of pieces where they arrive.

namespace kompakt::mpi {

/// \param from  the sender
/// \throws Error buffer_too_small or type_mismatch, naming what is needed, unless the field of a head fits; bad_argument
///         if there is no memory for it
void require_same_field(Head const& head, FieldTarget const& field, int from);

/// Whether MPI puts pieces where the values go.
bool arrives_direct(Engine const& engine, Head const& head, FieldTarget const& field);
/// Where the buffers are if not.
MemoryOf pieces_in(Engine const& engine, Head const& head, FieldTarget const& field);

/// Makes values of a piece.
/// \throws Error corrupt for a truncated or damaged one, device
void take_piece(Engine& engine, Head const& head, PieceLayout const& layout,
                FieldTarget const& field, std::size_t piece, std::span<std::byte const> bytes,
                MemoryOf in);

}  // namespace kompakt::mpi

#endif
