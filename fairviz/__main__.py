"""``python -m fairviz COMMAND``; also the console script ``fairviz``."""

import sys

from fairviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
