#!/bin/sh
# Makes sure that a Chromium is there for figures for papers and the end-to-end tests.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ -n "${BROWSER_PATH:-}" ] && [ -x "$BROWSER_PATH" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo 'Installing Chromium for the browser tests …'
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null
  exit 0
fi
cat >&2 <<'TEXT'
Figures for papers and the end-to-end tests need Chromium or Chrome, and none is on the PATH.
Install one (Debian: sudo apt-get install chromium; macOS: brew install --cask chromium)
or name one: BROWSER_PATH=/path/to/chrome make test
TEXT
exit 1
