"""The pages of the dashboard, one thin script per view; modules with an underscore are shared.

However a server is started (``fairviz app``, ``streamlit run app.py``, an ASGI server), this comes before NumPy. What
draws charts takes a pandas that another session has just begun to load for a whole one, and breaks: it is loaded here.
"""

from importlib import import_module

from fairviz.system import one_thread

one_thread()
import_module("pandas")
