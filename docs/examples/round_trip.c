// A field there and back in C: what docs/integrations/c.md begins with.
// [c program]
#include <kompakt/kompakt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void require(kompakt_status status) {
  if (status == KOMPAKT_OK) return;
  fprintf(stderr, "%s: %s\n", kompakt_status_string(status), kompakt_last_message());
  exit(status);
}

int main(void) {
  enum { nz = 40, ny = 64, nx = 96 };
  static float field[nz][ny][nx], restored[nz][ny][nx];
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) field[k][j][i] = sinf(0.1f * k) * cosf(0.07f * j) + 0.01f * i;

  kompakt_context* context = NULL;
  require(kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context));

  uint64_t const extents[] = {nz, ny, nx};
  kompakt_field const shape = kompakt_field_of(KOMPAKT_F32, 3, extents);
  kompakt_options options = kompakt_options_default();
  options.bound = kompakt_relative_to_range(1e-3);  // 1e-3 * (max - min)

  uint64_t capacity = 0;
  require(kompakt_max_compressed_bytes(&shape, &options, &capacity));
  void* stream = malloc(capacity);
  kompakt_info info = kompakt_info_default();
  require(
      kompakt_compress(context, &shape, field, &options, stream, capacity, KOMPAKT_HOST, &info));
  require(kompakt_decompress(context, stream, info.bytes, KOMPAKT_HOST, &shape, restored, NULL));

  kompakt_quality quality = kompakt_quality_default();
  require(kompakt_compare(context, &shape, field, &shape, restored, &info.resolved,
                          KOMPAKT_QUALITY_BASIC, &quality));
  printf("ratio %.2f, largest error %g of %g, %llu values outside the bound\n",
         (double)sizeof field / (double)info.bytes, quality.max_abs_error, info.resolved.value,
         (unsigned long long)quality.violations);
  free(stream);
  kompakt_context_destroy(context);
  return quality.violations == 0 ? 0 : 1;
}
// [/c]
