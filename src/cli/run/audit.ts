import type { ExplainedEntry } from '../../control/journal.ts'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import {
  audit as summarize,
  auditAllowances,
  auditEntries,
  auditReport,
  findStrictFailures,
  Watch,
  watchJournal,
  type Audit,
  type AuditAllowance,
} from '../../judge/index.ts'
import { startServer } from '../../server/start.ts'
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
  readTexts,
  repeatable,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { describeExit, startChild } from './child.ts'
import { explainNoRequests, judgedNamespace, warnAboutOtherNamespaces } from './no-requests.ts'
import { judgeFlags, readStrictness, readVariables, strictnessHint } from './run-flags.ts'

/** `greenroom audit`: how a client behaves, without a scenario. */
export const audit: Command = {
  wrapsCommand: true,
  options: {
    ...sourceFlags,
    ...judgeFlags,
    json: { type: 'boolean', describe: 'Print the audit as JSON' },
    allow: repeatable(`Let a strict audit pass in spite of ${auditAllowances.join(', ')}`),
  },
  epilogue: [
    'Audits COMMAND against a simulator of its own, or a recording (--journal), or a running server.',
    'A strict audit also fails for invariants that are not applicable or were not exercised, for faults that were only approximated, and for doubtful results, unless --allow names them.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.expectationFailed} an invariant was broken, ${exitCodes.usage} wrong flag or no server, ${exitCodes.badFile} the file can't be read, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted.`,
  ],
  run: auditClient,
}

/**
 * Audits what the flags name: a command, a recording, or a running server.
 * @returns the exit code.
 */
async function auditClient({ flags, wrapped }: CommandInput, terminal: Terminal): Promise<number> {
  if (wrapped.length > 0) {
    const source = Object.keys(sourceFlags).find((name) => flags[name] !== undefined)
    if (source === undefined) return auditCommand(wrapped, flags, terminal)
    throw new UsageError(`--${source} excludes a command. Remove one of them.`)
  }
  if (flags['env'] !== undefined) {
    throw new UsageError('--env sets variables of a command. Add the command after "--".')
  }
  const namespace = readNamespace(flags)
  const entries = await readEntries(flags, namespace, terminal)
  if (entries.length > 0 || mayBeEmpty(flags, terminal)) return report(auditEntries(entries), flags, terminal)
  terminal.warn(
    `error: There are no requests in namespace "${namespace}". Run the client first, or pass --namespace.`,
  )
  return exitCodes.noRequests
}

async function readEntries(flags: Flags, namespace: string, terminal: Terminal): Promise<JournalEntry[]> {
  const journal = readText(flags, 'journal')
  const entries =
    journal === undefined
      ? await askServer(flags, `/journal?namespace=${encodeURIComponent(namespace)}`, terminal)
      : entriesOf(await readRecordingFile(journal, terminal), namespace)
  return (entries as ExplainedEntry[]).map(toJournalEntry)
}

async function auditCommand(command: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const server = await startServer({
    port: 0,
    quality: 'fast',
    clock: { mode: 'auto' },
    onWarning: (message) => terminal.warn(`warning: ${message}`),
  })
  try {
    const watch = new Watch()
    watchJournal(server.simulator.namespaces.get(judgedNamespace).journal, watch)
    const variables = sdkEnvironment({ url: server.url, key: exampleKey({}) }, readVariables(flags))
    const child = await startChild(command, terminal, variables)
    const interrupted = terminal.interrupted.then(() => undefined)
    const code = await Promise.race([child.ended, interrupted]).finally(child.end)
    if (code === undefined) return exitCodes.interrupted
    const noRequests = explainNoRequests(server.simulator, variables)
    if (noRequests === undefined) warnAboutOtherNamespaces(server.simulator, terminal)
    else terminal.warn(`error: ${noRequests}`)
    const isAudited = noRequests === undefined || mayBeEmpty(flags, terminal)
    const ownCode = isAudited ? report(summarize(watch), flags, terminal) : exitCodes.noRequests
    if (code === 0) return ownCode
    terminal.warn(`error: The command ${describeExit(code)}.`)
    return code
  } finally {
    await server.close()
  }
}

/** An audit without requests passes only with `--no-strict`. */
function mayBeEmpty(flags: Flags, { environment }: Terminal): boolean {
  const { isOn, isExplicit } = readStrictness(flags, environment)
  return isExplicit && !isOn
}

function report(audited: Audit, flags: Flags, { print, warn, environment }: Terminal): number {
  const { isOn, isExplicit } = readStrictness(flags, environment)
  const allowed = readTexts(flags, 'allow').map(readAllowance)
  const failures = isOn ? findStrictFailures(audited, allowed) : []
  const messages = failures.map(({ message }) => message)
  const passed = audited.passed && failures.length === 0
  if (flags['json'] === true) {
    print(JSON.stringify({ ...audited, passed, ...(isOn && { strictFailures: messages }) }))
  } else {
    const lines = messages.map((message) => `✗ strict: ${message}`)
    print([auditReport(audited).trimEnd(), ...(lines.length > 0 ? ['', ...lines] : [])].join('\n'))
  }
  if (failures.length > 0) {
    if (!isExplicit) warn(strictnessHint)
    const kinds = auditAllowances.filter((each) => failures.some(({ kind }) => kind === each))
    warn(`hint: To allow this, pass ${kinds.map((kind) => `--allow ${kind}`).join(' ')}, or --no-strict.`)
  }
  return passed ? exitCodes.ok : exitCodes.expectationFailed
}

function readAllowance(text: string): AuditAllowance {
  const known = auditAllowances.find((kind) => kind === text)
  if (known) return known
  throw new UsageError(`--allow is "${text}": write one of ${auditAllowances.join(', ')}.`)
}
