#!/bin/sh
# The browser tests drive a real Chromium. Find one, or install Debian's where that is allowed.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done

message="The browser tests need Chromium. Install the package 'chromium' (Debian: apt-get install chromium) and run again."
if ! command -v apt-get >/dev/null 2>&1; then echo "$message" >&2; exit 2; fi

if [ "$(id -u)" -eq 0 ]; then as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"
else echo "$message" >&2; exit 2; fi

echo "Installing Debian's chromium for the browser tests ..."
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null || { echo "$message" >&2; exit 2; }
