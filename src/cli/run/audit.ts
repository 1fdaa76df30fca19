import type { ExplainedEntry } from '../../control/journal.ts'
import type { TaskSummary } from '../../control/tasks.ts'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import type { ClockStatus } from '../../engine/clock/clock-settings.ts'
import { watchRun } from '../../embedded/watched-run.ts'
import { invariantsOnly, judgeEntries, readTrace, type ClientEnd } from '../../judge/index.ts'
import { startServer } from '../../server/start.ts'
import { traceRecording } from '../inspect/replay.ts'
import {
  askServer,
  entriesOf,
  readNamespace,
  readRecordingFile,
  sourceFlags,
  toJournalEntry,
} from '../inspect/source.ts'
import { exampleKey } from '../serve/config-file.ts'
import {
  type Command,
  type CommandInput,
  exitCodes,
  type Flags,
  readText,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { readAuditRequest, reportAudit, type Audited, type AuditRequest } from './audit-report.ts'
import { describeExit, startChild } from './child.ts'
import { explainNoRequests, judgedNamespace, warnAboutOtherNamespaces } from './no-requests.ts'
import { needsTrace, withLongJournal } from './reports.ts'
import { judgeFlags, readCommandVariables } from './run-flags.ts'

/** `greenroom audit`: how a client behaves, without a scenario. */
export const audit: Command = {
  wrapsCommand: true,
  options: {
    ...sourceFlags,
    ...judgeFlags,
  },
  epilogue: [
    'Audits COMMAND against a simulator of its own, or a recording (--journal), or a running server.',
    'A strict audit also fails for invariants that are not applicable or were not exercised, for faults that were only approximated, and for doubtful results.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.expectationFailed} an invariant was broken or the simulator failed, ${exitCodes.usage} wrong flag or no server, ${exitCodes.badFile} the file can't be read, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted.`,
  ],
  examples: [
    ['greenroom audit -- npm test', 'audit your tests'],
    ['greenroom audit --journal run.jsonl', 'audit a recording'],
  ],
  run: auditClient,
}

/**
 * Audits what the flags name: a command, a recording, or a running server.
 * @returns the exit code.
 */
async function auditClient(input: CommandInput, terminal: Terminal): Promise<number> {
  const { flags, wrapped } = input
  const request = readAuditRequest(input, terminal.environment)
  if (wrapped.length > 0) {
    const source = Object.keys(sourceFlags).find((name) => flags[name] !== undefined)
    if (source === undefined) return auditCommand(input, request, terminal)
    throw new UsageError(`--${source} excludes a command. Remove one of them.`)
  }
  if (flags['env'] !== undefined) {
    throw new UsageError('--env sets variables of a command. Add the command after "--".')
  }
  const namespace = readNamespace(flags)
  const { entries, readTrace } = await readSource(flags, namespace, terminal)
  const noRequests = `There are no requests in namespace "${namespace}". Run the client first, or pass --namespace.`
  const verdict = judgeEntries(entries.map(toJournalEntry), { name: 'audit', strict: request.strict.isOn })
  return reportAudit({ verdict, readTrace, ...(entries.length === 0 && { noRequests }) }, request, terminal)
}

/** The exchanges of a recording or of a running server. */
async function readSource(
  flags: Flags,
  namespace: string,
  terminal: Terminal,
): Promise<Pick<Audited, 'readTrace'> & { entries: ExplainedEntry[] }> {
  const journal = readText(flags, 'journal')
  if (journal !== undefined) {
    const recording = await readRecordingFile(journal, terminal)
    const readTrace: Audited['readTrace'] = async () =>
      (await traceRecording(recording, [namespace], terminal))[0]!
    return { entries: entriesOf(recording, namespace), readTrace }
  }
  const ask = async <T>(path: string): Promise<T> =>
    (await askServer(flags, `${path}?namespace=${encodeURIComponent(namespace)}`, terminal)) as T
  const entries = await ask<ExplainedEntry[]>('/journal')
  const readTrace: Audited['readTrace'] = async () => {
    const [clock, tasks] = await Promise.all([ask<ClockStatus>('/clock'), ask<TaskSummary[]>('/tasks')])
    return { namespace, clock, tasks, entries: entries.map((entry) => ({ ...entry, reasons: [] })) }
  }
  return { entries, readTrace }
}

async function auditCommand(
  { flags, wrapped }: CommandInput,
  request: AuditRequest,
  terminal: Terminal,
): Promise<number> {
  const server = await startServer({
    port: 0,
    quality: 'fast',
    clock: { mode: 'auto' },
    ...(needsTrace(request.reports) && { limits: withLongJournal(), bodies: true }),
    onWarning: (message) => terminal.warn(`warning: ${message}`),
  })
  try {
    const { simulator, url } = server
    const { reproduce, strict } = request
    const names = { name: 'audit', strict: strict.isOn, isWithoutScenario: true }
    let clientEnd: ClientEnd | undefined
    const watched = watchRun(simulator, judgedNamespace, invariantsOnly, {
      ...names,
      end: () => clientEnd,
      ...(reproduce !== undefined && { reproduce }),
    })
    const variables = sdkEnvironment(
      { url, key: exampleKey({}) },
      readCommandVariables(flags, terminal.environment),
    )
    const child = await startChild(wrapped, terminal, variables)
    server.follow(child.pid)
    const interrupted = terminal.interrupted.then(() => undefined)
    const code = await Promise.race([child.ended, interrupted]).finally(child.end)
    if (code === undefined) return exitCodes.interrupted
    clientEnd = code === 0 ? 'succeeded' : 'failed'
    const noRequests = explainNoRequests(simulator, variables)
    if (noRequests === undefined) warnAboutOtherNamespaces(simulator, terminal)
    const audited: Audited = {
      verdict: await watched.verdict(),
      readTrace: () => readTrace(simulator, judgedNamespace),
      ...(noRequests !== undefined && { noRequests }),
      ...(code !== 0 && { failedEnd: describeExit(code) }),
    }
    const ownCode = await reportAudit(audited, request, terminal)
    return code === 0 ? ownCode : code
  } finally {
    await server.close()
  }
}
