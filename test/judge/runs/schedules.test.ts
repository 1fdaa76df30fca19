import { describe, expect, it } from 'vitest'
import { injections } from '../../../src/judge/runs/injections.ts'
import {
  startSilenceFirst,
  toClock,
  toConfig,
  toRuleIds,
  withHostTime,
  type Schedule,
  type ScheduledInjection,
} from '../../../src/judge/runs/schedules.ts'
import type { Scenario } from '../../../src/index.ts'

const part = (id: string): ScheduledInjection =>
  ({ injection: injections.find((each) => each.id === id)!, place: {} }) as unknown as ScheduledInjection
const schedule = (...ids: string[]): Schedule => ({ name: ids.join(' + '), parts: ids.map(part) })
const baseOf = (scenario: Scenario, maxVirtualHours = 1): Parameters<typeof toClock>[0] =>
  ({ scenario, maxVirtualMs: maxVirtualHours * 3_600_000 }) as Parameters<typeof toClock>[0]

it('names the rules of a schedule by their faults, and numbers those of a pair', () => {
  expect(toRuleIds([part('503')])).toEqual(['fault-503'])
  expect(toRuleIds([part('429 seconds'), part('503')])).toEqual(['fault-429-seconds', 'fault-503-2'])
})

it('starts with the runs in which the gateway is silent', () => {
  const [calm, silent] = [schedule('503'), schedule('503', 'hang')]
  expect(startSilenceFirst([calm, silent, calm])).toEqual([silent, calm, calm])
})

describe('the clock of a run', () => {
  it('is that of the scenario, if a client may take no longer than usual', () => {
    expect(toClock(baseOf({ version: 1, clock: 'manual' }))).toBe('manual')
    expect(toClock(baseOf({ version: 1 }))).toBeUndefined()
  })

  it('has a limit in whole hours for a client that may take longer', () => {
    expect(toClock(baseOf({ version: 1 }, 999.5))).toEqual({ mode: 'auto', limit: '1000h' })
    expect(toClock(baseOf({ version: 1, clock: 'manual' }, 999))).toEqual({ mode: 'manual', limit: '999h' })
  })

  it('starts shortly after the time of the host for clients that compare the two', () => {
    const { mode, start } = withHostTime() as { mode: string; start: string }
    expect(mode).toBe('auto')
    const aheadMs = Date.parse(start) - Date.now()
    expect(aheadMs).toBeGreaterThan(0)
    expect(aheadMs).toBeLessThanOrEqual(10_000)
    expect(withHostTime('manual')).toMatchObject({ mode: 'manual' })
  })
})

it('adds the quirks and the config of a variant to those of the scenario', () => {
  const base = baseOf({ version: 1, config: { seed: 7, quirks: { weakBytes: true } } } as unknown as Scenario)
  expect(toConfig(schedule('503'), base)).toBeUndefined()
  const variant = { quirks: { crlf: true }, config: { discount: 2 } } as unknown as Schedule['variant']
  expect(toConfig({ ...schedule(), variant: variant! }, base)).toEqual({
    seed: 7,
    discount: 2,
    quirks: { weakBytes: true, crlf: true },
  })
})
