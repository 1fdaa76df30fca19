import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { version } from '../../version.ts'
import { isAtLeast, type CheckResult, type Setting } from './check.ts'

/** Checks the packages that greenroom loads, and packages of the project that it works with. */
export async function findPackages({ folder }: Setting): Promise<CheckResult[]> {
  return [
    await findSharp(),
    ...Object.entries(minVersions).flatMap(([name, least]) => findOptional(name, least, folder)),
    findOwnVersion(folder),
  ]
}

/** The first versions that work, as in the docs. */
const minVersions = { msw: '2.7.0', vitest: '3.2.0', jest: '29.0.0' }

async function findSharp(): Promise<CheckResult> {
  const name = 'sharp'
  try {
    const { default: sharp } = await import('sharp')
    return { name, status: 'ok', found: `${sharp.versions.sharp ?? 'works'}: draws images` }
  } catch (error) {
    const advice =
      'Run npm install --include=optional sharp; without it, there are no images and no full clips.'
    return { name, status: 'error', found: `does not load: ${firstLine(error)}`, advice }
  }
}

/** Checks an optional package. Reports nothing if the project does not have it. */
function findOptional(name: string, least: string, folder: string): CheckResult[] {
  const found = readVersion(name, folder)
  if (found === undefined) return []
  if (isAtLeast(found, least)) return [{ name, status: 'ok', found }]
  const advice = `Run npm install --save-dev ${name}@latest: greenroom needs ${least} or later.`
  return [{ name, status: 'warning', found: `${found} is too old`, advice }]
}

function findOwnVersion(folder: string): CheckResult {
  const name = 'greenroom'
  const found = readVersion('greenroom', folder)
  if (found === undefined) {
    return { name, status: 'ok', found: `${version}; the project in this folder has none of its own` }
  }
  if (found === version) return { name, status: 'ok', found: `${version}, as in the project` }
  const advice = 'Run npx greenroom in the project instead, or update one of them.'
  return { name, status: 'warning', found: `this is ${version}, the project has ${found}`, advice }
}

/** The version of a package as the project resolves it. */
function readVersion(name: string, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const text = readFileSync(join(at, 'node_modules', name, 'package.json'), 'utf8')
      return String((JSON.parse(text) as { version?: unknown }).version)
    } catch {
      if (dirname(at) === at) return undefined
    }
  }
}

const firstLine = (error: unknown): string => (error as Error).message.trim().split('\n', 1)[0]!
