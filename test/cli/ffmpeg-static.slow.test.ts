import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import type { CheckResult } from '../../src/cli/doctor/checks.ts'
import { boxesOf } from '../media/clips.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const standIn = join(root, 'test/media/stand-in-ffmpeg.js')
const runStandIn = `exec "${process.execPath}" "${standIn}" "$@"`
/** A native ffmpeg to put in the place of ffmpeg-static's program. */
const realProgram = process.env['GREENROOM_TEST_FFMPEG']
const onUnix = it.skipIf(process.platform === 'win32')

/** The built package as npm installs it, and an ffmpeg-static whose download gives a program, or nothing. */
async function install(options: { program?: string; download?: string; isPackageMissing?: boolean }) {
  const folder = await mkdtemp(join(tmpdir(), 'greenroom-installed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, 'greenroom'), { recursive: true })
  await cp(join(root, 'dist'), join(modules, 'greenroom/dist'), { recursive: true })
  await cp(join(root, 'package.json'), join(modules, 'greenroom/package.json'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name.startsWith('.') || name === 'ffmpeg-static') continue
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  const ffmpegStatic = join(modules, 'ffmpeg-static')
  if (!options.isPackageMissing) {
    await mkdir(ffmpegStatic)
    await writeFile(join(ffmpegStatic, 'package.json'), '{ "name": "ffmpeg-static", "version": "5.3.0" }')
    await writeFile(join(ffmpegStatic, 'install.js'), options.download ?? '')
    await writeFile(join(ffmpegStatic, 'index.js'), "module.exports = __dirname + '/ffmpeg'")
  }
  const program = join(ffmpegStatic, 'ffmpeg')
  if (options.program !== undefined) {
    await writeFile(program, `#!/bin/sh\n${options.program}\n`, { mode: 0o755 })
  }
  const { GREENROOM_FFMPEG: _unset, ...environment } = process.env
  const command = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, [join(modules, 'greenroom/dist/cli/main.js'), ...words], {
      cwd: folder,
      env: { ...environment, ...env, XDG_CACHE_HOME: join(folder, 'cache') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return { folder, program, command }
}

type Installed = Awaited<ReturnType<typeof install>>

/** Runs a command to its end. */
async function run({ command }: Pick<Installed, 'command'>, words: readonly string[]) {
  const child = command(words)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  }
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

/** Starts `serve` without any flag that names an encoder. */
async function serve({ command }: Pick<Installed, 'command'>) {
  const child = command(['serve', '--port', '0', '--log', 'json', '--clock', 'auto'])
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += String(bytes)))
  for await (const line of createInterface(child.stdout)) {
    const { url, encoder } = JSON.parse(line) as { url: string; encoder: Record<string, unknown> }
    return { url, encoder, errors: () => errors }
  }
  throw new Error(`The server did not start: ${errors}`)
}

/** Submits a video, polls it to its end and downloads it. */
async function downloadVideo(url: string): Promise<Uint8Array> {
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '160x90', duration: 1 })
  const submitted = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  await expect
    .poll(async () => (await fetch(`${url}/v1/video/generations/${id}`, { headers })).text())
    .toContain('SUCCESS')
  const content = await fetch(`${url}/v1/videos/${id}/content`, { headers })
  expect(content.status, content.headers.get('x-greenroom-hint') ?? '').toBe(200)
  return new Uint8Array(await content.arrayBuffer())
}

const health = async (url: string) =>
  ((await (await fetch(`${url}/_greenroom/health`)).json()) as { encoder: unknown }).encoder

onUnix(
  'makes full clips with the program of ffmpeg-static where it is installed, without any flag',
  async () => {
    const installed = await install({ program: `echo "$*" >> "$(dirname "$0")/log"\n${runStandIn}` })
    const { url, encoder } = await serve(installed)
    expect(encoder).toEqual({
      candidate: 'ffmpeg-static',
      verified: true,
      version: expect.stringMatching(/^ffmpeg version/),
      reason: `its program is ${installed.program}`,
    })

    expect(boxesOf(await downloadVideo(url))).toMatchObject({ width: 160, height: 90, seconds: 1 })

    expect(await readFile(join(dirname(installed.program), 'log'), 'utf8')).toMatch(/-s 160x90 .*pipe:1/)
    expect(await health(url)).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
  },
  120_000,
)

it.skipIf(!realProgram)(
  'makes full clips with a real ffmpeg in the place of ffmpeg-static',
  async () => {
    const installed = await install({ program: `exec "${realProgram}" "$@"` })
    const { url, encoder } = await serve(installed)
    expect(encoder).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
    expect(boxesOf(await downloadVideo(url))).toMatchObject({
      codec: expect.stringMatching(/^avc1\./),
      width: 160,
      height: 90,
      frames: 24,
    })
  },
  120_000,
)

/** The real ffmpeg-static comes from the registry, as the packages of examples do. */
const mayInstall = realProgram !== undefined && process.env['GREENROOM_TEST_INSTALLS'] === '1'

/** A mirror of the releases of ffmpeg-static on loopback: programs gzipped, by tag, platform and architecture. */
async function openMirror() {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url!)
    if (!request.url!.endsWith('.gz')) return void response.end('A real ffmpeg.')
    pipeline(createReadStream(realProgram!), createGzip(), response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** greenroom with the real ffmpeg-static, which npm installs, with its script or without. */
async function installReal(url: string, hasScripts: boolean) {
  const installed = await install({ isPackageMissing: true })
  const prefix = join(installed.folder, 'real')
  const { HTTPS_PROXY: _one, https_proxy: _two, HTTP_PROXY: _three, http_proxy: _four, ...rest } = process.env
  const env = { ...rest, FFMPEG_BINARIES_URL: url, XDG_CACHE_HOME: join(installed.folder, 'cache') }
  await mkdir(prefix)
  const scripts = `--ignore-scripts=${String(!hasScripts)}`
  const words = ['install', '--no-audit', '--no-fund', '--prefix', prefix, scripts, 'ffmpeg-static@5.3.0']
  await promisify(execFile)('npm', words, { cwd: prefix, env })
  await symlink(
    join(prefix, 'node_modules/ffmpeg-static'),
    join(installed.folder, 'node_modules/ffmpeg-static'),
  )
  const program = join(prefix, 'node_modules/ffmpeg-static/ffmpeg')
  return {
    folder: installed.folder,
    program,
    command: (words: readonly string[]) => installed.command(words, env),
  }
}

const releasePath = `/b6.1.1/ffmpeg-${process.platform}-${process.arch}.gz`

it.skipIf(!mayInstall)(
  'finds and uses the program that the install script of ffmpeg-static has downloaded, and says so',
  async () => {
    const mirror = await openMirror()
    const installed = await installReal(mirror.url, true)
    expect(mirror.paths[0]).toBe(releasePath)

    const { url, encoder } = await serve(installed)
    const reason = `its program is ${installed.program}`
    expect(encoder).toMatchObject({ candidate: 'ffmpeg-static', verified: true, reason })
    expect(boxesOf(await downloadVideo(url))).toMatchObject({
      codec: expect.stringMatching(/^avc1\./),
      frames: 24,
    })
    // Long lines are wrapped.
    const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')
    const line = new RegExp(`ffmpeg-static \\(ffmpeg version [^)]*\\) .*: ${reason}`)
    expect(flat((await run(installed, ['doctor'])).output)).toMatch(line)
    const child = installed.command(['serve', '--port', '0'])
    onTestFinished(() => void child.kill('SIGKILL'))
    let banner = ''
    child.stdout.on('data', (bytes: Buffer) => (banner += String(bytes)))
    await expect.poll(() => flat(banner)).toMatch(line)
  },
  180_000,
)

it.skipIf(!mayInstall)(
  'runs the install script of ffmpeg-static later, if npm has skipped it',
  async () => {
    const mirror = await openMirror()
    const installed = await installReal(mirror.url, false)
    expect(mirror.paths).toEqual([])
    const before = await serve(installed)
    expect(before.encoder['reason']).toContain('ffmpeg-static is installed without its program')

    const mended = await run(installed, ['doctor', '--mend', '--json'])
    expect(mended.output).toContain(`Downloading ${installed.program}`)
    expect(mirror.paths[0]).toBe(releasePath)
    expect((await serve(installed)).encoder).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
  },
  180_000,
)

onUnix(
  'says why WebAssembly makes the clips, and how to get the program',
  async () => {
    const without = await serve(await install({}))
    expect(without.encoder).toEqual({
      candidate: 'wasm',
      verified: false,
      reason: 'ffmpeg-static is installed without its program; npx greenroom doctor --mend downloads it',
    })
    const unpacked = await serve(await install({ isPackageMissing: true }))
    expect(unpacked.encoder['reason']).toBe('ffmpeg-static is not installed; see npx greenroom doctor --mend')
    const broken = await serve(await install({ program: 'echo "wrong architecture" >&2; exit 8' }))
    expect(broken.encoder).toMatchObject({
      candidate: 'wasm',
      reason: expect.stringMatching(/^the program of ffmpeg-static does not work: .*wrong architecture/),
    })
    expect(broken.errors()).toMatch(/can't be used as ffmpeg: .*status 8/)
  },
  60_000,
)

/** What `doctor` finds of the encoder, by default with `--mend`. */
async function mend(installed: Pick<Installed, 'command'>, flags: readonly string[] = ['--mend']) {
  const { code, output } = await run(installed, ['doctor', ...flags, '--json'])
  const { checks } = JSON.parse(output.slice(output.indexOf('{'))) as { checks: CheckResult[] }
  return { code, encoder: checks.find(({ name }) => name === 'encoder')! }
}

const script = JSON.stringify(`#!/bin/sh\n${runStandIn}\n`)
const download = `require('fs').writeFileSync(__dirname + '/ffmpeg', ${script}, { mode: 0o755 })`

onUnix.each([
  ['is missing', undefined],
  ['does not work', 'echo nothing'],
])(
  'downloads the program of ffmpeg-static if it %s, and uses it from then on',
  async (_what, program) => {
    const installed = await install({ download, ...(program !== undefined && { program }) })
    expect((await mend(installed)).encoder).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(/^ffmpeg-static \(ffmpeg version/),
    })
    expect((await serve(installed)).encoder).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
  },
  60_000,
)

onUnix(
  'leaves one command to run if the program can not be downloaded',
  async () => {
    const offline = await mend(await install({ download: 'throw new Error("ENOTFOUND github.com")' }))
    expect([offline.code, offline.encoder]).toMatchObject([
      1,
      {
        status: 'error',
        advice: expect.stringMatching(
          /^The download failed \(Error: ENOTFOUND github\.com\)\..* run FFMPEG_BINARIES_URL=URL npx greenroom doctor --mend$/,
        ),
      },
    ])
    const without = await install({ isPackageMissing: true })
    const command =
      'npm install --no-save --ignore-scripts ffmpeg-static@5.3.0 && npx greenroom doctor --mend'
    const missing = await mend(without)
    expect([missing.code, missing.encoder.advice]).toEqual([1, `Run ${command}`])
    const advised = await mend(without, [])
    expect(advised.encoder.advice).toBe(`Run ${command} for a native encoder: it encodes full clips faster.`)
  },
  60_000,
)

it('lets every npm run the install script of ffmpeg-static, so that none decides which encoder runs', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>
  }
  expect(manifest.allowScripts['ffmpeg-static']).toBe(true)
})
