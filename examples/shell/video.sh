#!/bin/sh
# A client of the gateway in a shell: submit, poll, download. It starts greenroom on a free port, with a clock that jumps.
set -eu
dir=$(mktemp -d)
# Not by npx, which does not pass a signal on.
package=$(node -p "require.resolve('greenroom/package.json')")
greenroom=${GREENROOM:-$(dirname "$package")/dist/cli/main.js}
$greenroom serve --port 0 --clock auto --quality fast --log silent >"$dir/url" &
server=$!
trap 'kill $server; rm -r "$dir"' EXIT
until [ -s "$dir/url" ]; do sleep 0.1; done
url=$(cat "$dir/url")

# In place of sleep: clock_sleep 5s
clock_sleep() {
  curl -fsS "$url/_greenroom/clock/sleep" -d "{\"for\":\"$1\"}" >"$dir/slept"
}

# In place of curl --max-time: within 30s curl …
within() {
  mkfifo "$dir/deadline"
  curl -sN -D - "$url/_greenroom/clock/deadline" -d "{\"for\":\"$1\"}" >"$dir/deadline" & deadline=$!
  exec 3<"$dir/deadline"; rm "$dir/deadline"
  read -r _ <&3 # the first of its headers: it is open
  shift; "$@" & request=$!
  { grep -q '"now"' <&3 && kill $request; } & wait $request && result=0 || result=$?
  kill $deadline 2>"$dir/killed" || :
  return $result
}

call() {
  within 30s curl -fsS -H 'Authorization: Bearer sk-test' -H 'Content-Type: application/json' "$@"
}

curl -fsS "$url/_greenroom/next" -d '{"op":"video.poll","fault":"hang"}' >"$dir/rule"
prompt='a red kite [[queued 30s]] [[render 2m]]'
call "$url/v1/video/generations" -d "{\"model\":\"video-1\",\"prompt\":\"$prompt\"}" >"$dir/task"
task=$(sed 's/.*"task_id":"\([^"]*\)".*/\1/' "$dir/task")

until grep -q '"status":"SUCCESS"' "$dir/poll" 2>"$dir/no-poll"; do
  clock_sleep 5s
  call "$url/v1/video/generations/$task" >"$dir/poll" || echo 'gave up a poll after 30 virtual seconds'
done
call "$url/v1/videos/$task/content" -o "${1:-video.mp4}"
echo "made ${1:-video.mp4} in $(curl -fsS "$url/_greenroom/clock" | sed 's/.*"time":"[^T]*T\([^.]*\).*/\1/') of virtual time"
