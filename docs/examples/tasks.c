// What docs/integrations/c.md shows, task by task: the code between "[c NAME]" and "[/c]".
#include <kompakt/kompakt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 200, columns = 300 };

static int failures = 0;

static void require(kompakt_status status) {
  if (status == KOMPAKT_OK) return;
  fprintf(stderr, "%s: %s\n", kompakt_status_string(status), kompakt_last_message());
  exit(status);
}

static void expect(char const* task, int as_expected) {
  if (as_expected) return;
  fprintf(stderr, "%s: not as expected\n", task);
  ++failures;
}

static int within(float const* a, float const* b, int count) {
  for (int i = 0; i < count; ++i) {
    if (!(fabs((double)a[i] - (double)b[i]) <= 0.01)) return 0;
  }
  return 1;
}

static void errors(kompakt_context* context, void const* stream, uint64_t bytes) {
  static double values[rows * columns];
  // [c errors]
  uint64_t const extents[] = {rows, columns};
  kompakt_field const shape = kompakt_field_of(KOMPAKT_F64, 2, extents);  // but it was f32
  kompakt_status const status =
      kompakt_decompress(context, stream, bytes, KOMPAKT_HOST, &shape, values, NULL);
  if (status != KOMPAKT_OK) {
    printf("%s: %s\n", kompakt_status_string(status), kompakt_last_message());
  }
  // [/c]
  expect("errors", status == KOMPAKT_TYPE_MISMATCH);
}

static void strides(kompakt_context* context) {
  static double grid[rows][columns];
  uint64_t capacity = 0;
  void* stream;
  // [c strides]
  // The inner values of a grid with two ghost cells on each side.
  uint64_t const extents[] = {rows - 4, columns - 4};
  kompakt_field inner = kompakt_field_of(KOMPAKT_F64, 2, extents);
  inner.strides[0] = columns;  // in values
  inner.strides[1] = 1;
  void* const first = &grid[2][2];
  // [/c]
  kompakt_info info = kompakt_info_default();
  require(kompakt_max_compressed_bytes(&inner, NULL, &capacity));
  stream = malloc(capacity);
  require(kompakt_compress(context, &inner, first, NULL, stream, capacity, KOMPAKT_HOST, &info));
  require(kompakt_decompress(context, stream, info.bytes, KOMPAKT_HOST, &inner, first, NULL));
  expect("strides", info.extents[1] == columns - 4);
  free(stream);
}

static void choose(kompakt_context* context, kompakt_field const* shape, float const* field) {
  uint64_t capacity = 0;
  void* stream;
  kompakt_info info = kompakt_info_default();
  // [c choose]
  kompakt_options options = kompakt_options_default();
  options.bound = kompakt_absolute(0.01);
  options.other_fills[0] = -999;  // beside what is found, such as 1e20 over land
  options.other_fill_count = 1;
  require(kompakt_choose(context, shape, field, KOMPAKT_GOAL_RATIO, &options));
  // [/c]
  require(kompakt_max_compressed_bytes(shape, &options, &capacity));
  stream = malloc(capacity);
  require(kompakt_compress(context, shape, field, &options, stream, capacity, KOMPAKT_HOST, &info));
  expect("choose", info.goal == KOMPAKT_GOAL_RATIO && info.pipeline == options.pipeline);
  free(stream);
}

static void inspect_and_region(kompakt_context* context, void const* stream, uint64_t bytes,
                               float const* field) {
  // [c region]
  kompakt_info info = kompakt_info_default();
  require(kompakt_inspect(stream, bytes, &info));  // the first 1024 bytes are enough

  uint64_t const begin[] = {10, 0}, end[] = {12, info.extents[1]};  // two rows
  uint64_t const extents[] = {end[0] - begin[0], end[1] - begin[1]};
  kompakt_field const region = kompakt_field_of(info.dtype, 2, extents);
  float* const values = malloc(extents[0] * extents[1] * sizeof(float));
  require(kompakt_decompress_region(context, stream, bytes, KOMPAKT_HOST, begin, end, &region,
                                    values, NULL));
  // [/c]
  expect("region", info.dtype == KOMPAKT_F32 && within(field + 10 * columns, values, 2 * columns));
  free(values);
}

