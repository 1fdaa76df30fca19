import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { explore, type ExploredGateway } from '../src/index.ts'
import { never, runIn } from './cli/run-in-folder.ts'

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'greenroom-explored-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Client = (prompt: string, gateway: ExploredGateway) => Promise<unknown>

/** Explores an exported function. It throws if something is found. */
async function exploreFunction(path: string, name: string): Promise<void> {
  const exported = (await import(`${examples}/${path}`)) as Record<string, Client>
  await explore((gateway) => exported[name]!('Why do red kites fly?', gateway))
}

/** Explores a command. The faults that matter most come first, so a short budget tries each kind of them. */
async function exploreCommand(flags: string, ...command: readonly string[]): Promise<void> {
  const line = ['explore', '--jobs', '2', ...flags.split(' '), '--', ...command]
  const { code, printed } = await runIn(folder, line, { interrupted: never, environment: process.env })
  expect(printed).toContain('score: 100 of 100')
  expect(code, printed).toBe(0)
}

/** Calls the client of the example, which takes an URL, a key, a sleep and a timeout. */
const python = `
import os, sys, requests
sys.path.insert(0, sys.argv[1])
from video import make_video
url, key = os.environ["GREENROOM_URL"], os.environ["GREENROOM_KEY"]
sleep = lambda seconds: requests.post(url + "/_greenroom/clock/sleep", json={"for": seconds * 1000}).raise_for_status()
print(len(make_video("a red kite", url, key, sleep=sleep, timeout=2)), "bytes")
`

const go = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"example.com/video"
)

func main() {
	url := os.Getenv("GREENROOM_URL")
	sleep := func(d time.Duration) {
		body := strings.NewReader(fmt.Sprintf("{\\"for\\":%d}", d.Milliseconds()))
		if response, err := http.Post(url+"/_greenroom/clock/sleep", "application/json", body); err == nil {
			response.Body.Close()
		}
	}
	timeout := func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, 2*time.Second)
	}
	client := video.Client{URL: url, Key: os.Getenv("GREENROOM_KEY"), Sleep: sleep, Timeout: timeout}
	bytes, err := client.Make("a red kite")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(len(bytes), "bytes")
}
`

function buildGo(): string {
  cpSync(join(examples, 'go'), join(folder, 'go'), { recursive: true })
  mkdirSync(join(folder, 'go/explored'))
  writeFileSync(join(folder, 'go/explored/main.go'), go)
  execFileSync('go', ['build', '-o', join(folder, 'go-client'), './explored'], { cwd: join(folder, 'go') })
  return join(folder, 'go-client')
}

const hasProgram = (...words: [string, ...string[]]): boolean => {
  try {
    execFileSync(words[0], words.slice(1), { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface Exploring {
  readonly client: string
  readonly play: () => Promise<void>
  readonly missing?: string | undefined
}

const sameClient = 'the client of examples/vitest: test/testing-examples.slow.test.ts compares the files'
const page = 'a page that shows what a person sees; it repeats nothing by itself'
const sdk = 'shows the SDK of a vendor, which never repeats a stream that broke off'

/** By its name: how each example is explored, or why it is not. */
const explorations: Readonly<Record<string, string | readonly Exploring[]>> = {
  vitest: [
    { client: 'videos', play: () => exploreFunction('vitest/video.js', 'makeVideo') },
    { client: 'texts', play: () => exploreFunction('vitest/talk.js', 'talk') },
  ],
  // Its deadline of 30 s is explored without real time in `vitest`.
  ci: [
    {
      client: 'a program',
      play: () => exploreCommand('--budget 10s --skip silence', process.execPath, `${examples}/ci/client.js`),
    },
  ],
  shell: [
    {
      client: 'a script',
      play: () => exploreCommand('--budget 20s', 'sh', `${examples}/shell/client.sh`),
      missing: hasProgram('curl', '--version') ? undefined : 'curl',
    },
  ],
  python: [
    {
      client: 'a module',
      play: () => exploreCommand('--budget 20s', 'python3', '-c', python, `${examples}/python`),
      missing: hasProgram('python3', '-c', 'import requests') ? undefined : 'requests of Python',
    },
  ],
  go: [
    {
      client: 'a package',
      play: () => exploreCommand('--budget 15s', buildGo()),
      missing: hasProgram('go', 'version') ? undefined : 'Go',
    },
  ],
  jest: sameClient,
  'jest-commonjs': sameClient,
  'jest-msw': sameClient,
  'node-test': sameClient,
  explore: sameClient,
  browser: page,
  playwright: page,
  react: page,
  'next-route': 'its routes repeat nothing, and pass each refusal on to a page',
  openai: sdk,
  'ai-sdk': sdk,
  genai: sdk,
  docker: 'the client of examples/vitest in a container',
  sharded: 'the configuration of a proxy, without a client',
}

it('explores every example, or says why not', () => {
  const names = readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.js'))
    .map(({ name }) => name.replace(/\.js$/, ''))
  expect(names.filter((name) => explorations[name] === undefined)).toEqual([])
})

for (const [name, exploration] of Object.entries(explorations))
  for (const { client, play, missing } of typeof exploration === 'string' ? [] : exploration)
    it.skipIf(missing !== undefined)(
      `finds nothing in examples/${name}: ${client}${missing === undefined ? '' : ` (skipped: needs ${missing})`}`,
      { timeout: 120_000 },
      play,
    )
