import type { Environment } from './command.ts'

/** Whether this is a CI system, by the variable `CI` that all of them set. */
export function isInCI({ CI = '' }: Environment): boolean {
  return !['', '0', 'false'].includes(CI.trim().toLowerCase())
}
