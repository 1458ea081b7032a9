"""The dashboard's navigation and shell; every page is a script in ``pages``."""

from pathlib import Path

import streamlit as st

from pages._data import files
from pages._kit import opening, settings
from pages._kit.link import check_settings, hear_settings, keep_link, keep_pairs
from pages._kit.shell import asks_for_other_data, ignored_notice, join_notice, loaded_box
from pages._kit.sign_in import ask_to_sign_in, is_stranger, open_wanted, signed_in_box
from pages._kit.style import style_sheet

ASSETS = Path(__file__).parent / "pages" / "_assets"

st.set_page_config(  # before the navigation, which would else fetch a page's icon from elsewhere
    page_icon=str(ASSETS / "favicon.png"),
    layout="wide",
    initial_sidebar_state=224,
)

PAGES = {
    "Start": [
        st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
        st.Page("pages/data.py", title="Data", icon=":material/note_add:"),
        st.Page("pages/experiment.py", title="Experiment", icon=":material/experiment:"),
    ],
    "Measure": [
        st.Page("pages/tradeoff.py", title="Trade-off", icon=":material/show_chart:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/grid_view:"),
        st.Page("pages/attribution.py", title="Attribution", icon=":material/format_quote:"),
        st.Page("pages/groups.py", title="Groups & targets", icon=":material/tune:"),
        st.Page("pages/policy_lab.py", title="Policy lab", icon=":material/balance:"),
        st.Page("pages/agreement.py", title="Agreement", icon=":material/compare_arrows:"),
        st.Page("pages/inspect.py", title="Inspect", icon=":material/search:"),
    ],
    "Answers": [
        st.Page("pages/social_bias.py", title="Social bias", icon=":material/forum:"),
        st.Page("pages/demographic_qa.py", title="Demographic QA", icon=":material/groups:"),
    ],
    "Understand": [
        st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
        st.Page("pages/export.py", title="Export", icon=":material/download:"),
    ],
}

stranger = is_stranger()

# Also where nobody has signed in: a server that has never heard of these pages runs their scripts without this one.
page = st.navigation(PAGES, expanded=True, position="hidden" if stranger else "sidebar")

st.set_page_config(page_title=f"{page.title} - fairviz")

st.logo(str(ASSETS / "mark.svg"), size="medium")

st.html(style_sheet())

if stranger:
    ask_to_sign_in(page)
    st.stop()

open_wanted(one for pages in PAGES.values() for one in pages)

settings.leave_page(page.title)

opening.begin()

hear_settings()

settings.enter_page(page.title)

keep_pairs()

keep_link()

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

settings.remember_page(page.title)

with notices:
    ignored_notice()
