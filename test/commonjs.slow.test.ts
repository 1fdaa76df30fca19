import { readdirSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import type { GreenroomMatchers } from '../src/matchers/index.ts'

type Library = typeof import('../src/index.ts')
type Matchers = typeof import('../src/matchers/index.ts')

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const require = createRequire(import.meta.url)

const formats = {
  CommonJS: {
    library: require(join(dist, 'index.cjs')) as Library,
    matchers: require(join(dist, 'matchers/index.cjs')) as Matchers,
  },
  ESM: {
    library: (await import(join(dist, 'index.js'))) as Library,
    matchers: (await import(join(dist, 'matchers/index.js'))) as Matchers,
  },
}
const pairs = [
  { made: 'CommonJS', used: 'ESM' },
  { made: 'ESM', used: 'CommonJS' },
] as const

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.cjs'))
  .map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8') }))

/** The files that `require` loads together with an entry. */
function requiredWith(path: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path)) return found
  const text = readFileSync(path, 'utf8')
  found.set(path, text)
  for (const [, target] of text.matchAll(/^(?:const|let) \w+ = require\("(\.[^"]+)"\);$/gm))
    requiredWith(join(dirname(path), target!), found)
  return found
}

function typeOfPackage(path: string): string {
  const folder = dirname(path)
  try {
    const { name, type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: string
      type?: string
    }
    if (name !== undefined || type !== undefined) return type ?? 'commonjs'
  } catch {
    // The package's own file is further up.
  }
  return typeOfPackage(folder)
}

async function answersOf({ createSimulator }: Library): Promise<unknown[]> {
  const sim = createSimulator({ seed: 7, cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const post = (path: string, body: object): Promise<Response> =>
    sim.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const messages = [{ role: 'user', content: 'Why do kites fly?' }]
  const chat = await post('/v1/chat/completions', { model: 'sim-text-1', messages })
  const submitted = await post('/v1/video/generations', {
    model: 'video-1',
    prompt: 'a red kite',
    duration: 1,
    size: '128x96',
  })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  await sim.clock.advanceUntil(id, 'SUCCESS')
  const video = await sim.fetch(`/v1/videos/${id}/content`, { headers })
  const answers = [await chat.json(), id, Buffer.from(await video.arrayBuffer()).toString('base64')]
  await sim.close()
  return answers
}

it.each(['index', 'matchers/index'])('exports the same from dist/%s in CommonJS as in ESM', async (name) => {
  const esm = (await import(join(dist, `${name}.js`))) as object
  expect(Object.keys(require(join(dist, `${name}.cjs`)) as object).sort()).toEqual(Object.keys(esm).sort())
})

it('answers the same in CommonJS as in ESM', async () => {
  expect(await answersOf(formats.CommonJS.library)).toEqual(await answersOf(formats.ESM.library))
})

it('finds its child processes from CommonJS', { timeout: 120_000 }, async () => {
  const sim = formats.CommonJS.library.createSimulator({ quality: 'full', ffmpeg: 'wasm', cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', duration: 1, size: '128x96' })
  const submitted = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  await sim.clock.advanceUntil(id, 'SUCCESS')
  const { status } = await sim.fetch(`/v1/videos/${id}/content`, { headers })
  const { verified } = sim.core.control.health().encoder
  await sim.close()
  expect({ status, verified }).toEqual({ status: 200, verified: true })
})

it('has neither import() nor import.meta in CommonJS, which Jest rejects', () => {
  for (const { name, text } of files) {
    const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
    expect(code, name).not.toMatch(/\bimport\s*\(|\bimport\.meta\b/)
  }
})

it('requires only packages that ship CommonJS', () => {
  const required = new Set(
    files.flatMap(({ text }) => [...text.matchAll(/\brequire\("([^."][^"]*)"\)/g)].map(([, id]) => id!)),
  )
  const packages = [...required].filter((id) => !isBuiltin(id))
  expect(packages).toContain('sharp')
  for (const id of packages) {
    const path = require.resolve(id)
    expect(path.endsWith('.cjs') || typeOfPackage(path) === 'commonjs', `${id} is ESM: ${path}`).toBe(true)
  }
})

it('loads no package and few files with the CommonJS entry', () => {
  const loaded = requiredWith(join(dist, 'index.cjs'))
  expect(loaded.size).toBeLessThan(8)
  for (const [path, text] of loaded) {
    const atOnce = [...text.matchAll(/^(?:const|let) \w+ = require\("([^."][^"]*)"\);$/gm)]
    expect(
      atOnce.map(([, id]) => id!).filter((id) => !isBuiltin(id)),
      path,
    ).toEqual([])
  }
})

describe.each(pairs)('a $made copy next to a copy in $used', ({ made, used }) => {
  it('has errors that the other copy recognizes', () => {
    const [one, other] = [formats[made].library, formats[used].library] as unknown as Record<
      string,
      unknown
    >[]
    const names = Object.keys(one!).filter((name) => /^class\b/.test(String(one![name])))
    expect(names.length).toBeGreaterThan(12)
    for (const name of names) {
      const ErrorClass = one![name] as new (message: string) => Error
      const error = new ErrorClass('no')
      const recognizing = names.filter((each) => error instanceof (other![each] as typeof Error))
      expect(recognizing).toEqual([name])
    }
  })

  it('is judged by matchers of the other', async () => {
    const sim = formats[made].library.createSimulator()
    expect.extend(formats[used].matchers.greenroomMatchers)
    const about = expect as unknown as (value: unknown) => GreenroomMatchers
    await sim.fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
    about(sim).toHaveRequested('models.list', { status: 200 }, { times: 1 })
    about(await sim.verdict()).toPass()
    await sim.close()
  })

  it('plays a scenario that the other has read', async () => {
    const text = 'version: 1\nrules: [{ match: { op: models.list }, respond: { status: 429 } }]'
    const scenario = await formats[used].library.parseScenario(text)
    const sim = formats[made].library.createSimulator({ scenario })
    const { status } = await sim.fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
    await sim.close()
    expect(status).toBe(429)
  })
})

it.each([
  { entry: 'index.js', bundled: /^$/ },
  { entry: 'matchers/index.js', bundled: /^$/ },
  { entry: 'vitest/index.js', bundled: /^expect\.extend\(greenroomMatchers\);$/m },
])('leaves of an unused import of $entry nothing but its side effects', async ({ entry, bundled }) => {
  const bundle = await rolldown({
    input: 'app',
    external: (id) => !/^(?:app$|[./\0])/.test(id),
    plugins: [
      {
        name: 'app',
        resolveId: (id) => (id === 'app' ? '\0app' : undefined),
        load: (id) => (id === '\0app' ? `import ${JSON.stringify(join(dist, entry))}` : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  expect(output[0].code).toMatch(bundled)
})
