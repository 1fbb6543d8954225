"""Finding and downloading the files of data sets."""

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
def test_file_is_found_in_a_folder_and_in_a_clone(tmp_path, place):
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("[]")
    assert find(SOURCE, tmp_path) == path
    assert find(SOURCE, str(tmp_path)) == path


def test_changed_download_is_rejected(tmp_path, served):
    folder, address = served
    (folder / "NQ.json").write_text("[1]")
    source = dataclasses.replace(SOURCE, url=f"{address}/NQ.json")
    with pytest.raises(ValueError, match=r"has changed: its SHA-256 is .*; expected 0{64}"):
        download(source, manager(tmp_path))


def test_archive_is_extracted(tmp_path, served):
    folder, address = served
    with zipfile.ZipFile(folder / "NQ.zip", "w") as archive:
        archive.writestr("EVOUNA/NQ.json", "[1]")
    found = download(Source("NQ.zip", f"{address}/NQ.zip"), manager(tmp_path))
    assert (found / "EVOUNA" / "NQ.json").read_text() == "[1]"


def test_failed_download_names_url_and_fix(tmp_path, served):
    _, address = served
    source = dataclasses.replace(SOURCE, url=f"{address}/absent.json")
    with pytest.raises(ConnectionError, match=r"absent\.json could not be downloaded .* pass the folder as data_dir"):
        download(source, manager(tmp_path))
