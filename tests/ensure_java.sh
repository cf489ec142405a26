#!/bin/sh
# Spark needs Java 17 or newer. Find one, or install Debian's where that is allowed.
set -eu

if command -v java >/dev/null 2>&1; then exit 0; fi

message="The Spark tests were not run: they need Java. Install the package 'default-jre-headless' (Debian: apt-get install default-jre-headless) and run again."
if ! command -v apt-get >/dev/null 2>&1; then echo "$message" >&2; exit 2; fi

if [ "$(id -u)" -eq 0 ]; then as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"
else echo "$message" >&2; exit 2; fi

echo "Installing Debian's default-jre-headless for the Spark tests ..."
$as_root apt-get update -qq || { echo "$message" >&2; exit 2; }
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null || { echo "$message" >&2; exit 2; }
