#ifndef KOMPAKT_KOMPAKT_HPP
#define KOMPAKT_KOMPAKT_HPP

#include <kompakt/any_codec.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/batch.hpp>
#include <kompakt/box.hpp>
#include <kompakt/checkpoint.hpp>
#include <kompakt/choice_record.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/codebooks.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/environment.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/field_stream.hpp>
#include <kompakt/files.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/io.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/option_keys.hpp>
#include <kompakt/options.hpp>
#include <kompakt/pending.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/slab_reader.hpp>
#include <kompakt/slabs.hpp>
#include <kompakt/snapshot_store.hpp>
#include <kompakt/spaces.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/stream_reader.hpp>
#include <kompakt/threads.hpp>
#include <kompakt/verify.hpp>
#include <kompakt/version.hpp>
#include <kompakt/workspace.hpp>

#endif
