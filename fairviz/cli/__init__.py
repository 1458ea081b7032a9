"""The command line: ``main`` picks a command, ``study`` is that of every study, ``_data`` reads their files.

Linear algebra has one thread, which is to be said before anything here loads NumPy.
"""

from fairviz.system import one_thread

one_thread()
