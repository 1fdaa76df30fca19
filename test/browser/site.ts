import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createServer, preview } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Ours, or msw 3 where the tests are given one. */
const msw = join(process.env['GREENROOM_MSW3'] ?? root, 'node_modules/msw')

/** A page's project as its author has it: greenroom among its packages, not linked to our folder. */
export interface Project {
  readonly folder: string
  remove(): void
}

/** Copies the example for pages, links the packages that `npm install` would install, and adds the test scripts. */
export function browserExample(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-page-'))
  cpSync(join(root, 'examples/browser'), folder, { recursive: true })
  for (const file of ['probe.js', 'walk.js']) cpSync(join(root, 'test/browser', file), join(folder, file))
  const page = join(folder, 'index.html')
  const script = '<script type="module" src="main.js">'
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(script, `<script type="module" src="probe.js"></script>${script}`),
  )
  const packages = join(folder, 'node_modules')
  const ours = join(packages, 'greenroom')
  mkdirSync(ours, { recursive: true })
  for (const part of ['package.json', 'dist']) cpSync(join(root, part), join(ours, part), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(packages, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(packages, name), 'junction')
  }
  symlinkSync(msw, join(packages, 'msw'), 'junction')
  mkdirSync(join(folder, 'public'), { recursive: true })
  cpSync(join(msw, 'lib/mockServiceWorker.js'), join(folder, 'public/mockServiceWorker.js'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A page that is served. */
export interface Site {
  readonly url: string
  close(): Promise<void>
}

const quiet = { logLevel: 'error', configFile: false, clearScreen: false } as const

/** Serves a project as `vite` does: packages bundled beforehand, all else as it is written. */
export async function served({ folder }: Project): Promise<Site> {
  const server = await createServer({ ...quiet, root: folder, server: { port: 0, host: '127.0.0.1' } })
  await server.listen()
  return { url: server.resolvedUrls!.local[0]!, close: () => server.close() }
}

/** Builds a project as `vite build` does, and serves what came of it. */
export async function built({ folder }: Project): Promise<Site> {
  await build({ ...quiet, root: folder })
  const server = await preview({ ...quiet, root: folder, preview: { port: 0, host: '127.0.0.1' } })
  return { url: server.resolvedUrls!.local[0]!, close: () => server.close() }
}
