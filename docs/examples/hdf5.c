// What docs/integrations/hdf5.md shows of netCDF's C library: the code between "[hdf5 NAME]" and "[/hdf5]" is printed
// there, letter by letter.

#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>

static void require(int status) {
  if (status == NC_NOERR) return;
  fprintf(stderr, "%s\n", nc_strerror(status));
  exit(1);
}

// [hdf5 netcdf]
#include <kompakt/h5z_values.h>  // needs neither HDF5 nor kompakt to be linked

static void compress_variable(int file, int variable, double bound) {
  unsigned words[KOMPAKT_H5Z_WORDS];
  kompakt_h5z_words_of_bound(kompakt_absolute(bound), words);
  require(nc_def_var_filter(file, variable, KOMPAKT_H5Z_FILTER_ID, KOMPAKT_H5Z_WORDS, words));
}
// [/hdf5]

int main(int argc, char** argv) {
  static float field[64][128], restored[64][128];
  int file, variable, dimensions[2], wrong = 0;
  size_t const chunk[] = {64, 128};
  if (argc != 2) return 2;
  for (int j = 0; j < 64; ++j)
    for (int i = 0; i < 128; ++i) field[j][i] = 0.37f * (float)(i * j % 101);
  require(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &file));
  require(nc_def_dim(file, "y", 64, &dimensions[0]));
  require(nc_def_dim(file, "x", 128, &dimensions[1]));
  require(nc_def_var(file, "t", NC_FLOAT, 2, dimensions, &variable));
  require(nc_def_var_chunking(file, variable, NC_CHUNKED, chunk));
  compress_variable(file, variable, 0.01);
  require(nc_put_var_float(file, variable, &field[0][0]));
  require(nc_close(file));
  require(nc_open(argv[1], NC_NOWRITE, &file));
  require(nc_get_var_float(file, variable, &restored[0][0]));
  require(nc_close(file));
  for (int j = 0; j < 64; ++j) {
    for (int i = 0; i < 128; ++i) {
      double const error = (double)field[j][i] - (double)restored[j][i];
      wrong += !(error >= -0.01 && error <= 0.01);
    }
  }
  printf("%d values outside the bound\n", wrong);
  return wrong == 0 ? 0 : 1;
}
