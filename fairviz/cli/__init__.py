"""The command line: one module per command, and the frame that they hang in.

Every command module has ``add_parser(subparsers)`` and ``run(args) -> exit code``, and is imported
only when its command is typed.
"""
