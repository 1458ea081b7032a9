"""A page with a download that fails, for the browser."""

import streamlit as st

from fairviz.errors import UndefinedError
from pages._kit.downloads import download


def fail() -> str:
    raise UndefinedError("nothing is judged")


st.title("A page")
st.text_input("A control", key="control")
download("Run", fail, file_name="my.run", key="run")
