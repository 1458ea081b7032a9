"""The pages of the dashboard, one thin script per view; modules with an underscore are shared.

However a server is started (``fairviz app``, ``streamlit run app.py``, an ASGI server), this comes before NumPy. What
draws charts takes a pandas that another session has just begun to load for a whole one, and breaks: it is loaded here.
"""

from importlib import import_module

from fairviz.system import one_thread

one_thread()
import_module("pandas")

PAGES = {
    "Start": (("home", "Home", "home"), ("data", "Data", "note_add"), ("experiment", "Experiment", "experiment")),
    "Measure": (
        ("tradeoff", "Trade-off", "show_chart"),
        ("compare", "Compare", "grid_view"),
        ("attribution", "Attribution", "format_quote"),
        ("groups", "Groups & targets", "tune"),
        ("policy_lab", "Policy lab", "balance"),
        ("agreement", "Agreement", "compare_arrows"),
        ("inspect", "Inspect", "search"),
    ),
    "Answers": (("social_bias", "Social bias", "forum"), ("demographic_qa", "Demographic QA", "groups")),
    "Understand": (
        ("learn", "Learn", "school"),
        ("studies", "Studies", "table_view"),
        ("export", "Export", "download"),
    ),
}
"""(script, title, icon) of every page, by the sections of the navigation."""
TITLES = {script: title for pages in PAGES.values() for script, title, _ in pages}
"""What a page is called, by its script."""
