/* The binary interface: sizes of structures and places of members, which must never change. */
#include <kompakt/kompakt.h>
#include <stddef.h>

#define IS_SIZE(type, bytes) typedef char size_of_##type[sizeof(type) == (bytes) ? 1 : -1]
#define IS_AT(type, member, bytes) \
  typedef char place_of_##type##_##member[offsetof(type, member) == (bytes) ? 1 : -1]

IS_SIZE(kompakt_settings, 16);
IS_AT(kompakt_settings, device, 12);

IS_SIZE(kompakt_field, 152);
IS_AT(kompakt_field, dtype, 8);
IS_AT(kompakt_field, order, 12);
IS_AT(kompakt_field, memory, 16);
IS_AT(kompakt_field, rank, 20);
IS_AT(kompakt_field, extents, 24);
IS_AT(kompakt_field, strides, 88);

IS_SIZE(kompakt_bound, 16);
IS_AT(kompakt_bound, mode, 8);

IS_SIZE(kompakt_options, 200);
IS_AT(kompakt_options, bound, 8);
IS_AT(kompakt_options, pipeline, 24);
IS_AT(kompakt_options, variant, 28);
IS_AT(kompakt_options, predictor, 32);
IS_AT(kompakt_options, checksum, 36);
IS_AT(kompakt_options, radius, 40);
IS_AT(kompakt_options, fill_mode, 44);
IS_AT(kompakt_options, fill, 48);
IS_AT(kompakt_options, range, 56);
IS_AT(kompakt_options, reason, 64);
IS_AT(kompakt_options, pack, 72);
IS_AT(kompakt_options, other_fills, 80);
IS_AT(kompakt_options, other_fill_count, 136);
IS_AT(kompakt_options, has_limits, 140);
IS_AT(kompakt_options, upper_limit, 152);
IS_AT(kompakt_options, axis, 160);
IS_AT(kompakt_options, step, 168);
IS_AT(kompakt_options, second_axis, 184);
IS_AT(kompakt_options, magnitude, 192);

IS_SIZE(kompakt_info, 408);
IS_AT(kompakt_info, bytes, 8);
IS_AT(kompakt_info, version, 16);
IS_AT(kompakt_info, extents, 32);
IS_AT(kompakt_info, origin, 96);
IS_AT(kompakt_info, total, 160);
IS_AT(kompakt_info, bound, 224);
IS_AT(kompakt_info, resolved, 240);
IS_AT(kompakt_info, fill, 256);
IS_AT(kompakt_info, has_fill, 264);
IS_AT(kompakt_info, pipeline, 280);
IS_AT(kompakt_info, goal, 296);
IS_AT(kompakt_info, books, 312);
IS_AT(kompakt_info, codebook_bytes, 328);
IS_AT(kompakt_info, exceptions, 336);
IS_AT(kompakt_info, chunks, 344);
IS_AT(kompakt_info, has_limits, 352);
IS_AT(kompakt_info, lower_limit, 360);
IS_AT(kompakt_info, steps_kind, 376);
IS_AT(kompakt_info, second_axis, 400);

IS_SIZE(kompakt_range, 112);
IS_AT(kompakt_range, width, 24);
IS_AT(kompakt_range, fill, 32);
IS_AT(kompakt_range, any, 40);
IS_AT(kompakt_range, other_fills, 48);
IS_AT(kompakt_range, other_fill_count, 104);

IS_SIZE(kompakt_quality, 408);
IS_AT(kompakt_quality, first_violation, 32);
IS_AT(kompakt_quality, psnr_db, 96);
IS_AT(kompakt_quality, ssim, 112);
IS_AT(kompakt_quality, autocorrelation, 128);
IS_AT(kompakt_quality, histogram, 208);
IS_AT(kompakt_quality, histogram_below, 376);
IS_AT(kompakt_quality, entropy_original, 392);

IS_SIZE(kompakt_attribute, 16);

IS_SIZE(kompakt_entry, 56);
IS_AT(kompakt_entry, name, 8);
IS_AT(kompakt_entry, attributes, 16);
IS_AT(kompakt_entry, attribute_count, 24);
IS_AT(kompakt_entry, checksum, 48);

IS_SIZE(kompakt_status, 4);
