#ifndef KOMPAKT_C_CONTEXT_HPP
#define KOMPAKT_C_CONTEXT_HPP

#include <kompakt/any_codec.hpp>
#include <kompakt/kompakt.h>

struct kompakt_context {
  kompakt::AnyCodec codec;
};

#endif
