import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { baseImage, findEngine, type Engine } from './support/container.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'examples/docker')
const readme = readFileSync(join(folder, 'README.md'), 'utf8')
const found = findEngine()
const missing = typeof found === 'string' ? ` (skipped: needs ${found})` : ''

interface Service {
  readonly build?: string
  readonly image?: string
  readonly command: string[]
  readonly environment: Record<string, string> | string[]
  readonly volumes: string[]
  readonly working_dir?: string
}

describe.skipIf(missing !== '')(`the container${missing}`, { timeout: 180_000 }, () => {
  const engine = found as Engine
  const image = 'localhost/greenroom'
  afterAll(() => engine.remove())

  /** Runs a program of Node in a container, and returns what it prints as JSON. */
  const evaluate = (container: string, code: string): unknown =>
    JSON.parse(
      engine.run(
        'exec',
        container,
        'node',
        '-e',
        `(async () => { ${code} })().then((value) => console.log(JSON.stringify(value)))`,
      ),
    )

  const start = (name: string, ...flags: string[]): void => {
    const hardened = ['--read-only', '--cap-drop', 'ALL']
    engine.run(
      'run',
      '-d',
      '--name',
      name,
      ...hardened,
      '-v',
      'data:/data',
      image,
      '--keys',
      'sk-test',
      ...flags,
    )
    untilHealthy(name)
  }

  function untilHealthy(name: string): void {
    for (let tries = 0; engine.status('healthcheck', 'run', name) !== 0; tries++) {
      if (tries === 100) throw new Error(`${name} is not healthy:\n${engine.run('logs', name)}`)
      spawnSync('sleep', ['0.3'])
    }
  }

  const headers = `{ authorization: 'Bearer sk-test', 'content-type': 'application/json' }`
  const submit = `const response = await fetch('http://127.0.0.1:4646/v1/video/generations', { method: 'POST', headers: ${headers}, body: JSON.stringify({ model: 'video-1', prompt: 'a red kite' }) }); return (await response.json()).task_id`
  const poll = (id: string): string =>
    `const response = await fetch('http://127.0.0.1:4646/v1/video/generations/${id}', { headers: ${headers} }); return [response.status, (await response.json()).data?.task_id]`

  beforeAll(() => {
    engine.run('build', '-t', image, root)
  }, 900_000)

  it('runs the commands of its README', () => {
    const [, block] = /```sh\n([^]*?)```/.exec(readme)!
    // Built above, which takes minutes.
    const [build, ...commands] = block!.trim().split('\n')
    expect(build).toBe('docker build -t greenroom ../..')
    const env = { ...process.env, PATH: `${engine.path}:${process.env['PATH']}` }
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', commands.join('\n')], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, expect.anything()])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+$/m)
  })

  it('needs a key, and says so', () => {
    expect(() => engine.run('run', '--rm', image)).toThrow('Set valid keys by --keys')
  })

  it('runs as a user without rights, on a file system that is read-only', () => {
    start('user')
    expect(engine.run('exec', 'user', 'id', '-u')).toBe('1000')
    const capabilities = `return require('fs').readFileSync('/proc/1/status', 'utf8').match(/CapEff:\\s*(\\w+)/)[1]`
    expect(evaluate('user', capabilities)).toMatch(/^0+$/)
    expect(engine.status('exec', 'user', 'touch', '/app/x')).not.toBe(0)
  })

  it('is small, and has neither sources nor the cache of npm', () => {
    const size = (name: string): number =>
      Number(engine.run('image', 'inspect', '--format', '{{.Size}}', name))
    expect((size(image) - size(baseImage)) / 1e6).toBeLessThan(115)
    const files = engine.run('exec', 'user', 'ls', '-A', '/app').split('\n')
    expect(files).toEqual(expect.arrayContaining(['dist', 'scenarios']))
    for (const name of ['src', 'docs', 'examples', 'test', 'package-lock.json', '.npmrc'])
      expect(files).not.toContain(name)
    expect(engine.status('exec', 'user', 'ls', '/build')).not.toBe(0)
    engine.run('rm', '--force', '--time', '0', 'user')
  })

  it('is unhealthy when nothing answers', () => {
    engine.run('run', '-d', '--name', 'sick', '--entrypoint', 'sleep', image, '60')
    expect(engine.status('healthcheck', 'run', 'sick')).toBe(1)
    engine.run('rm', '--force', '--time', '0', 'sick')
  })

  it('ends at once by SIGTERM, and finds its tasks in /data when it is started again', () => {
    start('first')
    const id = evaluate('first', submit) as string
    const began = performance.now()
    engine.run('stop', '--time', '30', 'first')
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(engine.run('inspect', '--format', '{{.State.ExitCode}}', 'first')).toBe('0')
    engine.run('rm', 'first')

    start('second')
    expect(evaluate('second', poll(id))).toEqual([200, id])
    engine.run('kill', '--signal', 'KILL', 'second')
    engine.run('rm', '--force', 'second')

    start('third')
    expect(evaluate('third', poll(id))).toEqual([200, id])
    engine.run('rm', '--force', '--time', '0', 'third')
  })

  it('makes a video for the application of compose.yaml', () => {
    const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
      services: { greenroom: Service; app: Service }
    }
    const { greenroom, app } = services
    expect(join(folder, greenroom.build!)).toBe(dirname(join(root, 'Dockerfile')))
    expect(app.image).toBe(/ARG BASE=(.*)/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1])
    engine.run(
      'run',
      '-d',
      '--name',
      'compose',
      '--read-only',
      '--cap-drop',
      'ALL',
      '-v',
      greenroom.volumes[0]!,
      image,
      ...greenroom.command,
    )
    untilHealthy('compose')
    const variables = Object.entries(app.environment as Record<string, string>).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ])
    // The network of a project has the names of its services.
    const hosts = join(engine.path, 'hosts')
    writeFileSync(hosts, '127.0.0.1 localhost greenroom\n')
    const volumes = [...app.volumes, `${hosts}:/etc/hosts:ro`].flatMap((volume) => [
      '-v',
      volume.replace(/^\./, folder),
    ])
    const printed = engine.run(
      'run',
      '--rm',
      '--network',
      'container:compose',
      ...variables,
      ...volumes,
      '-w',
      app.working_dir!,
      baseImage,
      ...app.command,
    )
    expect(printed).toMatch(/^task_\w+ has \d+ bytes$/)
    engine.run('rm', '--force', '--time', '0', 'compose')
  })
})
