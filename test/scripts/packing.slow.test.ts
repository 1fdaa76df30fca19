import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url))
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, unknown>
}

/** Stands in for scripts/build.js, which takes many seconds: counts builds, and prints the source when the command runs. */
const quickBuild = `
  import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
  import { digestSources, writeBuildStamp } from './build-state.js'
  mkdirSync('dist', { recursive: true })
  writeFileSync('dist/main.js', '#!/usr/bin/env node\\nconsole.log(' + readFileSync('src/index.ts', 'utf8') + ')')
  chmodSync('dist/main.js', 0o755)
  writeBuildStamp('dist', digestSources('.'))
  appendFileSync('builds.log', 'x')
`

/** A small project with greenroom's own scripts of npm. */
function createProject() {
  const root = mkdtempSync(join(tmpdir(), 'greenroom-packing-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const { dependencies, prepack } = manifest.scripts
  const files = {
    'package.json': JSON.stringify({
      name: 'small',
      version: '1.0.0',
      type: 'module',
      bin: { small: 'dist/main.js' },
      files: ['dist', '!dist/build.json'],
      scripts: { dependencies, prepack, build: 'node scripts/build.js' },
    }),
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
    'tsconfig.build.json': '{}',
    'src/index.ts': '1',
  }
  cpSync(scripts, join(root, 'scripts'), { recursive: true })
  mkdirSync(join(root, 'src'))
  for (const [path, content] of Object.entries({ ...files, 'scripts/build.js': quickBuild }))
    writeFileSync(join(root, path), content)
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  return {
    root,
    changeSource: (content: string) => writeFileSync(join(root, 'src/index.ts'), content),
    npm: (...args: string[]) => spawnSync('npm', args, { cwd: root, env, encoding: 'utf8' }),
    /** Runs a script as npm does, but without npm, which takes long to start. */
    run: (name: 'build' | 'prepare') =>
      spawnSync(process.execPath, [`scripts/${name}.js`], { cwd: root, env, encoding: 'utf8' }),
    get builds() {
      const log = join(root, 'builds.log')
      return existsSync(log) ? readFileSync(log, 'utf8').length : 0
    },
  }
}

it('packs a current build without building again, and leaves its stamp out', () => {
  const project = createProject()
  expect(project.run('prepare').status).toBe(0)
  const packed = project.npm('pack', '--json')
  expect(packed.status, packed.stderr).toBe(0)
  const paths = [...packed.stdout.matchAll(/"path": "(dist\/[^"]+)"/g)].map(([, path]) => path)
  expect(paths).toEqual(['dist/main.js'])
  expect(project.builds).toBe(1)
})

it('refuses to pack a stale build, and leaves it as it is', () => {
  const project = createProject()
  project.run('build')
  project.changeSource('2')
  const refused = project.npm('pack')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(
    'error: The build is stale: dist was not built from the current sources. Run npm run build first.\n',
  )
  expect(project.builds).toBe(1)
})

it('refuses to pack without a build', () => {
  const project = createProject()
  const refused = project.npm('pack')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(
    'error: There is no build: the folder dist is missing. Run npm run build first.\n',
  )
  expect(project.builds).toBe(0)
})

it('builds in prepare only when the sources have changed', () => {
  const project = createProject()
  const buildCounts = ['1', '1', '2', '2'].map((content) => {
    project.changeSource(content)
    expect(project.run('prepare').status).toBe(0)
    return project.builds
  })
  expect(buildCounts).toEqual([1, 1, 2, 2])
})

it('starts the build that exists with npx, without building again', () => {
  const project = createProject()
  project.run('build')
  project.changeSource('2')
  expect(project.npm('exec', '--yes', '--', 'small')).toMatchObject({ status: 0, stdout: '1\n' })
  expect(project.builds).toBe(1)
})

it('names Vitest as an optional peer without a range: npm 10 crashes on each range that includes Vitest 4 or 5', () => {
  expect(Object.keys(manifest.peerDependencies)).not.toContain('vitest')
  expect(manifest.peerDependenciesMeta['vitest']).toEqual({ optional: true })
})

it('has no script that npm 11 reports at an installation from a tarball or by git', () => {
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([])
  expect(manifest.scripts['dependencies']).toBe('node scripts/prepare.js')
})
