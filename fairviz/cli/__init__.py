"""The command line: one module per command; ``main`` picks it, ``_common`` and ``_inputs`` are what they share.

Every command module has ``add_parser(subparsers)`` and ``run(args) -> exit code``, and is imported
only when its command is typed.
"""
