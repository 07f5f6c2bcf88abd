"""Wrong arguments are refused by their name in every face of the package; words and goals mean the same in all of them."""

import importlib
import json
import os
import re
import typing

import numpy as np
import pytest
from fields import largest_error, turbulence

import kompakt
from kompakt import _arguments, _core, _words

_FIELD = turbulence(16)


def codec(name):
    return lambda *bound, **options: pytest.importorskip(f"kompakt.{name}").Kompakt(*bound, **options)


def appended(**options):
    """What Archive.append() does with options, without a file that stays."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder, kompakt.Archive(f"{folder}/a.kpk", "w") as archive:
        archive.append("t", _FIELD, **options)


def set_in_archive(bound=1e-3, mode=_arguments.DEFAULT_MODE, **options):
    import tempfile
    if mode is not _arguments.DEFAULT_MODE:
        options["bound_mode"] = mode
    with tempfile.TemporaryDirectory() as folder:
        kompakt.Archive(f"{folder}/a.kpk", "w", bound=bound, **options).discard()


COMPRESSING = {
    "compress": lambda **options: kompakt.compress(_FIELD, **options),
    "max_compressed_bytes": lambda **options: kompakt.max_compressed_bytes(_FIELD, **options),
    "append": appended, "Archive": set_in_archive, "zarr": codec("zarr"), "numcodecs": codec("numcodecs"), "h5py": codec("h5py")}
FACES = {**COMPRESSING, "choose": lambda **options: kompakt.choose(_FIELD, **options),
         "compare": lambda **options: kompakt.compare(_FIELD, _FIELD, **options)}


def require_refused(face, name, value):
    with pytest.raises(TypeError) as caught:
        face(**{name: value})
    assert f"{name}={value!r}" in str(caught.value)
    assert "incompatible function arguments" not in str(caught.value)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("name, value", [("bound", True), ("bound", b"1e-3"), ("mode", None), ("mode", True), ("mode", 1)])
def test_bound_and_mode_of_another_type_are_named(face, name, value):
    require_refused(FACES[face], name, value)


@pytest.mark.parametrize("face", [name for name in FACES if name != "compare"])
def test_no_bound_is_named_where_one_is_needed(face):
    require_refused(FACES[face], "bound", None)


def test_a_text_is_no_bound_to_compare_with():
    require_refused(FACES["compare"], "bound", "1e-3")


@pytest.mark.parametrize("face", COMPRESSING)
@pytest.mark.parametrize("name, value", [("pipeline", 3), ("predictor", 3), ("variant", 3), ("goal", 3), ("pack", 3),
                                         ("checksum", 3), ("checksum", "true"), ("fill_value", True), ("axis", True),
                                         ("axis", (3, 0, 1))])
def test_options_of_another_type_are_named(face, name, value):
    require_refused(COMPRESSING[face], name, value)


@pytest.mark.parametrize("name, value", [("goal", 3), ("fill_value", True), ("axis", b"3")])
def test_arguments_of_choose_are_named(name, value):
    require_refused(FACES["choose"], name, value)


@pytest.mark.parametrize("face", [name for name in FACES if name != "compare"])
@pytest.mark.parametrize("options", [{"bound": "abs:1e-3"}, {"bound": "lossless"}, {"bound": "mode=abs,bound=1e-3"}, {"bound": "mode=abs,1e-3"}])
def test_texts_are_bounds(face, options):
    FACES[face](**options)


@pytest.mark.parametrize("face", [name for name in FACES if name not in ("compare", "Archive")])
@pytest.mark.parametrize("bound, advice", [("1e-3", "write abs:0.001 or r2r:0.001"), ("bound=0.5,pack", "write abs:0.5 or r2r:0.5"),
                                           ("mode=abs", "write abs:BOUND")])
@pytest.mark.parametrize("mode", ["r2r", "abs"])
def test_half_of_a_bound_is_refused_in_a_text(face, bound, advice, mode):
    with pytest.raises(ValueError, match=f"^(kompakt codec: )?bound='{bound}'.*{advice}"):
        FACES[face](bound=bound, mode=mode)


@pytest.mark.parametrize("face", [name for name in FACES if name != "compare"])
@pytest.mark.parametrize("bound, mode", [("abs:1", "r2r"), ("pack,abs:1", "lossless"), ("r2r:1e-3", "abs"), ("lossless", "r2r")])
def test_a_mode_that_the_text_of_a_bound_contradicts_is_refused(face, bound, mode):
    with pytest.raises(ValueError, match=f"mode='{mode}' is named, but the bound '{bound}' is of mode '.*'; leave one of them out$"):
        FACES[face](bound=bound, mode=mode)


@pytest.mark.parametrize("face", [name for name in FACES if name != "compare"])
def test_a_mode_that_the_text_of_a_bound_has_may_be_said_too(face):
    FACES[face](bound="r2r:1e-3", mode="r2r")


_OPTION_TEXTS = [{"bound": "abs:1%s"}, {"bound": "abs:1,predictor=ti%sle"}, {"mode": "ab%ss"}, {"pipeline": "huff%sman"}, {"goal": "ra%stio"},
                 {"predictor": "ti%sle"}, {"variant": "pla%sin"}, {"fill_value": "au%sto"}, {"limits": "0:%s"}, {"axis": "3:%s0"}, {"steps": "%snone"}]


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("options", _OPTION_TEXTS, ids=lambda options: "".join(options))
@pytest.mark.parametrize("letter, shown", [("\n", r"\\n"), ("\0", r"\\x00"), ("\x1b[2J", r"\\x1b\[2J"), ("\udce4", r"\\udce4")])
def test_letters_of_no_option_are_shown_in_one_line(face, options, letter, shown):
    (name, text), = options.items()
    if face == "compare" and name != "mode" or face == "choose" and name not in ("bound", "mode", "goal", "fill_value", "axis"):
        pytest.skip("it has no such argument")
    with pytest.raises(ValueError, match=shown) as refused:
        FACES[face](**{name: text % letter})
    assert f"{name}=" in str(refused.value) and str(refused.value).isprintable()


@pytest.mark.parametrize("letter", ["\n", "\0", "\udce4"])
def test_names_of_options_that_there_are_not_are_shown_in_one_line(letter):
    with pytest.raises((TypeError, ValueError), match="option") as refused:
        kompakt.compress(_FIELD, **{f"ra{letter}dius": 512})
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("face", ["zarr", "numcodecs"])
def test_the_text_of_a_bound_is_the_same_codec_as_its_numbers(face):
    make = COMPRESSING[face]
    assert make(bound="abs:0.01") == make(bound=0.01, mode="abs") != make(bound=0.01)
    assert make(bound="lossless") == make(mode="lossless")


# ------------------------------------------------------------------------------------------ texts of options

_TEXT = "r2r:1e-3,predictor=interpolate,pack"
CODECS = pytest.mark.parametrize("face", ["zarr", "numcodecs"])


def read_back(codec):
    """What the metadata of a codec is read as."""
    import json
    to, of = (codec.get_config, type(codec).from_config) if hasattr(codec, "get_config") else (codec.to_dict, type(codec).from_dict)
    return of(json.loads(json.dumps(to(), allow_nan=False)))


@pytest.mark.parametrize("face", COMPRESSING)
@pytest.mark.parametrize("text", [_TEXT, "abs:0.01,pipeline=huffman,variant=custom,limits=0:", "lossless,pack", "psnr:60,range=9"])
def test_texts_of_options_are_bounds_in_every_face(face, text):
    FACES[face](bound=text)


def test_a_text_says_defaults_too():
    said = _arguments.options_of_text("abs:1,pack=0,checksum=1,predictor=auto,variant=auto,range=0,pipeline=huffman")
    assert said == {"bound": 1.0, "mode": "abs", "pack": False, "checksum": True, "predictor": "auto", "variant": "auto",
                    "value_range": 0.0, "pipeline": "huffman"}
    assert _arguments.options_of_text("pack,checksum=false") == {"pack": True, "checksum": False}
    # A pipeline counts more than a goal before it, which then is none.
    assert _arguments.options_of_text("goal=ratio,pipeline=huffman") == {"goal": None, "pipeline": "huffman"}


def test_a_text_that_names_a_predictor_alone_leaves_nothing_to_choose():
    info = kompakt.inspect(kompakt.compress(_FIELD, _TEXT))
    assert (info.pipeline, info.method, info.pack, info.goal) == ("bitshuffle", "interpolation", True, None)
    with pytest.raises(ValueError, match="predictor 'tile'"):
        kompakt.compress(_FIELD, "abs:0.01,predictor=tile,goal=ratio")


@pytest.mark.parametrize("text, options", [
    (_TEXT, {"predictor": "interpolate", "pack": True}), ("r2r:1e-3,variant=outlier", {"variant": "outlier"}),
    ("r2r:1e-3,variant=custom,predictor=tile", {"variant": "custom", "predictor": "tile"})])
def test_a_predictor_or_a_variant_alone_selects_its_pipeline_as_in_a_text(text, options):
    stream = kompakt.compress(_FIELD, 1e-3, **options)
    assert stream == kompakt.compress(_FIELD, text) == kompakt.compress(_FIELD, 1e-3, pipeline="auto", **options)
    assert kompakt.inspect(stream).goal is None
    with pytest.raises(ValueError, match="is named"):
        kompakt.compress(_FIELD, 1e-3, goal="ratio", **options)


def test_automatic_parts_leave_everything_to_choose():
    chosen = kompakt.compress(_FIELD, 1e-3)
    assert kompakt.inspect(chosen).goal == "balanced"
    assert kompakt.compress(_FIELD, 1e-3, predictor="auto", variant="auto") == chosen


@CODECS
@pytest.mark.parametrize("text, options", [
    (_TEXT, {"bound": 1e-3, "predictor": "interpolate", "pack": True}),
    ("r2r:0.01,fill=1e20/-9/auto,range=7,limits=0:,radius=1024,checksum=false",
     {"bound": 0.01, "fill_value": [1e20, -9, "auto"], "value_range": 7, "limits": (0, None), "radius": 1024,
      "checksum": False}),
    ("pwr:0.01,fill=1e20", {"bound": 0.01, "mode": "pwr", "fill_value": 1e20}),
    ("lossless,fill=none", {"mode": "lossless", "fill_value": None}),
    ("psnr:60,goal=ratio", {"bound": 60, "mode": "psnr", "goal": "ratio"}), ("pipeline=huffman", {"pipeline": "huffman"}),
    ("r2r:0.01,axis=1", {"bound": 0.01, "axis": 1}), ("r2r:0.01,axis=1:2:0", {"bound": 0.01, "axis": "1:2:0"})])
def test_what_a_text_says_is_what_arguments_say_and_metadata_keep(face, text, options):
    said, named = COMPRESSING[face](bound=text), COMPRESSING[face](**options)
    for name, value in named.keywords().items():
        same = set(value) == set(said.keywords()[name]) if isinstance(value, tuple) else value == said.keywords()[name]
        if name != "limits":
            assert same, name
    field = _FIELD.copy()
    field[3] = 1e20
    encode = {"zarr": lambda codec: kompakt.compress(field, **{**codec.keywords(), "fill_value": "auto"}),
              "numcodecs": lambda codec: codec.encode(field)}[face]
    assert encode(said) == encode(named) == encode(read_back(said))
    assert read_back(said) == said


@CODECS
@pytest.mark.parametrize("axis, kept", [(2, 2), ("2", 2), ("0:-1", 0), ("1:0", "1:0"), ("2:0:1", "2:0:1"), (None, None)])
def test_metadata_keep_an_axis_as_a_number_unless_it_names_more(face, axis, kept):
    codec = COMPRESSING[face](axis=axis)
    assert codec.axis == kept and type(codec.axis) is type(kept)
    assert codec.to_configuration().get("axis") == kept and read_back(codec) == codec == COMPRESSING[face](axis=kept)


@CODECS
@pytest.mark.parametrize("axis, said", [("2:2", "2:2"), ("x", "axis='x'"), (1.5, "axis='1.5'"), ("9", "axis 9")])
def test_a_codec_refuses_an_axis_that_there_is_not(face, axis, said):
    with pytest.raises(ValueError, match=f"^kompakt codec: .*{said}"):
        COMPRESSING[face](axis=axis)


@CODECS
def test_a_text_in_stored_metadata_is_read(face):
    codec = COMPRESSING[face]()
    kind = type(codec)
    stored = {"bound": _TEXT, "version": 1}
    found = kind.from_config({"id": "kompakt", **stored}) if face == "numcodecs" else kind.from_dict({"name": "kompakt", "configuration": stored})
    assert found == codec.__class__(1e-3, predictor="interpolate", pack=True)


@CODECS
def test_arguments_beside_the_text_agree_with_it_as_in_compress(face):
    codec = COMPRESSING[face](bound="abs:0.01,predictor=tile,pack,limits=0:1", predictor="tile", limits=(0, 1), checksum=False)
    assert (codec.predictor, codec.pack, codec.bound, codec.mode, codec.checksum) == ("tile", True, 0.01, "abs", False)
    with pytest.raises(ValueError, match="predictor='chain' is named, but the bound"):
        COMPRESSING[face](bound="abs:0.01,predictor=tile", predictor="chain")


@pytest.mark.parametrize("face", COMPRESSING)
@pytest.mark.parametrize("options", [{"pack": np.True_}, {"checksum": np.False_}, {"radius": np.int64(64), "pipeline": "huffman"}, {"axis": np.int64(0)},
                                     {"value_range": np.float32(2)}, {"bound": np.float32(0.5)}])
def test_numbers_and_flags_of_numpy_are_taken(face, options):
    if face == "h5py" and {"radius", "axis"} & set(options):
        pytest.skip("the filter does not keep it")
    made = COMPRESSING[face](**options)
    plain = COMPRESSING[face](**{name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()})
    if face in ("zarr", "numcodecs"):
        configuration = made.to_configuration()
        assert json.loads(json.dumps(configuration)) == plain.to_configuration()
    elif face == "h5py":
        assert dict(made) == dict(plain)
    else:
        assert made == plain
    assert kompakt.choose(_FIELD, axis=np.int64(0)) == kompakt.choose(_FIELD, axis=0)


def test_a_filter_takes_its_checksum_from_a_text():
    make = COMPRESSING["h5py"]
    assert make(bound="abs:1,checksum=false")["compression_opts"] == make(1.0, "abs", checksum=False)["compression_opts"]
    assert make(bound="abs:1")["compression_opts"] == make(1.0, "abs", checksum=True)["compression_opts"]


@pytest.mark.parametrize("lend", [bytes, bytearray, memoryview, lambda data: memoryview(data).cast("c"), lambda data: memoryview(data).cast("b")])
@pytest.mark.parametrize("data", [b"", b"abc", bytes(range(256)) * 9])
def test_bytes_like_objects_are_exact(lend, data):
    assert kompakt.decompress(kompakt.compress(lend(data))).tobytes() == data
    assert kompakt.max_compressed_bytes(lend(data)) > 0
    if not isinstance(lend(data), memoryview) or lend(data).format != "b":
        with pytest.raises(ValueError, match="only compressed without loss"):
            kompakt.compress(lend(data), 2, mode="abs")


def test_what_is_no_array_of_numbers_is_refused_by_its_name(tmp_path):
    with pytest.raises(TypeError, match="array is numpy.ma.masked"):
        kompakt.compress(np.ma.masked)
    if hasattr(np.dtypes, "StringDType"):
        with pytest.raises(TypeError, match="array has values of StringDType"):
            kompakt.compress(np.array(["a", "b"], np.dtypes.StringDType()))
    for mode in (["r"], None, 3):
        with pytest.raises(TypeError, match="mode=.* is no text; use one of 'r'"):
            kompakt.Archive(tmp_path / "a.kpk", mode)
    with kompakt.Archive(tmp_path / "a.kpk", "w") as archive:
        for attrs in (["units"], "units", [("units", "K")]):
            with pytest.raises(TypeError, match="attrs=.* is no mapping"):
                archive.append("t", _FIELD, attrs)
        assert list(archive) == []


def test_words_of_the_filter_are_those_of_the_text():
    make = COMPRESSING["h5py"]
    assert make(bound=_TEXT)["compression_opts"] == make(1e-3, predictor="interpolate", pack=True)["compression_opts"]
    one_bound = make(bound="r2r:0.25,range=50")
    assert one_bound["compression_opts"] == make(12.5, "abs")["compression_opts"] == make(0.25, value_range=50)["compression_opts"]
    for option in ("radius=1024", "axis=0", "axis=2:0:1", "steps=quotients:100"):
        with pytest.raises(ValueError, match=f"the HDF5 filter does not keep the option {option}; leave it out"):
            make(bound=f"lossless,{option}")
    for options in ({"axis": 0}, {"axis": "2:0:1"}, {"steps": "quotients:100"}):
        with pytest.raises(ValueError, match="the HDF5 filter does not keep the option"):
            make(mode="lossless", **options)
    assert make(bound="abs:1", axis=None)["compression_opts"] == make(bound="abs:1", axis=-1)["compression_opts"]


@pytest.mark.parametrize("face", ["zarr", "numcodecs", "h5py"])
@pytest.mark.parametrize("text, said", [("tight", "'tight' is neither"), ("abs:0.01,pipeline=zfp", "'zfp'"), ("abs:0.01,speed=9", "'speed'"),
                                        ("abs:0.01,", "''"), ("abs:-1,pack", "bound -1"), ("rel:1", "'rel'")])
def test_texts_that_say_nothing_known_are_refused_by_their_value(face, text, said):
    with pytest.raises(ValueError, match=said):
        COMPRESSING[face](bound=text)


# ------------------------------------------------------------------------------------------ names of other languages

@pytest.mark.parametrize("face", COMPRESSING)
@pytest.mark.parametrize("options, said", [
    ({"mode": "relative"}, "mode='relative' is not known"), ({"pipeline": "zfp"}, "pipeline='zfp' is not known"),
    ({"fill_value": "land"}, "fill_value='land' is not known"), ({"fill_value": list(range(9))}, "fill_value=8 is one too many"),
    ({"limits": "warm"}, "limits='warm' is no pair"), ({"bound": "tight"}, "bound='tight': 'tight' is neither"),
    ({"value_range": float("nan")}, "range.nan is not"), ({"bound": 10**400}, "bound=1000+… is no number")])
def test_refusals_have_the_names_of_python(face, options, said):
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        FACES[face](**options)
    assert not re.search(r"kompakt_|::|options '|\bfill=", str(caught.value)) and "\n" not in str(caught.value)


@pytest.mark.parametrize("call, said", [
    (lambda: kompakt.compress(_FIELD, 60, "psnr", steps="quotients:100"), "choose abs, r2r or lossless"),
    (lambda: kompakt.compare(_FIELD, _FIELD, 1e-3, mode="r2r"), "the Info of a stream"),
    (lambda: kompakt.Archive("a.kpk", "a", wait=-1), "wait=-1"), (lambda: kompakt.Archive("a.kpk", "a", wait="long"), "wait='long'"),
    (lambda: kompakt.Archive("a.kpk", "w", speed=9), "no option 'speed'"),
    (lambda: kompakt.RegionReader(bytes, -3), "size=-3"), (lambda: kompakt.RegionReader(bytes, "all"), "size='all'"),
    (lambda: kompakt.compress(_FIELD, threads=1 << 40), f"threads={1 << 40}"),
    (lambda: kompakt.decompress_region(kompakt.compress(_FIELD), _FIELD > 0), r"an array of bool and shape \(16, 16, 16\)")])
def test_other_arguments_are_refused_in_one_line(tmp_path, monkeypatch, call, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError, IndexError), match=said) as caught:
        call()
    assert "\n" not in str(caught.value) and "::" not in str(caught.value) and not list(tmp_path.iterdir())


_FIELD_AND_LIST = np.zeros((30, 40), "f4"), [0.0] * 100_000


@pytest.mark.parametrize("call", [
    lambda x, many: kompakt.compress(x, many), lambda x, many: kompakt.compress(x, x), lambda x, many: kompakt.compress(x, 1e-3, "a" * 9999),
    lambda x, many: kompakt.compress(x, "abs:" + "1" * 9999 + "a"), lambda x, many: kompakt.compress(x, fill_value=[*many, None]),
    lambda x, many: kompakt.compress(x, 1e-3, limits="a" * 9999), lambda x, many: kompakt.compare(x, x, kompakt.compress(x) * 999),
    lambda x, many: kompakt.compare(x, x, groups=["a" * 9999]), lambda x, many: kompakt.decompress_region(kompakt.compress(x), many),
    lambda x, many: kompakt.decompress_region(kompakt.compress(x), tuple(many)), lambda x, many: kompakt.decompress(kompakt.compress(x), threads=many),
    lambda x, many: kompakt.Archive("no.kpk", many), lambda x, many: kompakt.Archive("no.kpk", wait=x)])
def test_messages_are_short_whatever_is_passed(call):
    with pytest.raises((TypeError, ValueError, IndexError)) as refused:
        call(*_FIELD_AND_LIST)
    assert len(str(refused.value)) < 300 and "\n" not in str(refused.value), str(refused.value)[:999]


def test_messages_about_names_that_are_no_utf_8_can_be_printed(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.kpk"
    with open(path, "wb") as file:
        file.write(b"no archive" * 9)
    with pytest.raises(kompakt.Error, match=r"\\xff\.kpk' is not an archive") as refused:
        kompakt.open(path)
    str(refused.value).encode("utf-8")
    archive = kompakt.Archive(path, "w")
    archive.discard()
    with pytest.raises(ValueError, match=r"\\udcff\.kpk' is closed") as refused:
        list(archive)
    str(refused.value).encode("utf-8")


def test_bytes_of_a_stream_are_no_name():
    with pytest.raises(ValueError, match=r"the bytes of a stream.*io\.BytesIO.*kompakt\.decompress"):
        kompakt.open(kompakt.compress(np.zeros(9)))


def test_threads_are_numbers_of_numpy_too():
    assert kompakt.compress(_FIELD, threads=np.int32(2)) == kompakt.compress(_FIELD)


# ------------------------------------------------------------------------------------------ what was left out


def test_options_of_none_are_those_that_were_left_out():
    assert kompakt.compress(_FIELD, value_range=None, goal=None, pipeline="bitshuffle") == kompakt.compress(_FIELD, pipeline="bitshuffle")


@pytest.mark.parametrize("key, words", [("mode", _words.Mode), ("pipeline", _words.Pipeline), ("goal", _words.Goal),
                                        ("variant", _words.Variant), ("predictor", _words.Predictor)])
def test_types_have_the_words_of_the_library(key, words):
    assert sorted(typing.get_args(words)) == sorted(_core.option_words(key))


def test_types_have_the_words_of_the_package():
    from kompakt import _archive
    assert typing.get_args(_words.Space) == tuple(_words.SPACES)
    assert typing.get_args(_words.Group) == tuple(_words.GROUPS)
    assert set(typing.get_args(_archive.ArchiveMode)) == {"r", *_archive._WRITE_MODES}


# ------------------------------------------------------------------------------------------ goals

@pytest.mark.parametrize("face", ["zarr", "numcodecs"])
def test_a_goal_alone_chooses_for_each_chunk(face):
    make = COMPRESSING[face]
    assert make(goal="ratio") == make(goal="ratio", pipeline="auto") != make(pipeline="auto")
    with pytest.raises(ValueError, match="goal='ratio'.*'huffman' is named"):
        make(goal="ratio", pipeline="huffman")


def test_numcodecs_compresses_for_the_goal():
    codec = pytest.importorskip("kompakt.numcodecs").Kompakt(1e-3, "abs", goal="ratio")
    field = turbulence(64)
    assert kompakt.inspect(codec.encode(field)).goal == "ratio"
    assert codec.encode(field) == kompakt.compress(field, 1e-3, "abs", goal="ratio")


def test_h5py_chooses_by_an_array(tmp_path):
    h5py = pytest.importorskip("h5py")
    make = importlib.import_module("kompakt.h5py").Kompakt
    field = turbulence(64)
    chosen = kompakt.choose(field, 1e-3, "abs", "ratio")
    words = make(1e-3, "abs", goal="ratio", like=field)["compression_opts"]
    assert words == make(1e-3, "abs", **chosen)["compression_opts"]
    assert words != make(1e-3, "abs")["compression_opts"]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        restored = file.create_dataset("t", data=field, chunks=(32, 64, 64), **make("abs:1e-3", goal="ratio", like=field))[...]
    assert largest_error(field, restored) <= 1e-3


@pytest.mark.parametrize("options, said", [
    ({"goal": "ratio"}, "goal='ratio'.*like=array"), ({"pipeline": "auto"}, "pipeline='auto'.*like=array"),
    ({"like": _FIELD}, "like= .*goal="), ({"like": _FIELD, "pipeline": "auto", "predictor": "tile"}, "like= .*no predictor"),
    ({"goal": "ratio", "like": _FIELD, "predictor": "tile"}, "the predictor 'tile' is named"),
    ({"goal": "ratio", "like": np.zeros(9, bool)}, "bool.*lossless")])
def test_h5py_refuses_what_nothing_can_be_chosen_by(options, said):
    pytest.importorskip("h5py")
    with pytest.raises(ValueError, match=said):
        COMPRESSING["h5py"](**options)
