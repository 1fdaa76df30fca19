import { type GuardSettings, isLoopback } from '../control/guard.ts'
import { isValidInstant, type ClockSettings } from '../engine/clock/clock-settings.ts'
import { parseDuration } from '../engine/clock/duration.ts'
import type { SimulatorOptions } from './options.ts'
import { SettingsError } from '../scenario/options.ts'
import type { ClockOptions } from '../scenario/vocabulary/types.ts'

/** The options of a clock whose mode is known. */
export type ModedClock = ClockOptions & { mode: ClockSettings['mode'] }

/** @throws {SettingsError} {DurationError} for invalid clock settings. */
export function readClock(clock: ModedClock): ClockSettings {
  const { mode, rate, start, pollStep, assume, participants, limit } = clock
  return {
    mode,
    ...(rate === undefined ? {} : { rate }),
    ...(start === undefined ? {} : { start: readStart(start) }),
    ...(pollStep === undefined ? {} : { pollStepMs: parseDuration(pollStep) }),
    ...(assume === undefined ? {} : { assume }),
    ...(participants === undefined ? {} : { participants }),
    ...(limit === undefined ? {} : { limitMs: parseDuration(limit) }),
  }
}

function readStart(start: string | number): number {
  const instant = typeof start === 'number' ? start : Date.parse(start)
  if (isValidInstant(instant)) return Math.round(instant)
  throw new SettingsError(
    `clock.start is "${start}". Use an ISO date from 1970 to 9999, such as "2030-01-01T00:00:00Z".`,
  )
}

/** How many tasks a namespace retains, and how long each; undefined without a limit. */
export function readRetention({
  retention,
}: SimulatorOptions): { readonly count?: number; readonly ageMs?: number } | undefined {
  if (!retention) return undefined
  const { tasks: count, age } = retention
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: parseDuration(age) }),
  }
}

/** The two digits of a shard; empty without one. */
export function readShard(shard: number | undefined): string {
  return shard === undefined ? '' : String(shard).padStart(2, '0')
}

/** @throws {SettingsError} for an invalid public URL or origin. */
export function readGuard({
  publicUrl,
  host,
  controlOrigins = [],
  controlToken,
}: SimulatorOptions & { host?: string }): GuardSettings {
  const isClosed = host !== undefined && !isLoopback(host)
  const token = controlToken === undefined ? (isClosed ? 'closed' : 'nothing') : { token: controlToken }
  const hosts = [host?.toLowerCase(), publicUrl === undefined ? undefined : readUrl(publicUrl).hostname]
  const origins = controlOrigins.map(readOrigin)
  return { hosts: hosts.filter((name) => name !== undefined), origins, token }
}

/** Normalizes an origin as browsers send it: in lower case, without a path and without the default port. */
function readOrigin(origin: string): string {
  if (origin === 'null') {
    throw new SettingsError(
      'controlOrigins has "null", which is also the origin of sandboxed frames of any site. Open the page from a server, ' +
        'and use that origin, such as "http://localhost:5173".',
    )
  }
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (url && url.host !== '' && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '') {
    return `${url.protocol}//${url.host}`
  }
  throw new SettingsError(
    `controlOrigins has "${origin}". Use the origin of a page, such as "http://localhost:5173".`,
  )
}

function readUrl(publicUrl: string): URL {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  throw new SettingsError(
    `publicUrl is "${publicUrl}". Use an address without query, such as "https://gateway.example/api".`,
  )
}
