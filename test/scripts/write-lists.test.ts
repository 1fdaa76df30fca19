import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished, expect, it } from 'vitest'
import { writeLists } from '../../scripts/write-lists.js'

const definition = "export const kiteApi = defineApi({ name: 'kite', ...lists })"
const fly = "export const kiteFly = defineOperation(\n  { name: 'kite.fly' },\n)\nexport const maxKites = 3\n"
const land = "export const kiteLand = defineSubmission({ name: 'kite.land' })\n"
const soft = "export const softLanding: InvariantDefinition = {\n  name: 'soft-landing',\n}\n"
const patient = "export const isPatient: GeneralInvariant = {\n  name: 'is-patient',\n}\n"
const cut = "export const cut = defineFault({ name: 'cut' })\n"

const files: Readonly<Record<string, string>> = {
  'apis/kite/api.ts': definition,
  'apis/kite/up/fly.ts': fly,
  'apis/kite/land.ts': land,
  'apis/kite/soft-landing.ts': soft,
  'apis/define/api.ts': 'export function defineApi() {}',
  'judge/invariants/patient.ts': patient,
  'judge/habits/gives-up.ts': "export const givesUp: Habit = {\n  name: 'gives up',\n}\n",
  'scenario/faults/wire/cut.ts': cut,
  'scenario/vocabulary/rule.ts': '',
}

/** Writes the sources of a small project. @returns the folder of the sources. */
function writeSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-lists-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

it('lists what the files of each folder define', () => {
  const folder = writeSources()
  writeLists(folder)
  const read = (path: string): string[] => readFileSync(join(folder, path), 'utf8').split('\n').slice(1, -1)
  expect(read('apis/kite/lists.ts')).toEqual([
    "import { kiteFly } from './up/fly.ts'",
    "import { kiteLand } from './land.ts'",
    "import { softLanding } from './soft-landing.ts'",
    'export const operations = [kiteFly, kiteLand] as const',
    'export const invariants = [softLanding] as const',
  ])
  expect(read('judge/invariants/lists.ts').at(-1)).toBe('export const invariants = [isPatient] as const')
  expect(read('judge/habits/lists.ts').at(-1)).toBe('export const habits = [givesUp] as const')
  expect(read('scenario/faults/lists.ts').at(-1)).toBe('export const faults = [cut] as const')
  expect(read('scenario/vocabulary/invariant-names.ts')).toEqual([
    "export const generalInvariants = ['is-patient'] as const",
  ])
  expect(() => read('apis/define/lists.ts')).toThrow('ENOENT')
})

it('leaves a list that is current as it is', () => {
  const folder = writeSources()
  writeLists(folder)
  const list = join(folder, 'apis/kite/lists.ts')
  utimesSync(list, 1, 1)
  writeLists(folder)
  expect(statSync(list).mtimeMs).toBe(1_000)
  rmSync(join(folder, 'apis/kite/land.ts'))
  writeLists(folder)
  expect(readFileSync(list, 'utf8')).toContain('operations = [kiteFly] as const')
})

it('deletes the list of a folder that needs none any more, but no file of the same name', () => {
  const folder = writeSources()
  writeLists(folder)
  writeFileSync(join(folder, 'apis/kite/api.ts'), "export const kiteApi = defineJobs({ name: 'kite' })")
  writeFileSync(join(folder, 'apis/define/lists.ts'), 'export const lists = []')
  writeLists(folder)
  expect(existsSync(join(folder, 'apis/kite/lists.ts'))).toBe(false)
  expect(existsSync(join(folder, 'apis/define/lists.ts'))).toBe(true)
})
