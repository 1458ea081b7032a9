"""``python -m fairviz.cli.health``: whether the server that this environment describes answers; for containers.

It asks as the launcher does, below the path that the server was given and through no proxy, and loads nothing else.
"""

import os
import sys
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from fairviz.cli.hosting import BASE_PATH, asked

SECONDS = 5


def main() -> int:
    """0 where the server answers; 1, and a line that says why, where it does not."""
    address = os.environ.get("FAIRVIZ_ADDRESS") or "127.0.0.1"
    local = "127.0.0.1" if address in {"0.0.0.0", "::"} else address
    host = f"[{local}]" if ":" in local else local
    url = f"http://{host}:{os.environ.get('PORT') or 8501}{asked(BASE_PATH)}/_stcore/health"
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=SECONDS):
            return 0
    except (URLError, OSError) as error:
        print(f"{url}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
