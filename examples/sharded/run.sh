#!/bin/sh
# Starts four greenroom processes and nginx in front of them, until Ctrl-C.
# PORT is where clients connect, SHARD_PORT the first of four ports in a row behind it.
set -eu
cd "$(dirname "$0")"
port=${PORT:-4646}
first=${SHARD_PORT:-4650}

# Not by npx, which does not pass a signal on.
package=$(node -p "require.resolve('greenroom/package.json')")
greenroom=${GREENROOM:-$(dirname "$package")/dist/cli/main.js}
dir=$(mktemp -d)
processes=
trap 'kill $processes 2>/dev/null || :; wait; rm -r "$dir"' EXIT
trap 'exit 0' INT TERM

script="s/127\.0\.0\.1:465\([0-3]\)/127.0.0.1:@\1/; s/127\.0\.0\.1:4646/127.0.0.1:$port/"
for shard in 0 1 2 3; do
  $greenroom serve --log silent --shard $shard --port $((first + shard)) &
  processes="$processes $!"
  script="$script; s/@$shard/$((first + shard))/"
done

sed "$script" nginx.conf >"$dir/nginx.conf"
chmod 755 "$dir" # nginx's workers are another user if root starts it
nginx -p "$dir" -c "$dir/nginx.conf" -e stderr &
processes="$processes $!"
wait
