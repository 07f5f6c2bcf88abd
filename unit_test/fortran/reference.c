/* What the Fortran interface is held against: the same call in C. */
#include <kompakt/kompakt.h>

/* Bytes of the stream of an array in the order of Fortran, within a bound; 0 if that failed. */
uint64_t reference_stream(kompakt_dtype dtype, int32_t rank, uint64_t const* extents, double bound,
                          void const* values, void* stream, uint64_t capacity) {
  kompakt_context* context = NULL;
  kompakt_field field = kompakt_field_of(dtype, rank, extents);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  field.order = rank > 1 ? KOMPAKT_FIRST_FASTEST : KOMPAKT_LAST_FASTEST;
  options.bound = kompakt_absolute(bound);
  if (kompakt_context_create(KOMPAKT_SPACE_SERIAL, NULL, &context) != KOMPAKT_OK) return 0;
  (void)kompakt_compress(context, &field, values, &options, stream, capacity, KOMPAKT_HOST, &info);
  kompakt_context_destroy(context);
  return info.bytes;
}

/* sizeof of the structures, in the order of the test. */
uint64_t size_of_structure(int32_t number) {
  uint64_t const sizes[] = {sizeof(kompakt_bound), sizeof(kompakt_options), sizeof(kompakt_info),
                            sizeof(kompakt_range), sizeof(kompakt_quality)};
  return sizes[number - 1];
}
