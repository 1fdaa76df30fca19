import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { ScenarioError } from '../../../src/scenario/files/error.ts'
import { runModule } from '../../../src/scenario/files/run-module.ts'

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
})
