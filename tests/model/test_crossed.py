"""Labels by two attributes together: products of memberships, what is missing, what does not apply."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from fairviz.model import Dataset, GroupLabels, crossed
from tests.loaded import load_dataset


def labels(attribute: str, groups: str, weights: dict[str, list[float]]) -> GroupLabels:
    return GroupLabels(
        attribute=attribute,
        groups=tuple(groups.split()),
        doc_ids=tuple(weights),
        weights=csr_array(np.array(list(weights.values()))),
    )


REGION = labels("region", "north south", {"a": [1, 0], "b": [0.5, 0.5], "c": [0, 0], "d": [0, 1], "e": [0, 0.8]})
SIZE = labels("size", "small large", {"e": [0.5, 0.25], "d": [1, 0], "b": [0, 1], "c": [1, 0], "z": [0, 1]})


def test_a_membership_is_the_product_of_both() -> None:
    """a has no size and z no region; to c no region applies; e: 0.8 × 0.5 and 0.8 × 0.25; nothing is north × small."""
    both = crossed(REGION, SIZE)
    assert both is not None
    assert (both.attribute, both.groups) == ("region × size", ("north × large", "south × small", "south × large"))
    assert dict(zip(both.doc_ids, both.weights.toarray().tolist(), strict=True)) == {
        "b": [0.5, 0, 0.5],
        "c": [0, 0, 0],
        "d": [0, 1, 0],
        "e": [0, pytest.approx(0.4), pytest.approx(0.2)],
    }
    assert both.not_applicable.tolist() == [False, True, False, False]


def test_the_order_of_attributes_changes_names_alone() -> None:
    one, other = crossed(REGION, SIZE), crossed(SIZE, REGION)
    assert one is not None
    assert other is not None
    turned = {" × ".join(reversed(name.split(" × "))): i for i, name in enumerate(other.groups)}
    rows = [other.doc_ids.index(doc) for doc in one.doc_ids]
    columns = [turned[name] for name in one.groups]
    assert other.weights.toarray()[rows][:, columns].tolist() == one.weights.toarray().tolist()


def test_what_cannot_be_crossed_is_not() -> None:
    per_query = GroupLabels(
        attribute="use", groups=("x", "y"), doc_ids=("a", "b"), weights=csr_array(np.eye(2)), query_ids=("q", "q")
    )
    many = labels("many", " ".join(f"g{i}" for i in range(49)), dict(zip(map(str, range(49)), np.eye(49), strict=True)))  # type: ignore[arg-type]
    of_many = labels("other", "x", {str(i): [1.0] for i in range(49)})
    assert crossed(REGION, per_query) is None
    assert crossed(many, of_many) is None  # 49 groups
    assert crossed(REGION, labels("size", "small", {"y": [1.0], "z": [1.0]})) is None  # no document in common
    assert crossed(REGION, labels("size", "small", {"a": [1.0]})) is None  # one group


def test_attributes_of_a_data_set_are_its_labels_then_every_two_of_them(tmp_path: Path) -> None:
    (tmp_path / "both.tsv").write_text("doc_id\tregion\tsize\nd1\tnorth\tsmall\nd2\tsouth\tlarge\nd3\tsouth\tsmall\n")
    (tmp_path / "age.tsv").write_text("doc_id\tage\nd1\told\nd2\tnew\n")
    loaded = load_dataset([tmp_path / "both.tsv", tmp_path / "age.tsv"], name="Mine").dataset
    assert [one.attribute for one in loaded.attributes] == [
        *("region", "size", "age"),
        *("region × size", "region × age", "size × age"),
    ]
    files = [[Path(file.name).name for file in loaded.files_of(place)] for place in range(6)]
    assert files == [["both.tsv"]] * 2 + [["age.tsv"], ["both.tsv"]] + [["both.tsv", "age.tsv"]] * 2
    assert Dataset().attributes == ()
