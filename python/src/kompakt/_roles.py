"""Which variables of a dataset say where, when or how other ones are: an error in one of them is an error of all data."""

from __future__ import annotations

from typing import Any, Dict, Hashable, Mapping, Set

import xarray

# As src/programs/files/roles.cpp has them.
# Source: NetCDF Climate and Forecast (CF) Metadata Conventions 1.11, chapters 4 to 7 and appendix A; UGRID 1.0.
_NAMING_KEYS = frozenset({
    "coordinates", "bounds", "climatology", "cell_measures", "grid_mapping", "formula_terms", "ancillary_variables", "geometry",
    "node_coordinates", "node_count", "part_node_count", "interior_ring", "mesh", "location_index_set", "edge_coordinates",
    "face_coordinates", "volume_coordinates", "coordinate_interpolation"})
_OWN_KEYS = frozenset({"cf_role", "axis", "positive", "formula_terms", "_CoordinateAxisType", "compress", "bounds", "climatology",
                       "grid_mapping_name"})
_PLACE_UNITS = frozenset(f"{degrees}{side}" for degrees in ("degree", "degrees")
                         for side in ("_north", "_N", "N", "_east", "_E", "E"))
_PLACE_NAMES = frozenset({"latitude", "longitude", "time", "grid_latitude", "grid_longitude", "projection_x_coordinate",
                          "forecast_period", "projection_y_coordinate", "forecast_reference_time"})


def described(variable: xarray.Variable) -> Dict[Hashable, Any]:
    """The attributes of a variable as a file has them: decoding moves some into the encoding."""
    return {**variable.encoding, **variable.attrs}


def _text(attributes: Mapping[Hashable, Any], key: str) -> str:
    value = attributes.get(key)
    return value if isinstance(value, str) else ""


def _describes_itself(variable: xarray.Variable) -> bool:
    attributes = described(variable)
    units = _text(attributes, "units")
    return (variable.ndim == 0 or not _OWN_KEYS.isdisjoint(attributes) or units in _PLACE_UNITS or " since " in units
            or _text(attributes, "standard_name") in _PLACE_NAMES)


def _named_by(variable: xarray.Variable) -> Set[str]:
    """The words of attributes that name other variables; a word that ends with a colon says what the next one is."""
    attributes = described(variable)
    is_mesh = "cf_role" in attributes
    words: Set[str] = set()
    for key, value in attributes.items():
        of_mesh = is_mesh and str(key).endswith(("_connectivity", "_coordinates"))
        if isinstance(value, str) and (key in _NAMING_KEYS or of_mesh):
            words.update(word.removesuffix(":") for word in value.split())
    return words


def supporting(dataset: xarray.Dataset) -> Set[Hashable]:
    """The names of coordinates, single values, and all that attributes of CF and UGRID say to describe other variables."""
    found = set(dataset.coords)
    for name, variable in dataset.variables.items():
        if _describes_itself(variable):
            found.add(name)
        found.update((_named_by(variable) - {name}) & set(dataset.variables))
    return found
