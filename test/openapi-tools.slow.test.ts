import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../src/server/index.ts'

// These are no dependencies, since they are large. `.ci/run` installs them into a folder of its own and names it here.
const tools = process.env['GREENROOM_OPENAPI']
const skipped = tools === undefined ? ' (skipped: GREENROOM_OPENAPI names no folder that has the tools)' : ''
const root = fileURLToPath(new URL('..', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'greenroom-openapi-'))
const file = join(folder, 'openapi.json')
let server: RunningServer

beforeAll(async () => {
  server = await startServer({ port: 0, cacheDir: false, quality: 'fast', clock: 'auto' })
  writeFileSync(file, await (await fetch(`${server.url}/_greenroom/openapi.json`)).text())
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** Runs the program of a package that the folder of the tools has. */
function run(name: string, args: string[]): Promise<{ code: number; printed: string }> {
  const manifest = join(tools!, 'node_modules', name, 'package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> }
  const program = typeof bin === 'string' ? bin : Object.values(bin)[0]!
  return runNode([join(dirname(manifest), program), ...args])
}

function runNode(args: string[]): Promise<{ code: number; printed: string }> {
  const env = { ...process.env, NO_COLOR: '1', CI: '1', REDOCLY_TELEMETRY: 'off' }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout + stderr }),
    )
  })
}

it.skipIf(!tools)(`satisfies the rules of Redocly${skipped}`, { timeout: 120_000 }, async () => {
  const { code, printed } = await run('@redocly/cli', [
    'lint',
    file,
    '--extends=recommended',
    '--format=stylish',
  ])
  expect(printed).toContain('Your API description is valid')
  expect(printed).not.toContain('warning  ')
  expect(code).toBe(0)
})

it.skipIf(!tools)(`satisfies the rules of Spectral${skipped}`, { timeout: 120_000 }, async () => {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]')
  const lint = (path: string): ReturnType<typeof run> =>
    run('@stoplight/spectral-cli', ['lint', path, '--fail-severity=hint'])
  const { code, printed } = await lint(file)
  expect(printed).toContain("No results with a severity of 'hint' or higher found!")
  expect(code).toBe(0)

  const broken = join(folder, 'broken.json')
  writeFileSync(
    broken,
    readFileSync(file, 'utf8').replace('"operationId":"video.poll"', '"operationId":"video.submit"'),
  )
  expect((await lint(broken)).code).toBe(1)
})

/** What a user of the generated client writes. */
const program = `
import { createClient } from './client/client'
import { videoContent, videoPoll, videoSubmit } from './client'

export async function makeVideo(baseUrl: string): Promise<{ readonly status: string; readonly type: string; readonly bytes: Uint8Array }> {
  const client = createClient({ baseUrl, auth: 'sk-generated' })
  const { data: task } = await videoSubmit({ client, body: { model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 } })
  const path = { task_id: task!.task_id }
  for (;;) {
    const { data: polled } = await videoPoll({ client, path })
    const job = polled!.data
    if (job?.status === 'FAILURE') throw new Error(job.fail_reason)
    if (job?.status !== 'SUCCESS') continue
    const { data: video } = await videoContent({ client, path })
    return { status: job.status, type: video!.type, bytes: new Uint8Array(await video!.arrayBuffer()) }
  }
}

export async function refusal(baseUrl: string): Promise<string> {
  const client = createClient({ baseUrl, auth: 'sk-generated' })
  const { error } = await videoSubmit({ client, body: { model: 'video-1', prompt: '' } })
  return error && 'code' in error ? error.code : ''
}`

it.skipIf(!tools)(
  `drives a generated client, which makes a video${skipped}`,
  { timeout: 240_000 },
  async () => {
    const generated = await run('@hey-api/openapi-ts', [
      '-i',
      file,
      '-o',
      join(folder, 'client'),
      '-c',
      '@hey-api/client-fetch',
    ])
    expect(generated.code, generated.printed).toBe(0)
    writeFileSync(join(folder, 'program.ts'), program)

    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
    symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
    const compiler = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace('package.json', 'bin/tsc')
    const options = '--strict --skipLibCheck --target es2023 --lib es2023,dom,dom.iterable --module esnext'
    const checked = await runNode([
      compiler,
      '--noEmit',
      ...options.split(' '),
      '--moduleResolution',
      'bundler',
      'program.ts',
    ])
    expect(checked.printed).toBe('')

    const { makeVideo, refusal } = (await import(/* @vite-ignore */ join(folder, 'program.ts'))) as {
      makeVideo: (url: string) => Promise<{ status: string; type: string; bytes: Uint8Array }>
      refusal: (url: string) => Promise<string>
    }
    const { status, type, bytes } = await makeVideo(server.url)
    expect([status, type]).toEqual(['SUCCESS', 'video/mp4'])
    expect(new TextDecoder().decode(bytes.subarray(4, 8))).toBe('ftyp')
    expect(await refusal(server.url)).toBe('invalid_request')
  },
)
