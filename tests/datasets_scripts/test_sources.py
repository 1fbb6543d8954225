import dataclasses
import zipfile

import datasets
import pytest

from evaluate_qa.datasets_scripts._shared.sources import Source, download, find

SOURCE = Source(path="EVOUNA/NQ.json", url="http://127.0.0.1:9/NQ.json", sha256="0" * 64)


def manager(tmp_path):
    return datasets.DownloadManager(
        download_config=datasets.DownloadConfig(cache_dir=tmp_path / "downloads", disable_tqdm=True)
    )


@pytest.mark.parametrize("place", ["NQ.json", "EVOUNA/NQ.json"])
def test_file_is_found_in_its_folder_and_in_a_clone(tmp_path, place):
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("[]")

    assert find(SOURCE, tmp_path) == path
    assert find(SOURCE, str(tmp_path)) == path


def test_missing_file_says_where_it_was_looked_for_and_where_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        find(SOURCE, tmp_path)

    for told in (str(tmp_path / "NQ.json"), str(tmp_path / "EVOUNA" / "NQ.json"), SOURCE.url):
        assert told in str(error.value)


def test_download_gives_the_file(tmp_path, served, sha256):
    folder, address = served
    (folder / "NQ.json").write_text("[1]")
    source = Source("EVOUNA/NQ.json", f"{address}/NQ.json", sha256(folder / "NQ.json"))

    assert download(source, manager(tmp_path)).read_text() == "[1]"


def test_download_of_a_changed_file_is_refused(tmp_path, served):
    folder, address = served
    (folder / "NQ.json").write_text("[1]")
    source = dataclasses.replace(SOURCE, url=f"{address}/NQ.json")

    with pytest.raises(ValueError, match=r"has changed: its SHA-256 is .*; expected 0{64}"):
        download(source, manager(tmp_path))


def test_an_archive_is_extracted(tmp_path, served):
    folder, address = served
    with zipfile.ZipFile(folder / "NQ.zip", "w") as archive:
        archive.writestr("EVOUNA/NQ.json", "[1]")

    found = download(Source("NQ.zip", f"{address}/NQ.zip"), manager(tmp_path))
    assert (found / "EVOUNA" / "NQ.json").read_text() == "[1]"


def test_failed_download_names_the_url_and_the_cure(tmp_path, served):
    _, address = served
    source = dataclasses.replace(SOURCE, url=f"{address}/absent.json")

    with pytest.raises(ConnectionError, match=r"absent\.json could not be downloaded .* pass the folder as data_dir"):
        download(source, manager(tmp_path))
