import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FileError } from '../../src/cli/terminal/command.ts'
import { createReload, type ReloadedLists } from '../../src/cli/serve/config-reload.ts'
import type { TaskSummary } from '../../src/index.ts'
import type { Config } from '../../src/cli/serve/config-file.ts'
import { folderWith, runIn, serve } from './run-in-folder.ts'
import { queue } from '../support/queue.ts'

const refuses: Config['rules'] = [{ match: { op: 'video.submit' }, task: { outcome: 'failure' } }]

/** A reload of a file with changing content. */
function reloadOf(started: Config) {
  const warned: string[] = []
  const replaced: ReloadedLists[] = []
  let next: Config | Error = started
  const reload = createReload(started, {
    path: '/project/greenroom.config.yaml',
    read: async () => {
      if (next instanceof Error) throw next
      return next
    },
    replace: (lists) => {
      if (lists.rules.some(({ id }) => id === 'impossible'))
        throw new Error('Failed to add rule "impossible".')
      replaced.push(lists)
    },
    warn: (message) => warned.push(message),
  })
  const become = async (config: Config | Error): Promise<void> => {
    next = config
    await reload()
  }
  return { warned, replaced, become }
}

it('replaces the rules, and names what needs a restart', async () => {
  const { warned, replaced, become } = reloadOf({ seed: 1, clock: { rate: 60 } })
  await become({
    seed: 2,
    clock: { rate: 30 },
    keys: ['sk-a'],
    video: { seconds: { max: 9 } },
    rules: refuses,
  })
  expect(replaced).toEqual([{ rules: refuses, throttles: [] }])
  expect(warned).toEqual([
    'greenroom.config.yaml reloaded: 1 rule. Running tasks keep their plans.',
    'warning: greenroom.config.yaml changed: restart to apply seed, clock.rate, keys, video.seconds.max.',
  ])
})

it('replaces the throttles, and asks for a restart for those with workers', async () => {
  const { warned, replaced, become } = reloadOf({})
  const few = { match: { op: 'video.submit' }, concurrent: 1 } as const
  await become({ throttles: [few] })
  await become({ throttles: [few, { match: { op: 'video.submit' }, workers: 2 }] })
  await become({})
  expect(replaced.map(({ throttles }) => throttles.length)).toEqual([1, 2, 0])
  expect(warned).toEqual([
    'greenroom.config.yaml reloaded: no rules, 1 throttle. Running tasks keep their plans.',
    'greenroom.config.yaml reloaded: no rules, 2 throttles. Running tasks keep their plans.',
    'warning: greenroom.config.yaml changed: restart to apply throttles with workers.',
    'greenroom.config.yaml reloaded: no rules, no throttles. Running tasks keep their plans.',
  ])
})

it('applies an edited throttle of a scenario at once, while an unchanged one continues to count', async () => {
  const all = '{ id: all, match: { op: models.list }, rate: { requests: 4, per: 1h } }'
  const throttles = (...list: string[]): string => `version: 1\nthrottles: [${[all, ...list].join(', ')}]\n`
  const few =
    '{ id: few, match: { op: models.list }, bucket: { capacity: 1, refill: 1/1h }, respond: { status: 430 } }'
  const folder = folderWith({ 'story.yaml': throttles() })
  const prints = queue()
  const warnings = queue()
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const words = serve('--log', 'silent', '--scenario', 'story.yaml')
  const ended = runIn(folder, words, { print: prints.add, warn: warnings.add, interrupted })
  const url = await prints.next()
  const status = async (): Promise<number> =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-a' } })).status
  expect([await status(), await status()]).toEqual([200, 200])
  writeFileSync(join(folder, 'story.yaml'), throttles(few))
  expect(await warnings.next()).toBe(
    'story.yaml reloaded: no rules, 2 throttles. Running tasks keep their plans.',
  )
  expect([await status(), await status(), await status()]).toEqual([200, 430, 429])
  writeFileSync(join(folder, 'story.yaml'), 'version: 1\nrulez: []\n')
  expect(await warnings.next()).toContain('hint: The previous scenario stays in use.')
  interrupt()
  await ended
})

it('prints nothing if nothing changed', async () => {
  const { warned, replaced, become } = reloadOf({ seed: 1 })
  await become({ seed: 1 })
  await become({ seed: 2 })
  await become({ seed: 2 })
  expect([warned.length, replaced]).toEqual([1, []])
})

