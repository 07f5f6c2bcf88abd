/* The whole interface from C99: a round trip with every kind of call, each result looked at. */
#include <kompakt/kompakt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 60, columns = 50 };

static int failures = 0;

static void expect_ok(char const* call, kompakt_status status) {
  if (status == KOMPAKT_OK) return;
  fprintf(stderr, "%s: %s: %s\n", call, kompakt_status_string(status), kompakt_last_message());
  ++failures;
}
static void expect(char const* what, int holds) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  ++failures;
}
#define OK(call) expect_ok(#call, call)
#define HOLDS(condition) expect(#condition, condition)

static void fill(double* values) {
  int i, j;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < columns; ++j) values[i * columns + j] = sin(0.1 * i) + 0.01 * j;
  }
}

static int within(double const* a, double const* b, double bound) {
  int i;
  for (i = 0; i < rows * columns; ++i) {
    if (!(fabs(a[i] - b[i]) <= bound)) return 0;
  }
  return 1;
}

static void round_trip(kompakt_context* context, double const* values, double* restored) {
  uint64_t const extents[] = {rows, columns}, begin[] = {3, 0}, end[] = {5, columns};
  kompakt_field field = kompakt_field_of(KOMPAKT_F64, 2, extents), region = field;
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default(), again = kompakt_info_default();
  kompakt_range range = kompakt_range_default();
  kompakt_quality quality = kompakt_quality_default();
  uint64_t capacity = 0;
  void* stream;

  options.bound = kompakt_absolute(0.01);
  OK(kompakt_validate_options(&options));
  OK(kompakt_choose(context, &field, values, KOMPAKT_GOAL_RATIO, &options));
  OK(kompakt_max_compressed_bytes(&field, &options, &capacity));
  stream = malloc(capacity);
  OK(kompakt_compress(context, &field, values, &options, stream, capacity, KOMPAKT_HOST, &info));
  HOLDS(info.bytes > 0 && info.bytes < rows * columns * sizeof(double));
  HOLDS(info.resolved.mode == KOMPAKT_BOUND_ABS && info.resolved.value == 0.01);
  OK(kompakt_inspect(stream, info.bytes, &again));
  HOLDS(again.rank == 2 && again.extents[0] == rows && again.extents[1] == columns);
  HOLDS(again.goal == KOMPAKT_GOAL_RATIO);
  OK(kompakt_decompress(context, stream, info.bytes, KOMPAKT_HOST, &field, restored, NULL));
  HOLDS(within(values, restored, 0.01));
  OK(kompakt_compare(context, &field, values, &field, restored, &info.resolved,
                     KOMPAKT_QUALITY_SSIM | KOMPAKT_QUALITY_ENTROPY, &quality));
  HOLDS(quality.violations == 0 && quality.values == rows * columns);
  OK(kompakt_field_range(context, &field, values, NULL, &range));
  HOLDS(range.any == 1 && range.width > 1);

  /* Two rows, each value at its place in the whole. */
  region.extents[0] = 2;
  OK(kompakt_decompress_region(context, stream, info.bytes, KOMPAKT_HOST, begin, end, &region,
                               restored + 3 * columns, NULL));
  HOLDS(within(values, restored, 0.01));
  free(stream);
}

/* The indices that are coded first, second and third. */
static void axes(kompakt_context* context, double const* values, double* restored) {
  uint64_t const extents[] = {4, 15, 5, 10};
  kompakt_field const field = kompakt_field_of(KOMPAKT_F64, 4, extents);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  uint64_t capacity = 0;
  void* stream;
  HOLDS(options.axis == -1 && options.second_axis == -1 && options.third_axis == -1);
  HOLDS(info.second_axis == -1 && info.third_axis == -1);
  OK(kompakt_options_set_text(&options, "abs:0.01,axis=3:0:1"));
  HOLDS(options.axis == 3 && options.second_axis == 0 && options.third_axis == 1);
  OK(kompakt_max_compressed_bytes(&field, &options, &capacity));
  stream = malloc(capacity);
  OK(kompakt_compress(context, &field, values, &options, stream, capacity, KOMPAKT_HOST, &info));
  HOLDS(info.axis == 3 && info.second_axis == 0 && info.third_axis == 1);
  OK(kompakt_decompress(context, stream, info.bytes, KOMPAKT_HOST, &field, restored, NULL));
  HOLDS(within(values, restored, 0.01));
  free(stream);
  OK(kompakt_options_set(&options, "axis", "2"));
  HOLDS(options.axis == 2 && options.second_axis == -1 && options.third_axis == -1);
  HOLDS(kompakt_options_set(&options, "axis", "3:3") == KOMPAKT_BAD_ARGUMENT && options.axis == 2);

  /* A caller whose structure ends before these members does not name them. */
  options.second_axis = 99;
  HOLDS(kompakt_validate_options(&options) == KOMPAKT_BAD_ARGUMENT);
  options.struct_size = offsetof(kompakt_options, second_axis);
  OK(kompakt_validate_options(&options));
}

