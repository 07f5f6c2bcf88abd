#ifndef KOMPAKT_C_CONTEXT_HPP
#define KOMPAKT_C_CONTEXT_HPP

#include <kompakt/any_codec.hpp>
#include <kompakt/kompakt.h>
#include <utility>

struct kompakt_context {
  explicit kompakt_context(kompakt::AnyCodec made) : codec(std::move(made)) {}

  kompakt::AnyCodec codec;
};

#endif
