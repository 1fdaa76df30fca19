import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { explore, type ExploredGateway, type ExploreOptions } from '../src/index.ts'
import { shippedNames } from './support/own-apis.ts'
import { never, runIn } from './cli/run-in-folder.ts'
import { findPython } from './support/python.ts'

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'greenroom-explored-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Client = (prompt: string, gateway: ExploredGateway) => Promise<unknown>

/** Explores an exported function. It throws if something is found. */
async function exploreFunction(path: string, name: string): Promise<void> {
  const exported = (await import(`${examples}/${path}`)) as Record<string, Client>
  await explore((gateway) => exported[name]!('Why do red kites fly?', gateway))
}

/** What the page of examples/browser does with its client. */
interface PageClient {
  makeVideo(request: object): Promise<{ id: string }>
  downloadVideo(id: string): Promise<Blob>
  makeDrawing(prompt: string): Promise<Blob>
  streamText(prompt: string): Promise<string>
}

const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer())

/** Explores the client of pages, in Node. It throws if something is found. */
async function explorePageClient(use: (client: PageClient) => Promise<unknown>): Promise<void> {
  const { createClient } = (await import(`${examples}/browser/client.js`)) as {
    createClient: (gateway: ExploredGateway) => PageClient
  }
  await explore((gateway) => use(createClient(gateway)))
}

/**
 * Explores a function that calls the global `fetch`, and may wait in real time: its runs share the time. SDKs wait up to 30 s
 * for Retry-After, so what takes longest is left out.
 */
async function exploreInRealTime(client: Client, options: ExploreOptions = {}): Promise<void> {
  const gateways = new AsyncLocalStorage<ExploredGateway>()
  vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => gateways.getStore()!.fetch(...request))
  onTestFinished(() => void vi.unstubAllGlobals())
  const run = (gateway: ExploredGateway): Promise<unknown> =>
    gateways.run(gateway, () => client('Why do red kites fly?', gateway))
  const { score } = await explore(run, { jobs: 10, ...options })
  expect(score).toBe(100)
}

async function exploreSdk(name: string, skip: readonly string[]): Promise<void> {
  const { talk } = (await import(`${examples}/${name}/talk.js`)) as { talk: Client }
  // The function takes no `fetch` where its SDK takes none.
  await exploreInRealTime((prompt, { baseUrl, key }) => talk(prompt, { baseUrl, key } as ExploredGateway), {
    skip,
  })
}

/** Explores the routes of Next.js with a page that repeats what they say may be repeated: 503, after Retry-After. */
async function exploreRoutes(): Promise<void> {
  type Route = (request: Request, context: { params: Promise<{ id: string }> }) => Promise<Response>
  const routes = `${examples}/next-route/app/api/videos`
  const { POST } = (await import(`${routes}/route.ts`)) as { POST: Route }
  const { GET } = (await import(`${routes}/[id]/route.ts`)) as { GET: Route }
  const { GET: download } = (await import(`${routes}/[id]/content/route.ts`)) as { GET: Route }
  onTestFinished(() => void vi.unstubAllEnvs())

  await exploreInRealTime(async (prompt, { baseUrl, key, sleep }) => {
    vi.stubEnv('GATEWAY_URL', baseUrl)
    vi.stubEnv('GATEWAY_KEY', key)
    const call = async (route: Route, id = '', init?: RequestInit): Promise<Response> => {
      for (let failures = 1; ; failures++) {
        const request = new Request(`https://app.example/api/videos/${id}`, init)
        const response = await route(request, { params: Promise.resolve({ id }) })
        if (response.ok) return response
        if (response.status !== 503 || failures === 5) throw new Error(await response.text())
        const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000
        await sleep(Math.max(1_250 * 2 ** failures, retryAfterMs))
      }
    }
    const submitted = await call(POST, '', { method: 'POST', body: JSON.stringify({ prompt }) })
    const { id } = (await submitted.json()) as { id: string }
    for (let polls = 0; polls < 120; polls++) {
      await sleep(5_000)
      const { status, reason } = (await (await call(GET, id)).json()) as Record<string, string>
      if (status === 'failed') throw new Error(reason)
      if (status === 'done') return new Uint8Array(await (await call(download, id)).arrayBuffer())
    }
    throw new Error('gave up after ten minutes')
  })
}

