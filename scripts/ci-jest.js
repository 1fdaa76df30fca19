// Runs the Jest examples against a packed greenroom, with Jest's default settings, with ts-jest, and with msw.
//   node scripts/ci-jest.js greenroom-0.4.0.tgz 29.7.0 FOLDER
// FOLDER keeps the installed packages, so that another version of Node can use them again.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const [tarball, version, folder] = process.argv.slice(2)
if (!tarball || !version || !folder) {
  throw new Error('Name all three: node scripts/ci-jest.js greenroom-0.4.0.tgz 29.7.0 FOLDER')
}

const typed = `
import { ClockError, createSimulator, type NodeSimulator } from 'greenroom'
import { greenroomMatchers, type GreenroomMatchers } from 'greenroom/matchers'

declare global {
  namespace jest {
    interface Matchers<R> extends GreenroomMatchers<R> {}
  }
}
expect.extend(greenroomMatchers)

test('has types in CommonJS', async () => {
  const sim: NodeSimulator = createSimulator({ seed: 7 })
  const { status } = await sim.fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
  // @ts-expect-error Without types, it would be any.
  const wrong: number = sim.fetch
  const refused = (): unknown => sim.clock.set('scaled', -1)
  expect([status, typeof wrong]).toEqual([200, 'function'])
  expect(refused).toThrow(ClockError)
  expect(sim).toHaveRequested('models.list', { status: 200 }, { times: 1 })
  expect(await sim.verdict()).toPass()
  await sim.close()
})
`

if (!existsSync(join(folder, 'node_modules'))) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const packages = [
    `jest@${version}`,
    `jest-environment-jsdom@${version}`,
    'jest-fixed-jsdom@0.0.11',
    'ts-jest@29.4.15',
    'typescript@5.9.3',
    '@types/jest@30.0.0',
    '@types/node@20.19.43',
    '@babel/preset-env@7.29.14',
    'msw@2.15.0',
    resolve(tarball),
  ]
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', ...packages], folder)
}

const jest = join(resolve(folder), 'node_modules/jest/bin/jest.js')
for (const name of ['jest-commonjs', 'jest-msw']) {
  cpSync(fileURLToPath(new URL(`../examples/${name}`, import.meta.url)), join(folder, name), {
    recursive: true,
  })
}
mkdirSync(join(folder, 'ts-jest'), { recursive: true })
writeFileSync(join(folder, 'ts-jest/package.json'), '{"private":true,"jest":{"preset":"ts-jest"}}')
writeFileSync(join(folder, 'ts-jest/types.test.ts'), typed)
writeFileSync(
  join(folder, 'ts-jest/tsconfig.json'),
  '{"compilerOptions":{"module":"commonjs","target":"es2022","strict":true,"esModuleInterop":true,"types":["jest","node"]}}',
)

for (const name of ['jest-commonjs', 'ts-jest', 'jest-msw']) {
  const start = performance.now()
  run(process.execPath, [jest, '--ci'], join(folder, name))
  const took = Math.round(performance.now() - start)
  console.log(`packed, in Jest ${version} on Node ${process.versions.node}: ${name} (${took} ms)`)
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')} in ${cwd}\n${stdout}${stderr}`)
}
