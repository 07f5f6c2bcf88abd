"""Archives that are read from file objects and from addresses of fsspec, by the bytes needed."""

import gc
import io
import pickle
import tempfile
import threading
import weakref
import zipfile

import numpy as np
import pytest
from fields import largest_error, turbulence

import kompakt

_BOUND = 1e-3
_FIELD = turbulence(128)


@pytest.fixture(scope="module")
def archive_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "run.kpk"
    with kompakt.Archive(path, "w", bound=_BOUND, bound_mode="abs", pipeline="fixedlength") as archive:
        archive.append("t", _FIELD, {"_dimensions": "z/y/x"})
        archive.append("p", _FIELD + 1, {"_dimensions": "z/y/x"})
    return path.read_bytes()


class Counting(io.BytesIO):
    """A file that counts what is read of it, and fails if it is told to."""

    def __init__(self, content):
        super().__init__(content)
        self.bytes_read, self.reads, self.fails, self.longest = 0, 0, False, None

    def read(self, count=-1):
        if self.fails:
            raise ConnectionError("the store is gone")
        part = super().read(count if self.longest is None else min(count, self.longest))
        self.bytes_read += len(part)
        self.reads += 1
        return part


def test_region_of_a_file_object_reads_the_bytes_it_needs(archive_bytes):
    file = Counting(archive_bytes)
    with kompakt.open(file) as archive:
        assert list(archive) == ["t", "p"]
        assert file.bytes_read < 1 << 17
        part = archive["p"][70:74, 5, 10:50]
        assert largest_error(_FIELD[70:74, 5, 10:50] + 1, part) <= _BOUND
        assert file.bytes_read < len(archive_bytes) / 20
        assert archive["t"].stream() in archive_bytes
    assert archive.closed and not file.closed


def test_fields_are_opened_by_few_requests(tmp_path):
    path, count = tmp_path / "many.kpk", 200
    values = np.random.default_rng(2).normal(size=(count, 2000))
    with kompakt.Archive(path, "w", bound_mode="lossless") as archive:
        for number in range(count):
            archive[f"v{number}"] = values[number]
    file = Counting(path.read_bytes())
    archive = kompakt.open(file)
    assert list(archive) == [f"v{number}" for number in range(count)] and file.reads <= 2
    for number, variable in enumerate(archive.values()):
        assert variable.shape == (2000,)
        assert np.array_equal(variable[:3], values[number, :3])
    assert file.reads <= 2 * count + 5


def test_short_reads_are_gone_on_with(archive_bytes):
    file = Counting(archive_bytes)
    file.longest = 100
    assert largest_error(_FIELD, kompakt.open(file)["t"].read()) <= _BOUND


def test_what_a_file_object_raises_comes_through(archive_bytes):
    file = Counting(archive_bytes)
    archive = kompakt.open(file)
    variable = archive["t"]
    file.fails = True
    for work in (lambda: variable[0], variable.stream, lambda: archive["p"][0], lambda: kompakt.open(file)):
        with pytest.raises(ConnectionError, match="the store is gone"):
            work()
    file.fails = False
    assert largest_error(_FIELD[3], variable[3]) <= _BOUND


