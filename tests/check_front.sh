#!/bin/sh
# Checks the scripts of the pages: ESLint, types, and tests of the modules that need no browser.
# What Node or the npm packages are missing for is skipped with a message. With CI=true a skip is an error, unless
# there is no Node at all.
set -eu
cd "$(dirname "$0")/.."
STATIC=src/steelyard/web/static
INSTALL="Install Node 20 or newer with npm: https://nodejs.org, or on Debian: apt-get install nodejs npm"

skip() {
    printf '\nSKIPPED: %s of %s.\nWhy: %s\n%s\n\n' "$1" "$STATIC" "$2" "$3" >&2
}

fail_in_ci() {
    if [ "${CI:-}" = true ]; then
        echo "With CI=true this is an error." >&2
        exit 1
    fi
}

if ! command -v node >/dev/null 2>&1; then
    skip "ESLint, types and tests" "there is no command 'node'." "$INSTALL"
    exit 0
fi
if ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'; then
    skip "ESLint, types and tests" "Node $(node --version) is too old." "$INSTALL"
    fail_in_ci
    exit 0
fi

echo "node --test tests/front/*.test.js"
node --test --test-reporter=dot tests/front/*.test.js

# Install only what package-lock.json says, and only when it has changed.
if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! command -v npm >/dev/null 2>&1; then
        skip "ESLint and types" "there is no command 'npm'." "$INSTALL"
        fail_in_ci
        exit 0
    fi
    if ! npm ci --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000 >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        skip "ESLint and types" "'npm ci' could not install the packages of package-lock.json (above)." \
            "With a connection to a registry of npm packages, run: npm ci"
        fail_in_ci
        exit 0
    fi
    cp package-lock.json node_modules/.installed-lock.json
fi

echo "eslint $STATIC tests/front"
node_modules/.bin/eslint --max-warnings 0 "$STATIC" tests/front eslint.config.js
echo "tsc"
node_modules/.bin/tsc --noEmit