static void parts(kompakt_context* context, kompakt_field const* shape, float const* field) {
  // [c parts]
  kompakt_options options = kompakt_options_default();
  options.bound = kompakt_relative_to_range(1e-3);
  kompakt_range range = kompakt_range_default();
  require(kompakt_field_range(context, shape, field, &options, &range));
  // min and max over all parts, where any: MPI_Allreduce
  require(kompakt_options_for_parts(&range, &options));
  // [/c]
  expect("parts", range.any == 1 && options.range == range.width);
}

static void batch(kompakt_context* context, kompakt_field const* shape, float const* u,
                  float const* v) {
  uint64_t capacity = 0;
  kompakt_options const options = kompakt_options_default();
  require(kompakt_max_compressed_bytes(shape, &options, &capacity));
  void* const memory[] = {malloc(capacity), malloc(capacity)};
  // [c batch]
  kompakt_field const shapes[] = {*shape, *shape};
  void const* const values[] = {u, v};
  kompakt_bound const bounds[] = {kompakt_absolute(0.01), kompakt_relative_to_value(1e-3)};
  uint64_t const capacities[] = {capacity, capacity};
  kompakt_info infos[] = {kompakt_info_default(), kompakt_info_default()};
  require(kompakt_compress_batch(context, 2, shapes, values, bounds, &options, memory, capacities,
                                 KOMPAKT_HOST, infos));
  // [/c]
  expect("batch", infos[0].bytes > 0 && infos[1].bound.mode == KOMPAKT_BOUND_PWR);
  free(memory[0]);
  free(memory[1]);
}

static void archive(kompakt_context* context, kompakt_field const* shape, void const* stream,
                    uint64_t bytes, float const* field, float* restored) {
  // [c archive]
  kompakt_archive_writer* writer = NULL;  // or KOMPAKT_ARCHIVE_APPEND: behind those that are there
  require(kompakt_archive_create("c.kpk", KOMPAKT_ARCHIVE_REPLACE, 0, &writer));
  kompakt_attribute const attributes[] = {{"units", "K"}, {"step", "1200"}};
  require(kompakt_archive_append(writer, "temperature", attributes, 2, stream, bytes));
  require(kompakt_archive_commit(writer));
  kompakt_archive_discard(writer);  // frees it; what has been committed stays

  kompakt_archive_reader* reader = NULL;
  require(kompakt_archive_open("c.kpk", &reader));
  uint64_t number = 0;
  require(kompakt_archive_find(reader, "temperature", &number));
  require(kompakt_archive_decompress(context, reader, number, shape, restored, NULL));
  kompakt_entry entry = kompakt_entry_default();
  require(kompakt_archive_entry(reader, number, &entry));
  for (uint64_t i = 0; i < entry.attribute_count; ++i) {
    printf("%s: %s = %s\n", entry.name, entry.attributes[i].key, entry.attributes[i].value);
  }
  kompakt_archive_close(reader);
  // [/c]
  expect("archive", within(field, restored, rows * columns));
  remove("c.kpk");
}

int main(void) {
  static float field[rows * columns], restored[rows * columns];
  uint64_t const extents[] = {rows, columns};
  kompakt_field const shape = kompakt_field_of(KOMPAKT_F32, 2, extents);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  kompakt_context* context = NULL;
  uint64_t capacity = 0;
  void* stream;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) field[i * columns + j] = sinf(0.1f * i) + 0.01f * j;
  }
  // [c start]
  kompakt_settings settings = kompakt_settings_default();
  settings.threads = 2;
  require(kompakt_initialize(&settings));
  // [/c]
  require(kompakt_context_create(KOMPAKT_SPACE_DEFAULT, NULL, &context));
  options.bound = kompakt_absolute(0.01);
  require(kompakt_max_compressed_bytes(&shape, &options, &capacity));
  stream = malloc(capacity);
  require(
      kompakt_compress(context, &shape, field, &options, stream, capacity, KOMPAKT_HOST, &info));

  errors(context, stream, info.bytes);
  strides(context);
  choose(context, &shape, field);
  inspect_and_region(context, stream, info.bytes, field);
  parts(context, &shape, field);
  batch(context, &shape, field, field);
  archive(context, &shape, stream, info.bytes, field, restored);

  free(stream);
  kompakt_context_destroy(context);
  return failures;
}