/** The mildest fault of the kinds that matter most: each run of a command starts processes. */
const onlyOfCommands = [
  'gateway',
  '429 seconds',
  '503',
  'reset',
  'truncate',
  'corrupt',
  'fails',
  '401',
  'no answer',
]

const python = findPython('requests', 'httpx')

interface CommandOptions {
  readonly flags?: readonly string[]
  /** The faults to try. */
  readonly only?: readonly string[]
}

/** Explores a command. */
async function exploreCommand(
  command: readonly string[],
  { flags = [], only = onlyOfCommands }: CommandOptions = {},
): Promise<void> {
  const selected = only.flatMap((name) => ['--only', name])
  const line = ['explore', '--jobs', '2', ...selected, ...flags, '--', ...command]
  const { code, printed } = await runIn(folder, line, { interrupted: never, environment: process.env })
  expect(printed).toContain('\n  found nothing')
  expect(code, printed).toBe(0)
}

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

const sameClient = 'the client of examples/vitest: test/examples.test.ts compares the files'
const samePageClient = 'the client of examples/browser: test/examples.test.ts compares the files'

const defaultFaults = ['gateway', '503', 'corrupt', 'fails']

/** By its name: how each example is explored, or why it is not. */
const explorations: Readonly<Record<string, string | readonly Exploring[]>> = {
  // Its own explore.test.js explores the videos.
  vitest: [{ client: 'texts', play: () => exploreFunction('vitest/talk.js', 'talk') }],
  ci: sameClient,
  shell: [
    {
      client: 'a script',
      play: () => exploreCommand(['sh', `${examples}/shell/client.sh`]),
      missing: hasProgram('curl', '--version') ? undefined : 'curl',
    },
  ],
  python: ['video.py', 'videos.py', 'chat.py', 'worker.py'].map((name) => ({
    client: name,
    play: () =>
      exploreCommand(
        [python!, join(examples, 'python', name), ...(name === 'worker.py' ? ['kite', 'boat'] : [])],
        {
          flags: ['--virtual-timers', ...(name === 'worker.py' ? ['--crash', '--only', 'crash'] : [])],
        },
      ),
    missing: python ? undefined : 'requests and httpx of Python',
  })),
  go: [
    {
      client: 'a package',
      play: () => exploreCommand([buildGo()]),
      missing: hasProgram('go', 'version') ? undefined : 'Go',
    },
  ],
  jest: sameClient,
  'jest-commonjs': sameClient,
  'jest-msw': sameClient,
  'node-test': sameClient,
  'http-middleware': sameClient,
  docker: sameClient,
  explore: sameClient,
  browser: [
    {
      client: 'videos',
      play: () =>
        explorePageClient(async (client) => {
          const { id } = await client.makeVideo({ prompt: 'a red kite', duration: 1, size: '128x96' })
          return bytesOf(await client.downloadVideo(id))
        }),
    },
    {
      client: 'drawings',
      play: () => explorePageClient(async (client) => bytesOf(await client.makeDrawing('a red kite'))),
    },
    {
      client: 'texts',
      play: () => explorePageClient((client) => client.streamText('Why do red kites fly?')),
    },
  ],
  playwright: samePageClient,
  react: samePageClient,
  'next-route': [{ client: 'routes', play: exploreRoutes }],
  openai: [{ client: 'texts', play: () => exploreSdk('openai', ['rate limit']) }],
  'ai-sdk': [{ client: 'texts', play: () => exploreSdk('ai-sdk', ['rate limit', 'outage']) }],
  genai: [{ client: 'texts', play: () => exploreSdk('genai', ['rate limit', 'outage']) }],
  // They share careful-fetch.js, with what is done about a refusal or a broken connection.
  apis: shippedNames.map((api) => ({
    client: `${api}-client.js`,
    play: () =>
      exploreCommand([process.execPath, join(examples, `apis/${api}-client.js`)], {
        flags: ['--virtual-timers', '--api', api],
        ...(api !== 'kling' && { only: api === 'openai-batch' ? ['corrupt', 'fails'] : defaultFaults }),
      }),
  })),
  worker: 'test/worker-example.slow.test.ts explores it, with crashes',
  sharded: 'the configuration of a proxy and a script that starts it: no file in it sends a request',
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