static void batch(kompakt_context* context, double const* values, double* restored) {
  uint64_t const extents[] = {rows / 2, columns};
  kompakt_field fields[2];
  kompakt_bound bounds[2];
  kompakt_info infos[2];
  void const* from[2];
  void* streams[2];
  uint64_t capacities[2];
  int i;
  for (i = 0; i < 2; ++i) {
    fields[i] = kompakt_field_of(KOMPAKT_F64, 2, extents);
    bounds[i] = i == 0 ? kompakt_relative_to_range(1e-3) : kompakt_psnr(60);
    infos[i] = kompakt_info_default();
    from[i] = values + i * (rows / 2) * columns;
    OK(kompakt_max_compressed_bytes(&fields[i], NULL, &capacities[i]));
    streams[i] = malloc(capacities[i]);
  }
  OK(kompakt_compress_batch(context, 2, fields, from, bounds, NULL, streams, capacities,
                            KOMPAKT_HOST, infos));
  for (i = 0; i < 2; ++i) {
    OK(kompakt_decompress(context, streams[i], infos[i].bytes, KOMPAKT_HOST, &fields[i],
                          restored + i * (rows / 2) * columns, NULL));
    free(streams[i]);
  }
  HOLDS(within(values, restored,
               infos[0].resolved.value > infos[1].resolved.value ? infos[0].resolved.value
                                                                 : infos[1].resolved.value));
}

static void archive(kompakt_context* context, char const* path, double const* values,
                    double* restored) {
  uint64_t const extents[] = {rows, columns}, whole[] = {rows, columns}, origin[] = {0, 0};
  kompakt_attribute const attributes[] = {{"units", "K"}};
  kompakt_field const field = kompakt_field_of(KOMPAKT_F64, 2, extents);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  kompakt_entry entry = kompakt_entry_default();
  kompakt_archive_writer* writer = NULL;
  kompakt_archive_reader* reader = NULL;
  uint64_t capacity = 0, number = 0, count = 0;
  void* stream;

  options.bound = kompakt_lossless();
  OK(kompakt_max_compressed_bytes(&field, &options, &capacity));
  stream = malloc(capacity);
  OK(kompakt_compress(context, &field, values, &options, stream, capacity, KOMPAKT_HOST, &info));
  OK(kompakt_mark_part(stream, info.bytes, origin, whole, &info));
  OK(kompakt_archive_create(path, KOMPAKT_ARCHIVE_REPLACE, 0, &writer));
  OK(kompakt_archive_append(writer, "t", attributes, 1, stream, info.bytes));
  OK(kompakt_archive_begin(writer, "u", NULL, 0));
  OK(kompakt_archive_add_frame(writer, stream, info.bytes));
  OK(kompakt_archive_end(writer));
  OK(kompakt_archive_remove(writer, "t"));
  OK(kompakt_archive_append(writer, "t", attributes, 1, stream, info.bytes));
  OK(kompakt_archive_commit(writer));
  kompakt_archive_discard(writer);

  OK(kompakt_archive_open(path, &reader));
  OK(kompakt_archive_count(reader, &count));
  HOLDS(count == 2);
  OK(kompakt_archive_find(reader, "t", &number));
  OK(kompakt_archive_entry(reader, number, &entry));
  HOLDS(entry.attribute_count == 1 && entry.attributes[0].value[0] == 'K');
  HOLDS(entry.bytes == info.bytes);
  OK(kompakt_archive_read(reader, number, stream, entry.bytes));
  OK(kompakt_archive_inspect(reader, number, &info));
  OK(kompakt_archive_decompress(context, reader, number, &field, restored, NULL));
  HOLDS(within(values, restored, 0));
  OK(kompakt_archive_decompress_region(context, reader, number, origin, whole, &field, restored,
                                       NULL));
  HOLDS(within(values, restored, 0));
  kompakt_archive_close(reader);
  free(stream);
}

int main(int argc, char** argv) {
  static double values[rows * columns], restored[rows * columns];
  kompakt_settings settings = kompakt_settings_default();
  kompakt_context* context = NULL;
  kompakt_space space = KOMPAKT_SPACE_DEFAULT;
  uint64_t bytes = 0;
  if (argc != 2) return 2;
  fill(values);
  settings.threads = 2;
  OK(kompakt_initialize(&settings));
  OK(kompakt_context_create(KOMPAKT_SPACE_SERIAL, NULL, &context));
  if (context == NULL) return 1;
  OK(kompakt_context_space(context, &space));
  HOLDS(space == KOMPAKT_SPACE_SERIAL && kompakt_has_space(space) == 1);
  round_trip(context, values, restored);
  axes(context, values, restored);
  batch(context, values, restored);
  archive(context, argv[1], values, restored);
  OK(kompakt_context_fence(context));
  OK(kompakt_context_bytes(context, &bytes));
  HOLDS(bytes > 0);
  kompakt_context_destroy(context);
  HOLDS(kompakt_context_create(99, NULL, &context) == KOMPAKT_BAD_ARGUMENT);
  printf("kompakt %s (%s): %s\n", kompakt_version_string(), kompakt_git_commit(),
         failures == 0 ? "as expected" : "not as expected");
  return failures == 0 ? 0 : 1;
}
