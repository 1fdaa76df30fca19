// Resolves a packed greenroom with several versions of npm: alone, and in projects that have msw, Jest or Vitest. The npm of
// Node 20 and 22 crashes on some peer declarations ("Cannot read properties of null (reading 'edgesOut')").
//   node scripts/ci-install.js greenroom-0.4.0.tgz
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [tarball] = process.argv.slice(2)
if (!tarball) throw new Error('Name the tarball: node scripts/ci-install.js greenroom-0.4.0.tgz')

/** Not that at hand: ci-packed.js and ci-jest.js install the package with it, next to more versions of msw, Jest and Vitest. */
const npmVersions = ['10.8.2', '10.9.9', '11.19.1'].filter((version) => version !== npmAtHand())

/** What a project has before greenroom is added to it. */
const projects = [
  [],
  ['msw@2.15.0', '@mswjs/http-middleware@0.10.3', 'jest@30.5.2'],
  ['vitest@4.1.12'],
  ['vitest@5.1.1', 'msw@3.0.5'],
]

const folder = mkdtempSync(join(tmpdir(), 'greenroom-install-'))
const install = ['install', '--save-dev']
const resolveOnly = [...install, '--package-lock-only']
const start = performance.now()
/** @type {string[]} */
const failures = []
let passed = 0
/** @typedef {{ packages: readonly string[]; before: string }} Project `before` is a folder, without greenroom. */
try {
  const started = await Promise.all(projects.map(startProject))
  await Promise.all(npmVersions.map((version) => tryNpm(version, started)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`install: ${passed} passed, ${failures.length} failed (${since(start)})`)
if (failures.length > 0) {
  console.error(failures.join('\n'))
  process.exitCode = 1
}

/**
 * Resolves the packages of a project with the npm at hand. Its lock file is the same for every npm.
 *
 * @param {readonly string[]} packages
 * @param {number} index
 * @returns {Promise<Project>}
 */
async function startProject(packages, index) {
  const before = join(folder, `before-${index}`)
  mkdirSync(before)
  writeFileSync(join(before, 'package.json'), '{"private":true}')
  if (packages.length > 0) {
    const { error, output } = await run('npm', [...resolveOnly, ...packages], before)
    if (error) throw new Error(`npm fails without greenroom, too: ${packages.join(' + ')}: ${output}`)
  }
  return { packages, before }
}

/**
 * @param {string} version
 * @param {readonly Project[]} started
 */
async function tryNpm(version, started) {
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
  // npm 11 has not crashed on peers yet: one project with the newest of them is enough.
  const isNew = Number.parseInt(version, 10) >= 11
  for (const [index, { packages, before }] of started.entries()) {
    if (isNew && index > 0 && index < started.length - 1) continue
    const project = join(folder, `${version}-${index}`)
    cpSync(before, project, { recursive: true })
    await tryProject(npm, version, packages, project)
  }
}

/**
 * @param {string} npm
 * @param {string} version
 * @param {readonly string[]} packages
 * @param {string} project a folder.
 */
async function tryProject(npm, version, packages, project) {
  const label = `install: npm ${version}, ${packages.join(' + ') || 'alone'}`
  const projectStart = performance.now()
  // npm crashes while it resolves versions. Only the newest npm unpacks packages, too: those of greenroom alone.
  const isAlone = packages.length === 0 && Number.parseInt(version, 10) >= 11
  const command = isAlone ? install : resolveOnly
  for (const [step, names] of /** @type {const} */ ([
    ['add greenroom', [resolve(tarball ?? '')]],
    ['install again without a lock file', []],
  ])) {
    if (names.length === 0) rmSync(join(project, 'package-lock.json'))
    const { error, output } = await run(process.execPath, [npm, ...command, ...names], project)
    const problem = error ? output : findProblem(project, packages, output)
    if (problem) {
      failures.push(`${label}: ${step}: ${problem}`)
      console.log(`${label}: FAILED`)
      return
    }
  }
  if (isAlone) {
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

function npmAtHand() {
  return execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()
}

/** @param {number} from */
function since(from) {
  return `${Math.round((performance.now() - from) / 1000)} s`
}
