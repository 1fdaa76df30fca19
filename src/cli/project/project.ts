import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, isAbsolute } from 'node:path'
import { packagePath } from '../../files/package-path.ts'
import { version } from '../../version.ts'

/** Test runners for which `greenroom init` writes a test. */
export const testRunners = ['vitest', 'jest', 'node', 'pytest'] as const
export type TestRunner = (typeof testRunners)[number]

/** The facts about a project for `greenroom init`. Paths are absolute. */
export interface Project {
  readonly folder: string
  /** The folder of the repository, otherwise of the workspace. A workflow in another folder has no effect. */
  readonly root: string
  readonly hasPackage: boolean
  /** Whether `.js` files are ES modules. */
  readonly isModule: boolean
  readonly isTypeScript: boolean
  /** The runner that the project depends on; `node` without one. */
  readonly runner: TestRunner
  /** Whether Jest loads ES modules natively. */
  readonly hasVmModules: boolean
  /** Whether Jest's functions are global in TypeScript. */
  readonly hasJestTypes: boolean
  /** Whether `npm test` runs anything. */
  readonly hasTestScript: boolean
  readonly install: string
  /** The folder of tests: an existing one, otherwise `test`. */
  readonly testFolder: string
  readonly hasGreenroom: boolean
  /** The packages that a first test needs and that are missing, as arguments of npm. */
  readonly missing: (runner: TestRunner) => readonly string[]
}

interface Manifest {
  readonly type?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly workspaces?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Reads a project. A file that can't be parsed counts as empty. */
export function readProject(folder: string): Project {
  const above = foldersAbove(folder)
  const own = readManifest(folder)
  const workspace = above.find((each) => readManifest(each)?.workspaces !== undefined)
  const manifests = [own, workspace === undefined ? undefined : readManifest(workspace)]
  const packages = new Set(
    manifests.flatMap((each) => Object.keys({ ...each?.dependencies, ...each?.devDependencies })),
  )
  const script = own?.scripts?.['test'] ?? ''
  const lockFolder = workspace ?? folder
  // If there is no package.json, the written one makes the project a module.
  const isModule = own === undefined || own.type === 'module'
  const isInstalled = hasGreenroom(packageFolder(folder))
  const runner = findRunner(script, packages)
  return {
    folder,
    root: above.find((each) => existsSync(join(each, '.git'))) ?? lockFolder,
    hasPackage: own !== undefined,
    isModule,
    isTypeScript: existsSync(join(folder, 'tsconfig.json')) && compiles(runner, packages),
    runner,
    hasVmModules: isModule && script.includes('--experimental-vm-modules'),
    hasJestTypes: packages.has('@types/jest'),
    hasTestScript: script !== '' && !script.includes('no test specified'),
    install: installCommand(lockFolder),
    testFolder: ['test', 'tests', '__tests__'].find((each) => existsSync(join(folder, each))) ?? 'test',
    hasGreenroom: isInstalled,
    missing: (used) => [
      ...(isInstalled ? [] : [installWord()]),
      ...(!isFromNpm(used) || packages.has(used) ? [] : [runnerPackages[used]]),
    ],
  }
}

/** Node 20 can't run Vitest 5. */
export const runnerPackages = { vitest: 'vitest@^4.1.12', jest: 'jest@^30.0.0' } as const

/** Whether npm installs the runner. Node has its own, and pytest is a package of Python. */
export const isFromNpm = (runner: TestRunner): runner is keyof typeof runnerPackages =>
  runner in runnerPackages

/** The folder of greenroom in a project, now or after the installation. */
export function packageFolder(folder: string): string {
  const path = (each: string): string => join(each, 'node_modules/greenroom')
  return path(foldersAbove(folder).find((each) => hasGreenroom(path(each))) ?? folder)
}

const hasGreenroom = (path: string): boolean => existsSync(join(path, 'package.json'))

/** A path relative to a folder, with slashes. */
export function pathFrom(folder: string, path: string): string {
  return relative(folder, path).replaceAll('\\', '/')
}

/** The folder and those that contain it, innermost first. */
function foldersAbove(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}

function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return undefined
  try {
    // npm accepts a byte order mark, too.
    return (JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')) ?? {}) as Manifest
  } catch {
    return {}
  }
}

/** Finds the runner: the one that `npm test` runs, otherwise an installed one. */
function findRunner(script: string, packages: ReadonlySet<string>): TestRunner {
  const named = (['vitest', 'jest'] as const).find((each) => script.includes(each))
  if (named) return named
  if (/\bnode\b.*--test\b/.test(script)) return 'node'
  if (packages.has('vitest')) return 'vitest'
  return packages.has('jest') || packages.has('ts-jest') ? 'jest' : 'node'
}

/** Whether the runner can load TypeScript in this project. */
/** Whether Node runs TypeScript by itself, as 22.18 and later do. */
export const runsTypeScript = (): boolean =>
  (process.features as { typescript?: unknown }).typescript === 'strip'

function compiles(runner: TestRunner, packages: ReadonlySet<string>): boolean {
  if (runner === 'vitest') return true
  if (runner === 'node') return runsTypeScript()
  return ['ts-jest', '@swc/jest', 'esbuild-jest', '@babel/preset-typescript'].some((each) =>
    packages.has(each),
  )
}

function installCommand(folder: string): string {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : [])
  if (files.has('pnpm-lock.yaml')) return 'corepack enable && pnpm install --frozen-lockfile'
  if (files.has('yarn.lock')) return 'corepack enable && yarn install'
  return files.has('package-lock.json') || files.has('npm-shrinkwrap.json') ? 'npm ci' : 'npm install'
}

/**
 * Whether greenroom is in npm's registry. On the day of its publication, change this line and run `node scripts/docs.js`:
 * `init`, the README and the tutorials then install it by name. Until then, anyone may register the name.
 */
export const isPublished: boolean = false

/** The tarball that `npm pack` writes. */
export const tarball = `greenroom-${version}.tgz`

/** The dependency in `package.json`, as npm itself would write it. */
export const dependency = isPublished ? `^${version}` : `file:${tarball}`

/** Packs a copy of greenroom into the working folder. Empty once npm's registry has greenroom. */
export function packLines(copy: string, published = isPublished): string[] {
  if (published) return []
  // npm runs the scripts of a folder, but an installed copy lacks the script files.
  const scripts = copy.includes('node_modules') ? '--ignore-scripts ' : ''
  return [`npm pack ${scripts}${/^[\w./-]+$/.test(copy) ? copy : JSON.stringify(copy)}`]
}

/** The argument of `npm install` for greenroom. */
export function installWord(published = isPublished): string {
  return published ? 'greenroom' : `./${tarball}`
}

/** The path of the running copy of greenroom, relative to a folder, with slashes. */
export function ownCopy(folder: string): string {
  const path = relative(folder, packagePath()).replaceAll('\\', '/')
  // On another drive of Windows, the path stays absolute.
  return path.startsWith('.') || isAbsolute(path) ? path : `./${path}`
}
