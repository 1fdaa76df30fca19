// Resolves a packed greenroom with several versions of npm: alone, and in projects that have msw, Jest or Vitest. The npm of
// Node 20 and 22 crashes on some peer declarations ("Cannot read properties of null (reading 'edgesOut')").
//   node scripts/ci-install.js greenroom-0.3.0.tgz
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [tarball] = process.argv.slice(2)
if (!tarball) throw new Error('Name the tarball: node scripts/ci-install.js greenroom-0.3.0.tgz')

const npmVersions = ['10.8.2', '10.9.9', '11.19.1']

/** What a project has before greenroom is added to it. */
const projects = [
  [],
  ['msw@2.15.0', '@mswjs/http-middleware@0.10.3'],
  ['jest@30.5.2'],
  ['vitest@3.2.7'],
  ['vitest@4.1.12'],
  ['vitest@5.1.1', 'msw@3.0.5'],
]

const folder = mkdtempSync(join(tmpdir(), 'greenroom-install-'))
const start = performance.now()
/** @type {string[]} */
const failures = []
let passed = 0
let skipped = 0
try {
  await Promise.all(npmVersions.map(tryNpm))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`install: ${passed} passed, ${skipped} skipped, ${failures.length} failed (${since(start)})`)
if (failures.length > 0) {
  console.error(failures.join('\n'))
  process.exitCode = 1
}

/** @param {string} version */
async function tryNpm(version) {
  // npm itself is installed once per version: `npx npm@10.8.2` would resolve it for each command.
  const prefix = join(folder, `npm-${version}`)
  const installed = await run(
    'npm',
    ['install', '--loglevel', 'error', '--prefix', prefix, `npm@${version}`],
    folder,
  )
  if (installed.error) {
    failures.push(`install: npm ${version} is not available: ${installed.output}`)
    return
  }
  const npm = join(prefix, 'node_modules/npm/bin/npm-cli.js')
  for (const [index, packages] of projects.entries())
    await tryProject(npm, version, packages, join(folder, `${version}-${index}`))
}

/**
 * @param {string} npm
 * @param {string} version
 * @param {readonly string[]} packages
 * @param {string} project a folder.
 */
async function tryProject(npm, version, packages, project) {
  const label = `install: npm ${version}, ${packages.length > 0 ? packages.join(' + ') : 'alone'}`
  const projectStart = performance.now()
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  const install = (/** @type {readonly string[]} */ names) =>
    run(
      process.execPath,
      // What crashes is the resolution. Only the project without other packages is unpacked, too.
      [npm, 'install', '--save-dev', ...(packages.length > 0 ? ['--package-lock-only'] : []), ...names],
      project,
    )

  if (packages.length > 0) {
    const before = await install(packages)
    if (before.error) {
      skipped += 1
      console.log(`Skipped: ${label}: it fails without greenroom, too: ${before.output}`)
      return
    }
  }
  for (const [step, names] of /** @type {const} */ ([
    ['add greenroom', [resolve(tarball ?? '')]],
    ['install again without a lock file', []],
  ])) {
    if (names.length === 0) rmSync(join(project, 'package-lock.json'))
    const { error, output } = await install(names)
    const problem = error ? output : findProblem(project, packages, output)
    if (problem) {
      failures.push(`${label}: ${step}: ${problem}`)
      console.log(`${label}: FAILED`)
      return
    }
  }
  if (packages.length === 0) {
    const { output } = await run(join(project, 'node_modules/.bin/greenroom'), ['--version'], project)
    if (!/^\d+\.\d+\.\d+$/m.test(output)) {
      failures.push(`${label}: greenroom --version prints ${JSON.stringify(output)}`)
      return
    }
  }
  passed += 1
  console.log(`${label}: passed (${since(projectStart)})`)
}

/**
 * @param {string} project
 * @param {readonly string[]} packages
 * @param {string} output of npm.
 */
function findProblem(project, packages, output) {
  if (output.includes('ERESOLVE')) return output
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const names = ['greenroom', ...packages.map((each) => each.slice(0, each.lastIndexOf('@')))]
  const missing = names.filter((name) => !lock.packages[`node_modules/${name}`])
  return missing.length > 0 ? `package-lock.json has no ${missing.join(', ')}` : undefined
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<{ error: boolean; output: string }>}
 */
function run(program, args, cwd) {
  const env = {
    ...process.env,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  return new Promise((done) => {
    execFile(program, args, { cwd, env, timeout: 300_000, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      done({ error: error !== null, output: `${stderr}${stdout}`.trim() }),
    )
  })
}

/** @param {number} from */
function since(from) {
  return `${Math.round((performance.now() - from) / 1000)} s`
}
