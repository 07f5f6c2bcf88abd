// A program that uses netCDF's C library, which loads the filter as a plugin.
#include <kompakt/h5z_values.h>
#include <math.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>
#include <stdlib.h>

enum { nz = 20, ny = 50, nx = 70 };
static double const bound = 0.01;

static void require(int status, char const* what) {
  if (status == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", what, nc_strerror(status));
  exit(1);
}

static void write_field(char const* path, float const* values) {
  int file, variable, dimensions[3];
  size_t const chunks[] = {10, 50, 70};
  unsigned words[KOMPAKT_H5Z_WORDS];
  require(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file), "nc_create");
  require(nc_def_dim(file, "z", nz, &dimensions[0]), "nc_def_dim");
  require(nc_def_dim(file, "y", ny, &dimensions[1]), "nc_def_dim");
  require(nc_def_dim(file, "x", nx, &dimensions[2]), "nc_def_dim");
  require(nc_def_var(file, "t", NC_FLOAT, 3, dimensions, &variable), "nc_def_var");
  require(nc_def_var_chunking(file, variable, NC_CHUNKED, chunks), "nc_def_var_chunking");
  kompakt_h5z_words_of_bound(kompakt_absolute(bound), words);
  require(nc_def_var_filter(file, variable, KOMPAKT_H5Z_FILTER_ID, KOMPAKT_H5Z_WORDS, words),
          "nc_def_var_filter");
  require(nc_put_var_float(file, variable, values), "nc_put_var_float");
  require(nc_close(file), "nc_close");
}

static int violations(char const* path, float const* values) {
  static float restored[nz * ny * nx];
  int file, variable, wrong = 0;
  require(nc_open(path, NC_NOWRITE, &file), "nc_open");
  require(nc_inq_varid(file, "t", &variable), "nc_inq_varid");
  require(nc_get_var_float(file, variable, restored), "nc_get_var_float");
  require(nc_close(file), "nc_close");
  // Differences of these floats are exact in double.
  for (int i = 0; i < nz * ny * nx; ++i) {
    wrong += !(fabs((double)values[i] - (double)restored[i]) <= bound);
  }
  return wrong;
}

static int is_small(char const* path) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 0;
  long const bytes = ftell(file);
  fclose(file);
  return bytes < nz * ny * nx;
}

int main(int argc, char** argv) {
  static float values[nz * ny * nx];
  if (argc != 2) return 2;
  for (int i = 0; i < nz * ny * nx; ++i) values[i] = sinf(0.01f * (float)i) + (float)(i % 7) / 64;
  write_field(argv[1], values);
  int const wrong = violations(argv[1], values);
  printf("%d values outside the bound\n", wrong);
  return wrong == 0 && is_small(argv[1]) ? 0 : 1;
}
