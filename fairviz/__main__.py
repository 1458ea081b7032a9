"""``python -m fairviz COMMAND``; also the console script ``fairviz``."""

import sys

from fairviz.cli.frame import main

if __name__ == "__main__":
    sys.exit(main())