def test_file_objects_that_are_no_archives_are_refused(archive_bytes, tmp_path):
    with pytest.raises(kompakt.Error, match="'Counting' is not an archive"):
        kompakt.open(Counting(b"no archive" * 99))
    with pytest.raises(kompakt.Error, match="the stream of one field without a name; decompress it"):
        kompakt.open(Counting(kompakt.compress(_FIELD, _BOUND)))
    with pytest.raises(kompakt.Error):
        kompakt.open(Counting(archive_bytes[:-100]))
    file = Counting(archive_bytes)
    variable = kompakt.open(file)["p"]
    file.truncate(len(archive_bytes) // 2)
    with pytest.raises(EOFError, match="truncated while it was read"):
        variable.read()
    for write in "wxa":
        with pytest.raises(ValueError, match=f"mode='{write}'.*files of this machine"):
            kompakt.Archive(file, write)
    with pytest.raises(TypeError, match="of type int"):
        kompakt.open(3)


class Texts(io.BytesIO):
    """A file whose parts are texts, and which is none of Python's."""

    def read(self, count=-1):
        return super().read(count).decode("latin-1")


def test_files_that_are_open_as_text_are_refused(archive_bytes, tmp_path):
    path = tmp_path / "a.kpk"
    path.write_bytes(archive_bytes)
    xarray = pytest.importorskip("xarray")
    with open(path) as file, tempfile.NamedTemporaryFile("w+") as wrapped:
        for opened in (file, wrapped, io.StringIO("text"), Texts(archive_bytes)):
            for call in kompakt.open, lambda opened: xarray.open_dataset(opened, engine="kompakt"):
                with pytest.raises(TypeError, match="is open as text; open it with mode 'rb'$"):
                    call(opened)


def test_archives_of_file_objects_that_cannot_be_sent_say_so(archive_bytes, tmp_path):
    (tmp_path / "a.kpk").write_bytes(archive_bytes)
    with open(tmp_path / "a.kpk", "rb") as file:
        with pytest.raises(TypeError, match="file object of type BufferedReader"):
            pickle.dumps(kompakt.open(file)["t"])


def test_threads_share_a_file_object(archive_bytes):
    archive = kompakt.open(Counting(archive_bytes))
    wrong = []

    def work(name, plus):
        for i in range(8):
            if largest_error(_FIELD[i:i + 2] + np.float32(plus), archive[name][i:i + 2]) > _BOUND:
                wrong.append(name)

    threads = [threading.Thread(target=work, args=case) for case in [("t", 0), ("p", 1)] * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("make", [kompakt.open, lambda file: kompakt.RegionReader(file.read_at, len(file.getvalue()))])
def test_a_file_that_knows_its_reader_is_collected_with_it(archive_bytes, make):
    class Knowing(Counting):
        def read_at(self, offset, count):
            self.seek(offset)
            return self.read(count)

    is_archive = make is kompakt.open
    file = Knowing(archive_bytes if is_archive else kompakt.compress(_FIELD))
    file.reader = make(file)
    last = weakref.ref(file)
    del file
    gc.collect()
    assert last() is None


# ------------------------------------------------------------------------------------------ fsspec

@pytest.fixture
def address(archive_bytes):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/run.kpk", archive_bytes)
    memory.pipe_file("/t.kpk", kompakt.compress(_FIELD, _BOUND, "abs"))
    yield "memory://run.kpk"
    memory.rm("/run.kpk")
    memory.rm("/t.kpk")


def test_addresses_are_opened_by_fsspec(address, archive_bytes, tmp_path):
    with kompakt.open(address) as archive:
        assert largest_error(_FIELD[5], archive["t"][5]) <= _BOUND
        again = pickle.loads(pickle.dumps(archive["t"]))
        assert np.array_equal(again[:2], archive["t"][:2])
        assert archive.path == address
    (tmp_path / "run.kpk").write_bytes(archive_bytes)
    assert list(kompakt.open(f"file://{tmp_path}/run.kpk")) == ["t", "p"]
    with pytest.raises(FileNotFoundError):
        kompakt.open("memory://nowhere.kpk")
    with pytest.raises(ValueError, match="mode='w'.*memory://new.kpk"):
        kompakt.Archive("memory://new.kpk", "w")


def test_a_member_of_a_zip_file_is_an_address(archive_bytes, tmp_path):
    pytest.importorskip("fsspec")
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("run.kpk", archive_bytes)
    with kompakt.open(f"zip://run.kpk::{tmp_path}/run.zip") as archive:
        gc.collect()
        assert largest_error(_FIELD[5], archive["t"][5]) <= _BOUND


@pytest.mark.parametrize("takes_cache", [True, False])
def test_of_an_object_store_only_the_bytes_needed_are_fetched(archive_bytes, takes_cache):
    fsspec = pytest.importorskip("fsspec")
    fetched = []

    class File(fsspec.spec.AbstractBufferedFile):
        def _fetch_range(self, begin, end):
            fetched.append(end - begin)
            return archive_bytes[begin:end]

    class Store(fsspec.AbstractFileSystem):
        protocol, cachable = "counted", False

        def info(self, path, **_):
            return {"name": path, "size": len(archive_bytes), "type": "file"}

        def _open(self, path, mode="rb", **options):
            if "cache_type" in options and not takes_cache:
                raise TypeError("unexpected keyword argument 'cache_type'")
            return File(self, path, mode, cache_type=options.get("cache_type", "readahead"))

    fsspec.register_implementation("counted", Store, clobber=True)
    with kompakt.open("counted://run.kpk") as archive:
        assert largest_error(_FIELD[70:74, 5, 10:50] + 1, archive["p"][70:74, 5, 10:50]) <= _BOUND
    assert not takes_cache or sum(fetched) < len(archive_bytes) / 10


@pytest.mark.parametrize("name, variable", [("run.kpk", "t"), ("t.kpk", "field")])
def test_xarray_reads_addresses_and_file_objects(address, name, variable):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("dask")
    import fsspec
    with xr.open_dataset(f"memory://{name}", engine="kompakt", chunks={}) as found:
        assert largest_error(_FIELD[9, :, 3], found[variable][9, :, 3].values) <= _BOUND
        again = pickle.loads(pickle.dumps(found))
        assert np.array_equal(again[variable][:2].values, found[variable][:2].values)
    file = Counting(fsspec.filesystem("memory").cat_file(f"/{name}"))
    with xr.open_dataset(file, engine="kompakt") as found:
        assert largest_error(_FIELD[9, :, 3], found[variable][9, :, 3].values) <= _BOUND
    assert file.bytes_read < len(file.getvalue()) / 5