it('takes rules away when the file has none any more', async () => {
  const { replaced, become } = reloadOf({ rules: refuses })
  await become({})
  expect(replaced).toEqual([{ rules: [], throttles: [] }])
})

it('keeps what it has while the file is broken or a rule cannot be, and takes the next one that is fine', async () => {
  const { warned, replaced, become } = reloadOf({})
  await become(new FileError('/project/greenroom.config.yaml:3:1: rulez is not known.'))
  await become({ rules: [{ id: 'impossible', match: { op: 'video.submit' } }] })
  expect(replaced).toEqual([])
  expect(warned).toEqual([
    '/project/greenroom.config.yaml:3:1: rulez is not known.\nhint: The previous config stays in use.',
    'error: /project/greenroom.config.yaml: Failed to add rule "impossible".\nhint: The previous config stays in use.',
  ])
  await become({ rules: refuses })
  expect(replaced).toEqual([{ rules: refuses, throttles: [] }])
})

it('serves by the edited rules while a running task keeps its plan, and by the old ones after a broken edit', async () => {
  const folder = folderWith({ 'greenroom.config.yaml': 'seed: 3\n' })
  const path = join(folder, 'greenroom.config.yaml')
  const prints = queue()
  const warnings = queue()
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const ended = runIn(folder, serve('--log', 'silent', '--clock', 'manual'), {
    print: prints.add,
    warn: warnings.add,
    interrupted,
  })
  const url = await prints.next()
  const headers = { authorization: 'Bearer sk-a', 'content-type': 'application/json' }
  const submit = async (prompt: string): Promise<unknown> => {
    const body = JSON.stringify({ model: 'video-1', prompt })
    return (await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })).json()
  }
  const endings = async (): Promise<string[]> => {
    const tasks = (await (await fetch(`${url}/_greenroom/tasks`)).json()) as TaskSummary[]
    return tasks.map(({ request, timeline }) => `${request['prompt']}: ${timeline.at(-1)!.status}`)
  }

  await submit('before')
  const rule = 'rules:\n  - match: { op: video.submit }\n    task: { outcome: failure }\n'
  // As editors do it: another file takes the place of the old one.
  writeFileSync(`${path}~`, `seed: 3\n${rule}`)
  renameSync(`${path}~`, path)
  expect(await warnings.next()).toContain('greenroom.config.yaml reloaded: 1 rule.')
  await submit('after')

  writeFileSync(path, 'seed: 3\nrulez: []\n')
  expect(await warnings.next()).toContain(`${path}:2:1: rulez is not known. Did you mean "rules"?`)
  await submit('while broken')

  expect(await endings()).toEqual(['before: SUCCESS', 'after: FAILURE', 'while broken: FAILURE'])
  interrupt()
  expect((await ended).code).toBe(0)
})

it('refuses a scenario with crashes, because a server starts no command', async () => {
  const folder = folderWith({ 'story.yaml': 'version: 1\ncrash: [{ op: video.poll, nth: 1 }]\n' })
  const { code, warned } = await runIn(folder, serve('--scenario', 'story.yaml'), {
    interrupted: new Promise(() => {}),
  })
  expect([code, warned]).toEqual([22, expect.stringContaining('story.yaml:2:8: crash needs a command')])
})

it('notices changes of a file that an edited scenario has begun to extend', async () => {
  const rule = (status: number): string =>
    `version: 1\nrules: [{ match: { op: models.list }, respond: { status: ${status} } }]\n`
  const folder = folderWith({ 'story.yaml': 'version: 1\n', 'base.yaml': rule(430) })
  const prints = queue()
  const warnings = queue()
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const ended = runIn(folder, serve('--log', 'silent', '--scenario', 'story.yaml'), {
    print: prints.add,
    warn: warnings.add,
    interrupted,
  })
  const url = await prints.next()
  const status = async (): Promise<number> =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-a' } })).status
  expect(await status()).toBe(200)
  writeFileSync(join(folder, 'story.yaml'), 'version: 1\nextends: [base.yaml]\n')
  expect(await warnings.next()).toContain('reloaded: 1 rule')
  expect(await status()).toBe(430)
  writeFileSync(join(folder, 'base.yaml'), rule(431))
  expect(await warnings.next()).toContain('reloaded: 1 rule')
  expect(await status()).toBe(431)
  interrupt()
  expect((await ended).code).toBe(0)
})
