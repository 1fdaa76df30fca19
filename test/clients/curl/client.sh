#!/usr/bin/env bash
# Each step is a function; its name with spaces is what the table in docs/reference/sdks.md shows.
url=${GREENROOM_URL:-http://127.0.0.1:4646}
send() { curl --silent --show-error --max-time 30 -H 'Authorization: Bearer sk-greenroom' -H 'Content-Type: application/json' "$@"; }
chat() { send "$url/v1/chat/completions" -d "$1"; }
ask='"model":"sim-text-1","messages":[{"role":"user","content":"Why do kites fly?"}]'
question='{"role":"user","content":"What is the weather in Oslo?"}'
tools='"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]'

plain() { chat "{$ask}" | grep -qi kite; }

streamed() { chat "{$ask,\"stream\":true}" | tail -n 2 | grep -q '^data: \[DONE\]'; }

tools_and_the_turn_after() {
  local first id result
  first=$(chat "{\"model\":\"sim-text-1\",\"messages\":[$question],$tools}")
  grep -q '\\"city\\":\\"Oslo\\"' <<<"$first" || return
  id=$(grep -o '"call_[^"]*"' <<<"$first" | head -n 1)
  call="{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":$id,\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Oslo\\\"}\"}}]}"
  result="{\"role\":\"tool\",\"tool_call_id\":$id,\"content\":\"{\\\"degrees\\\":17}\"}"
  chat "{\"model\":\"sim-text-1\",\"messages\":[$question,$call,$result],$tools}" | grep -q 17
}

structured_output() {
  chat "{$ask,\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"person\",\"schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}}}" |
    grep -q '\\"name\\":\\"'
}

abort() {
  curl --silent --no-buffer --max-time 1 -H 'Authorization: Bearer sk-greenroom' -H 'Content-Type: application/json' \
    "$url/v1/chat/completions" -d '{"model":"sim-text-1","stream":true,"messages":[{"role":"user","content":"[[tokens 4000]] Why?"}]}' >/dev/null
  for _ in $(seq 50); do
    curl --silent "$url/_greenroom/journal?operation=chat.complete&last=1" | grep -q '"outcome":"aborted"' && return
    sleep 0.1
  done
  return 1
}

error_class() {
  local status
  status=$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/v1/chat/completions" -d "{$ask}")
  [ "$status" = 401 ] || return
  curl --silent --fail --output /dev/null "$url/v1/models"
  [ $? = 22 ]
}

embeddings() { send "$url/v1/embeddings" -d '{"model":"sim-embedding-1","input":"a red kite"}' | grep -q '"embedding":\['; }

video() {
  local task
  task=$(send "$url/v1/video/generations" -d '{"model":"video-1","prompt":"a red kite","size":"320x240","duration":1}' | grep -o 'task_[A-Za-z0-9]*' | head -n 1)
  send "$url/_greenroom/clock/advance" -d '{"by":"10m"}' >/dev/null
  send "$url/v1/videos/$task/content" --range 4-7 | grep -q ftyp
}

failed=0
for step in plain streamed tools_and_the_turn_after structured_output abort error_class embeddings video; do
  if "$step"; then
    echo "{\"step\":\"${step//_/ }\"}"
  else
    failed=1
    echo "{\"step\":\"${step//_/ }\",\"error\":\"The step failed\"}"
  fi
done
exit $failed
