import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { ScenarioError } from '../../../src/files/error.ts'
import { loadScenario } from '../../../src/files/load.ts'
import { runModule } from '../../../src/files/code/run-module.ts'

const path = join(tmpdir(), 'scenario.ts')

const failureOf = (text: string): Promise<unknown> =>
  runModule(path, text).then(
    () => undefined,
    (error) => error,
  )

it('runs TypeScript, and gives its exports', async () => {
  expect(await runModule(path, 'const version: number = 1\nexport default { version }')).toMatchObject({
    default: { version: 1 },
  })
})

it('names the line and column of what cannot be parsed', async () => {
  const error = (await failureOf('export default {\n  rules: ]\n}\n')) as ScenarioError
  expect(error).toBeInstanceOf(ScenarioError)
  expect(error.message).toBe(`${path}:2:10: The file can't be run: Unexpected token.`)
})

it('names the line that threw', async () => {
  const error = await failureOf('const one = 1\n\nthrow new Error(`no ${one}`)\n')
  expect(error).toMatchObject({ message: `${path}:3: The file can't be run: no 1.` })
})

it('names the file alone for what has no place', async () => {
  const messageOf = (reason: string): object => ({ message: `${path}: The file can't be run: ${reason}` })
  expect(await failureOf("throw 'nothing'")).toMatchObject(messageOf('nothing.'))
  expect(await failureOf("throw 'Is it?'")).toMatchObject(messageOf('Is it?'))
  expect(await failureOf('throw null')).toMatchObject(messageOf('it threw null.'))
  expect(await failureOf('await Promise.reject({ code: 7 })')).toMatchObject(
    messageOf('it threw { code: 7 }.'),
  )
  expect(await failureOf("throw { message: 'no' }")).toMatchObject(messageOf('no.'))
})

it('ends a file whose top-level await does not', async () => {
  await expect(runModule(path, 'await new Promise(() => {})', 1)).rejects.toThrow(
    `${path}: The file can't be run: its top-level await does not end within 0.001 s.`,
  )
})

it('names the line of a getter that throws', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'getter-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'scenario.ts')
  writeFileSync(file, "export default {\n  version: 1,\n  get rules() { throw new Error('no rules') },\n}\n")
  await expect(loadScenario(file)).rejects.toThrow(`${file}:3: The file can't be run: no rules.`)
})
