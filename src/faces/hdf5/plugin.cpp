#include "abi.hpp"

// What HDF5 looks for in a plugin. H5PLextern.h declares the same; an H5PL_type_t is an int.

extern "C" {
int H5PLget_plugin_type() { return kompakt::hdf5::filter_plugin; }
void const* H5PLget_plugin_info() { return &kompakt::hdf5::filter_class; }
}
