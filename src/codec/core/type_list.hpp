#ifndef KOMPAKT_CORE_TYPE_LIST_HPP
#define KOMPAKT_CORE_TYPE_LIST_HPP

namespace kompakt::impl {

/// Types of a table that is known at compile time.
template <class... Types>
struct TypeList {};

template <class... A, class... B>
constexpr TypeList<A..., B...> operator+(TypeList<A...>, TypeList<B...>) {
  return {};
}

/// Names a type where a value is wanted.
template <class Type>
struct TypeTag {
  using type = Type;
};

/// Calls body(TypeTag<Type>{}) of each type, in order, until one returns true; whether one did.
template <class... Types, class Body>
constexpr bool any_of_types(TypeList<Types...>, Body const& body) {
  return (body(TypeTag<Types>{}) || ...);
}

}  // namespace kompakt::impl

#endif
