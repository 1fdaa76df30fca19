import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Terminal } from '../../src/cli/terminal/command.ts'
import { runCommandLine } from '../../src/cli/terminal/command-line.ts'

export { runCommandLine }

export interface Ran {
  code: number
  printed: string
  warned: string
  folder: string
}

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Creates a folder with these files, which is removed after the tests of the file. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-cli-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** Runs a command line in a folder. A server is interrupted as soon as it prints its URL. */
export async function runIn(
  folder: string,
  words: readonly string[],
  more: Partial<Terminal> = {},
): Promise<Ran> {
  const ran: Ran = { code: -1, printed: '', warned: '', folder }
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  ran.code = await runCommandLine(words, {
    print: (text) => {
      ran.printed += `${text}\n`
      interrupt()
    },
    warn: (text) => (ran.warned += `${text}\n`),
    interrupted,
    folder,
    environment: {},
    ...more,
  })
  return ran
}

/** Runs a command line in a new folder with these files. */
export function run(
  words: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Ran> {
  return runIn(folderWith(files), words)
}

/** `serve` on a free port, without a cache folder. */
export const serve = (...words: string[]): string[] => [
  'serve',
  '--port',
  '0',
  '--cache-dir',
  'false',
  ...words,
]

/** Never interrupts a command. */
export const never = new Promise<void>(() => {})

/** A `fetch` for programs, of what they need: the first call of Node's own takes a tenth of a second of processor time. */
export const lightFetch = `
import { request } from 'node:http'
const fetch = (url, { body, ...init } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(url, init, (response) => {
      const pieces = []
      response.on('error', reject).on('data', (piece) => pieces.push(piece)).on('end', () => {
        const bytes = Buffer.concat(pieces)
        const text = async () => bytes.toString()
        resolve({ status: response.statusCode, text, json: async () => JSON.parse(bytes), arrayBuffer: async () => bytes })
      })
    })
    sent.on('error', reject).end(body)
  })
`

/** A client that polls without pause; in mode `auto`, each poll moves the clock on. */
export const client = `${lightFetch}
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 })
const { task_id: id } = await (await fetch(url + '/v1/video/generations', { method: 'POST', headers, body })).json()
for (;;) {
  const { data } = await (await fetch(url + '/v1/video/generations/' + id, { headers })).json()
  if (data.status === 'SUCCESS' || data.status === 'FAILURE') break
}
await (await fetch(url + '/v1/videos/' + id + '/content', { headers })).arrayBuffer()
`

export const story = `version: 1
name: a video
config: { cacheDir: false }
rules:
  - { id: steady, match: { op: video.submit }, task: { queued: 5s, render: 20s } }
drive:
  - { flow: video, size: 128x96, seconds: 1 }
expect:
  tasks:
    - { kind: video, count: 1, status: SUCCESS }
  requests:
    - { op: video.poll, count: { max: 7 } }
`

export const files = { 'client.mjs': client, 'story.yaml': story }

/** Runs `greenroom run` to its end, unless it is interrupted. */
export function runScenarios(
  folder: string,
  words: readonly string[],
  interrupted: Promise<void> = never,
): Promise<Ran> {
  return runIn(folder, ['run', ...words], { interrupted })
}

/** The words that run a Node program as the command. */
export const node = (...words: string[]): string[] => ['--', process.execPath, ...words]
