#ifndef KOMPAKT_H5Z_H
#define KOMPAKT_H5Z_H

#include <hdf5.h>
#include <kompakt/h5z_values.h>

// The HDF5 filter as a library, kompakt::h5z, for applications that link HDF5 themselves: no plugin and no
// HDF5_PLUGIN_PATH. What it writes the plugin reads, and the other way round. docs/integrations/hdf5.md goes by task.

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the filter with the application's HDF5. May be called again.
/// \returns negative if HDF5 refuses
herr_t H5Z_kompakt_initialize(void);
/// Takes it out again, when no dataset that uses it is open. Kokkos is not touched.
herr_t H5Z_kompakt_finalize(void);

/// Adds the filter to the properties that a dataset is created with, which must have chunks and no other filter yet.
/// Errors are reported when the dataset is created, on HDF5's error stack.
/// \param dcpl     of class H5P_DATASET_CREATE
/// \param options  NULL: as H5Pset_kompakt_relative_to_range() with 1e-3. A bound by a range that they give becomes an absolute one
/// \returns negative, with a message on HDF5's error stack, for options that cannot be used, or that name a radius, an axis, steps or a
///          goal, which the filter does not keep
herr_t H5Pset_kompakt(hid_t dcpl, kompakt_options const* options);
/// |x - x'| <= bound
herr_t H5Pset_kompakt_absolute(hid_t dcpl, double bound);
/// |x - x'| <= value * (max - min), where max and min belong to a chunk: a filter sees no more.
herr_t H5Pset_kompakt_relative_to_range(hid_t dcpl, double value);
/// |x - x'| <= value * |x|
herr_t H5Pset_kompakt_relative_to_value(hid_t dcpl, double value);
/// 20 log10((max - min) / rmse) >= decibels, of each chunk.
herr_t H5Pset_kompakt_psnr(hid_t dcpl, double decibels);
/// Every bit, also of integers.
herr_t H5Pset_kompakt_lossless(hid_t dcpl);
/// Sets the extents of a chunk, if the dataset has others: see kompakt_h5z_put_extents(). Call it after one of the functions above.
herr_t H5Pset_kompakt_extents(hid_t dcpl, unsigned z, unsigned y, unsigned x);

#ifdef __cplusplus
}
#endif

#endif
