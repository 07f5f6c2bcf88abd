#include "hdf5_references.hpp"
#include <cstring>
#include <kompakt/error.hpp>

namespace kompakt::files {

bool point_elsewhere(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING: return H5Tis_variable_str(type) > 0;
    case H5T_VLEN:
    case H5T_REFERENCE: return true;
    case H5T_ARRAY: return point_elsewhere(Id(H5Tget_super(type), H5Tclose).get());
    case H5T_COMPOUND: break;
    default: return false;
  }
  auto const members = static_cast<unsigned>(std::max(H5Tget_nmembers(type), 0));
  for (unsigned number = 0; number < members; ++number) {
    Id const member(H5Tget_member_type(type, number), H5Tclose);
    if (point_elsewhere(member.get())) return true;
  }
  return false;
}

void References::turn(hid_t type, std::span<std::byte> values) const {
  if (!are_in(type)) return;
  switch (H5Tget_class(type)) {
    case H5T_COMPOUND: return turn_structures(type, values);
    case H5T_VLEN: return turn_lists(type, values);
    case H5T_ARRAY: {
      Id const element(H5Tget_super(type), H5Tclose);
      return turn(element.get(), values);
    }
    default: break;
  }
  std::size_t const bytes = H5Tget_size(type);
  for (std::size_t at = 0; at < values.size(); at += bytes) turn_one(type, &values[at]);
}

void References::turn_structures(hid_t type, std::span<std::byte> values) const {
  std::size_t const bytes = H5Tget_size(type);
  auto const members = static_cast<unsigned>(std::max(H5Tget_nmembers(type), 0));
  for (unsigned number = 0; number < members; ++number) {
    Id const member(H5Tget_member_type(type, number), H5Tclose);
    std::size_t const offset = H5Tget_member_offset(type, number);
    std::size_t const member_bytes = H5Tget_size(member.get());
    for (std::size_t at = 0; at < values.size(); at += bytes) {
      turn(member.get(), values.subspan(at + offset, member_bytes));
    }
  }
}

void References::turn_lists(hid_t type, std::span<std::byte> values) const {
  Id const element(H5Tget_super(type), H5Tclose);
  std::size_t const bytes = H5Tget_size(element.get());
  hvl_t list;
  for (std::size_t at = 0; at + sizeof list <= values.size(); at += sizeof list) {
    std::memcpy(&list, &values[at], sizeof list);
    if (list.p != nullptr) {
      turn(element.get(), {static_cast<std::byte*>(list.p), list.len * bytes});
    }
  }
}

void References::turn_one(hid_t type, std::byte* value) const {
  if (H5Tequal(type, H5T_STD_REF_OBJ) > 0) {
    hobj_ref_t reference;
    std::memcpy(&reference, value, sizeof reference);
    reference = object(reference);
    std::memcpy(value, &reference, sizeof reference);
  } else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0) {
    hdset_reg_ref_t reference;
    std::memcpy(&reference, value, sizeof reference);
    turn_region(reference);
    std::memcpy(value, &reference, sizeof reference);
  } else {
    throw Error(Status::bad_argument,
                "the file has references of a kind that cannot be copied; see 'h5repack'");
  }
}

hobj_ref_t References::object(hobj_ref_t reference) const {
  CopiedObject const* const copy = m_find(reference);
  return copy == nullptr ? 0 : copy->address;
}

void References::turn_region(hdset_reg_ref_t& reference) const {
  Id const object(H5Rdereference2(m_from, H5P_DEFAULT, H5R_DATASET_REGION, &reference), H5Oclose);
  Id const region(H5Rget_region(m_from, H5R_DATASET_REGION, &reference), H5Sclose);
  std::memset(&reference, 0, sizeof reference);
  ObjectInfo info{};
  if (object.get() < 0 || region.get() < 0 ||
      H5Oget_info2(object.get(), &info, H5O_INFO_BASIC) < 0) {
    return;
  }
  CopiedObject const* const copy = m_find(info.addr);
  if (copy == nullptr) return;
  H5Rcreate(&reference, m_to, copy->path.c_str(), H5R_DATASET_REGION, region.get());
}

}  // namespace kompakt::files
