/* A stream of more than 4 GiB: bits at random, without a loss, there and back. Takes 9 GB of memory, and says "skipped" where
   there are not as many. */
#include <kompakt/kompakt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t const values = (UINT64_C(1) << 30) + (UINT64_C(1) << 24) + 7;

/* A mixture of the bits of a place (after MurmurHash3), which no coder makes smaller. */
static uint32_t bits_of(uint64_t place) {
  uint32_t bits = (uint32_t)place * UINT32_C(2654435761);
  bits = (bits ^ (bits >> 16)) * UINT32_C(0x85ebca6b);
  bits = (bits ^ (bits >> 13)) * UINT32_C(0xc2b2ae35);
  return bits ^ (bits >> 16);
}

static int failed(char const* what) {
  fprintf(stderr, "%s; the last message: %s\n", what, kompakt_last_message());
  return 1;
}

static int there_and_back(uint32_t* field, void* stream, uint64_t capacity,
                          kompakt_field const* shape, kompakt_options const* options) {
  kompakt_context* context = NULL;
  kompakt_info info = kompakt_info_default();
  uint64_t i;
  if (kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context) != KOMPAKT_OK)
    return failed("no context");
  for (i = 0; i < values; ++i) field[i] = bits_of(i);
  if (kompakt_compress(context, shape, field, options, stream, capacity, KOMPAKT_HOST, &info) !=
      KOMPAKT_OK)
    return failed("not compressed");
  if (info.bytes <= UINT32_MAX) return failed("the stream has fewer bytes than it should");
  memset(field, 0, (size_t)values * sizeof *field);
  if (kompakt_decompress(context, stream, info.bytes, KOMPAKT_HOST, shape, field, NULL) !=
      KOMPAKT_OK)
    return failed("not decompressed");
  for (i = 0; i < values; ++i) {
    if (field[i] != bits_of(i)) return failed("another value");
  }
  kompakt_context_destroy(context);
  printf("%llu bytes, there and back\n", (unsigned long long)info.bytes);
  return 0;
}

int main(void) {
  uint64_t const extents[] = {values};
  kompakt_field const shape = kompakt_field_of(KOMPAKT_F32, 1, extents);
  kompakt_options options = kompakt_options_default();
  uint64_t capacity = 0;
  uint32_t* field;
  void* stream;
  int result = 0;
  options.bound = kompakt_lossless();
  if (kompakt_max_compressed_bytes(&shape, &options, &capacity) != KOMPAKT_OK)
    return failed("no capacity");
  field = (uint32_t*)malloc((size_t)values * sizeof *field);
  stream = malloc((size_t)capacity);
  if (field == NULL || stream == NULL) {
    puts("skipped: needs 9 GB of memory");
  } else {
    result = there_and_back(field, stream, capacity, &shape, &options);
  }
  free(field);
  free(stream);
  return result;
}
