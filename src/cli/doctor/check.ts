import type { Config } from '../serve/config-file.ts'
import type { Environment, Terminal } from '../terminal/command.ts'

/** The machine and project that are checked. */
export interface Setting {
  readonly config: Config
  readonly folder: string
  readonly environment: Environment
}

/** A result of a check. */
export interface CheckResult {
  readonly name: string
  /** An error keeps a part of greenroom from working; a warning makes it slower or surprising. */
  readonly status: 'ok' | 'warning' | 'error'
  readonly found: string
  /** What to do, in one sentence. */
  readonly advice?: string
  /** Corrects the problem. Returns what is left to do; undefined if nothing is. */
  readonly mend?: (terminal: Terminal) => Promise<string | undefined>
}

/** Compares versions such as 20.19.0 by their numbers. */
export function isAtLeast(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => /[\d.]+/.exec(text)?.[0].split('.').map(Number) ?? [])
  for (const [index, number] of (other ?? []).entries()) {
    const found = one?.[index] ?? 0
    if (found !== number) return found > number
  }
  return true
}
