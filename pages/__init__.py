"""The pages of the dashboard, one thin script per view; modules with an underscore are shared.

However a server is started (``fairviz app``, ``streamlit run app.py``, an ASGI server), this comes before NumPy.
"""

from fairviz.system import one_thread

one_thread()
