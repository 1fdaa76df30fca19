import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { ModuleError, runModule } from '../../../src/scenario/files/run-module.ts'

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
  const error = (await failureOf('export default {\n  rules: ]\n}\n')) as ModuleError
  expect(error).toBeInstanceOf(ModuleError)
  expect(error.place).toBe(`${path}:2:10`)
  expect(error.reason).toMatch(/^Unexpected token.*\.$/)
  expect(error.message).toBe(`${path}:2:10 The file can't be run: ${error.reason}`)
})

it('names the line that threw', async () => {
  const error = await failureOf('const one = 1\n\nthrow new Error(`no ${one}`)\n')
  expect(error).toMatchObject({ place: `${path}:3`, reason: 'no 1.' })
})

it('names the file alone for what has no place', async () => {
  expect(await failureOf("throw 'nothing'")).toMatchObject({ place: path, reason: 'nothing.' })
  expect(await failureOf("throw 'Is it?'")).toMatchObject({ reason: 'Is it?' })
})
