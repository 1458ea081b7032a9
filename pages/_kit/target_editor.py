"""A target under the hand: shares that always sum to 100, presets, load and save.

Shared by *Groups & targets* and *Policy lab*; what is set on one page stands on the other. Controls that change each
other get new keys at every move: a browser repeats old values of the others together with a fast second key press, and
callbacks of old keys are not heard.
"""

import io
import re
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from fairviz.display.words import capital, listing, quoted
from fairviz.errors import InputError
from fairviz.grouping import Missing
from fairviz.io.join import join_target
from fairviz.io.targets import read_target, write_target
from fairviz.model import Dataset, FloatArray, Target
from fairviz.studies.groups.target_shares import as_shares, target_weights
from pages._kit import counts_line, download, empty_state, error_box
from pages._kit.target_presets import MEANINGS, NAMES, labelled_pools, matching_target, preset_shares
from pages._kit.target_state import (
    LOADED,
    Edited,
    begin,
    choices,
    chosen_preset,
    edited,
    place,
    preset_key,
    set_preset,
    set_weights,
)


class Editing(NamedTuple):
    """A target under the hand.

    Attributes:
        where: Where the session keeps it.
        state: As it stands.
        groups: Names, in the order of the shares.
        presets: (G) shares that the data suggest, by name.
        attribute: Which labels.
    """

    where: str
    state: Edited
    groups: tuple[str, ...]
    presets: dict[str, FloatArray]
    attribute: int

    @property
    def target(self) -> Target:
        """The target it stands at."""
        return Target(groups=self.groups, shares=target_weights(self.state.weights))


def editing(
    loaded: Dataset, *, attribute: int, system: int, judgements: int | None = None, unlabelled: Missing = "drop"
) -> Editing:
    """The target of these groups, from the address, the loaded file or equal shares."""
    groups = labelled_pools(loaded, attribute, system, judgements, unlabelled).members.groups
    presets = preset_shares(loaded, attribute, system, judgements, unlabelled)
    where, state = _state(loaded, attribute, groups, presets)
    return Editing(where, state, groups, presets, attribute)


def standing_target(
    loaded: Dataset,
    *,
    attribute: int,
    system: int,
    judgements: int | None = None,
    unlabelled: Missing = "drop",
) -> Target:
    """The target that stands, for a page that does not edit it."""
    return editing(loaded, attribute=attribute, system=system, judgements=judgements, unlabelled=unlabelled).target


def one_group(loaded: Dataset, attribute: int, *, unlabelled: bool) -> None:
    """What can be done where a page has one group only: nothing is compared with nothing.

    Args:
        loaded: The data.
        attribute: Which labels.
        unlabelled: Whether some of the ranked documents have no label.
    """
    ways: list[str] = []
    if unlabelled:
        ways.append("make documents without a label a group of their own (“Documents without a label” under More)")
    if len(loaded.labels) > 1:
        ways.append('choose other labels ("Groups" above)')
    ways.append(f"load labels of {quoted(loaded.labels[attribute].attribute)} that name a second group")
    empty_state("A target divides attention among groups", f"{capital(listing(ways, 'or'))}.")


def _state(
    loaded: Dataset, attribute: int, groups: tuple[str, ...], presets: dict[str, FloatArray]
) -> tuple[str, Edited]:
    file = matching_target(loaded, attribute)
    where = place(loaded, attribute, groups)
    return where, begin(where, presets, None if file is None else as_shares(file, groups))


def preset_pills(edit: Editing) -> None:
    """Targets that the data suggest, and the loaded file; the one it stands at is filled, or none."""
    key = preset_key(edit.where, chosen_preset(edit.state, edit.presets))
    st.pills(
        "Set the targets to",
        list(choices(edit.state, edit.presets)),
        key=key,
        on_change=set_preset,
        args=(edit.where, key, edit.presets),
        help=MEANINGS,
    )
    missing = [name for name in NAMES.values() if name not in edit.presets]
    if missing:
        counts_line(f"Not on these data: {', '.join(missing)}.")


def target_files(edit: Editing, loaded: Dataset) -> None:
    """Save the target as a file, or take one."""
    where, target = edit.where, edit.target

    def content() -> str:  # written when pressed: a file per move would be gone before it is read
        text = io.StringIO()
        write_target(target, text)
        return text.getvalue()

    with st.container(horizontal=True, gap="small"):
        download("Save target", content, file_name="target.json", mime="application/json", key=f"{where}-save")
        with st.popover("Load target", icon=":material/upload:", type="tertiary"):
            key = f"{where}-load"
            st.file_uploader(
                'A JSON file: {"group": share, …}, shares sum to 1',
                type=["json", "gz"],
                max_upload_size=1,  # MB: shares of groups are short
                key=key,
                on_change=_take,
                args=(where, edit.groups, loaded, edit.attribute, key),
            )
            trouble = st.session_state.get(f"{where}-trouble")
            if trouble is not None:
                error_box(trouble)


def _take(where: str, groups: tuple[str, ...], loaded: Dataset, attribute: int, key: str) -> None:
    """Set the shares of a file, or keep what is wrong with it."""
    st.session_state[f"{where}-trouble"] = None
    file = st.session_state[key]
    if file is None:
        return
    try:
        target = read_target((file.name, file.getvalue())).value
        join_target(loaded.labels[attribute], target, file=file.name)
        extra = [group for group in target.groups if group not in groups]
        if extra:
            reason = f"no document is labelled {', '.join(extra)}"
            fix = f"Name only groups of the labels: {', '.join(groups)}."
            raise InputError(reason, file=file.name, fix=fix)
        shares = as_shares(target, groups)
        if shares is not None:
            st.session_state[where] = replace(edited(where), file=shares)
            set_weights(where, shares, preset=LOADED)
    except InputError as error:
        st.session_state[f"{where}-trouble"] = error


SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>:$~&\"'/@])")


ADDRESS = re.compile(r"(?=://|@)|(?<=www)(?=\.)", re.IGNORECASE)
"""Where a word joiner, which has no width, keeps an address from becoming a link: escaped signs alone do not."""


def escaped(name: str) -> str:
    r"""A name as Markdown that shows exactly the name, on one line: Streamlit reads labels as Markdown.

    Examples:
        >>> print(escaped("![x](a.b)"), escaped("http://a.b") == "http\u2060\\:\\/\\/a\\.b")
        \!\[x\]\(a\.b\) True
    """
    return SIGNS.sub(r"\\\1", ADDRESS.sub("\u2060", " ".join(name.split())))
