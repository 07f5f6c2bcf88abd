#ifndef KOMPAKT_CUDA_PREDICTOR_WARP_PREDICTOR_HPP
#define KOMPAKT_CUDA_PREDICTOR_WARP_PREDICTOR_HPP

namespace kompakt::impl::cuda {

/// A predictor on a tile in the registers of a warp, 32 values a lane: the same residuals as the predictor itself.
///   difference<Shape, works_anew>(context, v, shared)
///                                               bins to residuals; the tile's first place keeps its bin
///   integrate<Shape>(context, v, sum, shared)   the inverse; sum: of the lane's residuals
///   row_after_integrate<Shape>(lane, quad), quad_after_integrate<Shape>(lane, quad)
///                                               row and quad, in the tile's order, of a thread's quad after that
///   store_rows<Shape>(v, box, field)            of 32 bits: a whole square or brick from there to an aligned field
/// shared: working memory of the warp. Context is that of the predictor.
template <class Predictor>
struct WarpPredictor;

}  // namespace kompakt::impl::cuda

#endif
