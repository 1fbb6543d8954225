"""What the frameworks refuse of the pinned packages is what environment/frameworks.txt says, and nothing is missing."""

from importlib.metadata import PackageNotFoundError, distributions, version

import frameworks
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# The package that refuses, and which.
REFUSED = {
    ("aiobotocore", "python-dateutil"),
    ("botocore", "python-dateutil"),
    ("databricks-sdk", "certifi"),
    ("deepeval", "click"),
    ("deepeval", "rich"),
    ("deepeval", "tabulate"),
    ("graphene", "python-dateutil"),
    ("inspect-ai", "fsspec"),
    ("lighteval", "nltk"),
    ("mlflow", "pyarrow"),
}


@pytest.fixture(scope="module")
def found(processes):
    """The packages of the folder, by name."""
    return {canonicalize_name(one.name): one for one in distributions(path=[str(frameworks.installed())])}


def needed(distribution):
    """What a package needs here."""
    requirements = map(Requirement, distribution.requires or [])
    return [one for one in requirements if not one.marker or one.marker.evaluate({"extra": ""})]


def test_what_they_refuse(found):
    refused = set()
    for name, distribution in found.items():
        for requirement in needed(distribution):
            other = canonicalize_name(requirement.name)
            there = found[other].version if other in found else version(other)  # or it says what is missing
            if not requirement.specifier.contains(there, prereleases=True):
                refused.add((name, other))
    assert {name for name, _ in refused} >= {"deepeval", "inspect-ai", "lighteval"}
    assert refused <= REFUSED


def test_none_but_two_hides_a_pinned_package(found):
    for name in found.keys() - {"huggingface-hub", "xxhash"}:
        with pytest.raises(PackageNotFoundError):
            version(name)
