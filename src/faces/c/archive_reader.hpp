#ifndef KOMPAKT_C_ARCHIVE_READER_HPP
#define KOMPAKT_C_ARCHIVE_READER_HPP

#include "status.hpp"
#include <cstddef>
#include <cstdint>
#include <kompakt/archive.hpp>
#include <kompakt/frames.hpp>
#include <kompakt/kompakt.h>
#include <string>
#include <utility>
#include <vector>

struct kompakt_archive_reader {
  explicit kompakt_archive_reader(kompakt::ArchiveReader reader) : archive(std::move(reader)) {
    for (kompakt::ArchiveEntry const& entry : archive.entries()) {
      auto& texts = attributes.emplace_back();
      for (auto const& [key, value] : entry.attributes) {
        texts.push_back({key.c_str(), value.c_str()});
      }
    }
  }
  kompakt::ArchiveEntry const& entry(std::uint64_t number) const {
    auto const& entries = archive.entries();
    if (number >= entries.size()) {
      kompakt::c::refuse("there is no field " + std::to_string(number) + " in an archive of " +
                             std::to_string(entries.size()),
                         "numbers begin at 0");
    }
    return entries[static_cast<std::size_t>(number)];
  }
  kompakt::FrameReader frames(std::uint64_t number) const {
    std::string const& name = entry(number).name;
    return kompakt::FrameReader(archive.open(name), "'" + name + "'");
  }

  kompakt::ArchiveReader archive;
  std::vector<std::vector<kompakt_attribute>> attributes;  ///< of each entry, its own texts
};

#endif
