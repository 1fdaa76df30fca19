import type { Finding } from '../findings.ts'
import type { Exploration } from '../search.ts'

/** A finding with what only its caller knows. */
export interface ReportedFinding extends Finding {
  readonly isAccepted: boolean
  /** Its scenario file, and the command that plays it. */
  readonly file: string | undefined
  readonly yaml: string | undefined
  readonly reproduce: string | undefined
}

export interface ReportedExploration extends Omit<Exploration, 'findings'> {
  /** The command, or the name of the client. */
  readonly title: string
  readonly findings: readonly ReportedFinding[]
}

export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}s`
