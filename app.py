"""The dashboard's navigation and shell; every page is a script in ``pages``."""

from pathlib import Path

import streamlit as st

from pages import PAGES
from pages._data import files
from pages._kit import opening
from pages._kit.link import check_settings, hear_settings, keep_link, keep_pairs
from pages._kit.shell import (
    ask_to_sign_in,
    asks_for_other_data,
    ignored_notice,
    is_stranger,
    join_notice,
    loaded_box,
    open_wanted,
    reading_notice,
    signed_in_box,
    style_sheet,
)

ASSETS = Path(__file__).parent / "pages" / "_assets"

st.set_page_config(  # before the navigation, which would else fetch a page's icon from elsewhere
    page_icon=str(ASSETS / "favicon.png"), layout="wide", initial_sidebar_state=224
)

NAVIGATION = {
    section: [
        st.Page(f"pages/{script}.py", title=title, icon=f":material/{icon}:", default=script == "home")
        for script, title, icon in pages
    ]
    for section, pages in PAGES.items()
}

stranger = is_stranger()

# Also where nobody has signed in: a server that has never heard of these pages runs their scripts without this one.
page = st.navigation(NAVIGATION, expanded=True, position="hidden" if stranger else "sidebar")

st.set_page_config(page_title=f"{page.title} - fairviz")

st.logo(str(ASSETS / "mark.svg"), size="medium")

st.html(style_sheet())

if stranger:
    ask_to_sign_in(page)
    st.stop()

open_wanted(page for pages in NAVIGATION.values() for page in pages)

opening.leave_page(page.title)

opening.begin()

hear_settings()

opening.enter_page(page.title)

keep_pairs()

reading = reading_notice()

keep_link()

reading.empty()

waits = asks_for_other_data(page.title)

opening.say_changed()

notices = st.container()

loaded_box()

signed_in_box()

st.session_state["page"] = page.title

if waits:
    files.add_files()
    files.needs_fix()
    st.stop()

join_notice(page.title)

page.run()

check_settings()

opening.remember_page(page.title)

with notices:
    ignored_notice()
